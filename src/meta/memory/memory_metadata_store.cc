#include "meta/memory/memory_metadata_store.h"

#include <utility>

#include "base/try.h"
#include "meta/checks.h"
#include "meta/shard.h"

namespace lakestream {
namespace {

std::string GuardId(const WriteGuard& guard) { return guard.session ? guard.session->id() : std::string(); }

class MemorySession final : public MetadataSession {
 public:
  MemorySession(Runtime& runtime, std::shared_ptr<MemoryMetadataBackend> backend, std::string id)
      : runtime_(runtime), backend_(std::move(backend)), id_(std::move(id)) {}

  const std::string& id() const override { return id_; }
  bool ProvablyAlive() const override { return backend_->SessionAlive(id_); }
  Task<Status> Close(OpContext context) override {
    co_await Yield(runtime_);
    LS_CO_TRY(context.Check(runtime_.Now()));
    backend_->ExpireSession(id_);
    co_return OkStatus();
  }

 private:
  Runtime& runtime_;
  std::shared_ptr<MemoryMetadataBackend> backend_;
  const std::string id_;
};

/// Takes the event out of the back end also where the coroutine that waits is destroyed.
class Watching {
 public:
  Watching(MemoryMetadataBackend& backend, Partition partition, std::shared_ptr<Event> event)
      : backend_(backend), partition_(std::move(partition)), event_(std::move(event)) {}
  Watching(const Watching&) = delete;
  Watching& operator=(const Watching&) = delete;
  ~Watching() { backend_.Unwatch(partition_, event_); }

 private:
  MemoryMetadataBackend& backend_;
  Partition partition_;
  std::shared_ptr<Event> event_;
};

}  // namespace

MemoryMetadataStore::MemoryMetadataStore(Runtime& runtime, MemoryMetadataOptions options)
    : MemoryMetadataStore(runtime, std::make_shared<MemoryMetadataBackend>(options)) {}

MemoryMetadataStore::MemoryMetadataStore(Runtime& runtime, std::shared_ptr<MemoryMetadataBackend> backend)
    : runtime_(runtime), backend_(std::move(backend)), client_(backend_->NewClient()) {}

Task<Status> MemoryMetadataStore::Enter(OpContext context) {
  LS_CO_TRY(context.Check(runtime_.Now()));
  co_await Yield(runtime_);
  co_return context.Check(runtime_.Now());
}

Task<Result<std::vector<ReadAnswer>>> MemoryMetadataStore::Read(OpContext context,
                                                                std::vector<ReadRequest> requests) {
  LS_CO_TRY(CheckReads(requests));
  LS_CO_TRY(co_await Enter(std::move(context)));
  co_return backend_->Read(requests);
}

Task<Result<WriteAnswer>> MemoryMetadataStore::Apply(OpContext context, MemoryMetadataBackend::Write write) {
  LS_CO_TRY(CheckMetadataWrite(write.key, write.value));
  LS_CO_TRY(co_await Enter(std::move(context)));
  Result<WriteAnswer> answer = backend_->Apply(NowMs(), write);
  // Others may act between a write and its answer.
  co_await Yield(runtime_);
  co_return answer;
}

Task<Result<WriteAnswer>> MemoryMetadataStore::Put(OpContext context, Partition partition, std::string key,
                                                   Buffer value, WriteGuard guard) {
  MemoryMetadataBackend::Write write{std::move(partition), std::move(key), std::move(value)};
  write.guard_session = GuardId(guard);
  co_return co_await Apply(std::move(context), std::move(write));
}

Task<Result<WriteAnswer>> MemoryMetadataStore::CreateIfAbsent(OpContext context, Partition partition, std::string key,
                                                              Buffer value, WriteGuard guard) {
  MemoryMetadataBackend::Write write{std::move(partition), std::move(key), std::move(value)};
  write.condition = MemoryMetadataBackend::Condition::kAbsent;
  write.guard_session = GuardId(guard);
  co_return co_await Apply(std::move(context), std::move(write));
}

Task<Result<WriteAnswer>> MemoryMetadataStore::CreateEphemeral(OpContext context, Partition partition,
                                                               std::string key, Buffer value,
                                                               std::shared_ptr<MetadataSession> session) {
  if (!session) co_return InvalidArgument("an ephemeral record needs a session").With("key", key);
  MemoryMetadataBackend::Write write{std::move(partition), std::move(key), std::move(value)};
  write.condition = MemoryMetadataBackend::Condition::kAbsent;
  write.owner_session = session->id();
  co_return co_await Apply(std::move(context), std::move(write));
}

Task<Result<WriteAnswer>> MemoryMetadataStore::CompareAndSet(OpContext context, Partition partition, std::string key,
                                                             Buffer value, std::int64_t version, WriteGuard guard) {
  LS_CO_TRY(CheckExpectedVersion(version));
  MemoryMetadataBackend::Write write{std::move(partition), std::move(key), std::move(value)};
  write.condition = MemoryMetadataBackend::Condition::kVersion;
  write.version = version;
  write.guard_session = GuardId(guard);
  co_return co_await Apply(std::move(context), std::move(write));
}

Task<Status> MemoryMetadataStore::Delete(OpContext context, Partition partition, std::string key, WriteGuard guard) {
  LS_CO_TRY(CheckMetadataKey(key));
  LS_CO_TRY(co_await Enter(std::move(context)));
  const Status done = backend_->Delete(partition, key, GuardId(guard));
  co_await Yield(runtime_);
  co_return done;
}

Task<Status> MemoryMetadataStore::DeleteRange(OpContext context, Partition partition, std::string from,
                                              std::string to, WriteGuard guard) {
  LS_CO_TRY(CheckMetadataRange(from, to));
  LS_CO_TRY(co_await Enter(std::move(context)));
  if (!MetadataKeyLess(from, to)) co_return OkStatus();
  const Status done = backend_->DeleteRange(partition, from, to, GuardId(guard));
  co_await Yield(runtime_);
  co_return done;
}

Task<Result<KeyPage>> MemoryMetadataStore::List(OpContext context, KeyRange range, std::string cursor, int limit) {
  LS_CO_ASSIGN(ScanPage records, co_await Scan(std::move(context), std::move(range), std::move(cursor), limit));
  KeyPage page;
  page.keys.reserve(records.records.size());
  for (MetadataRecord& record : records.records) page.keys.push_back(std::move(record.key));
  page.next = std::move(records.next);
  co_return page;
}

Task<Result<ScanPage>> MemoryMetadataStore::Scan(OpContext context, KeyRange range, std::string cursor, int limit) {
  LS_CO_TRY(CheckMetadataPage(range, limit));
  LS_CO_TRY(co_await Enter(std::move(context)));
  co_return backend_->Scan(range, cursor, limit);
}

Task<std::vector<Result<SequencedPutAnswer>>> MemoryMetadataStore::SequencedPut(
    OpContext context, std::vector<SequencedPutRequest> requests) {
  std::vector<Result<SequencedPutAnswer>> answers;
  answers.reserve(requests.size());
  for (const SequencedPutRequest& request : requests) {
    Status refused = CheckSequencedPut(request);
    if (refused.ok()) refused = co_await Enter(context);
    if (refused.ok()) {
      answers.push_back(backend_->SequencedPut(NowMs(), request));
    } else {
      answers.push_back(std::move(refused));
    }
  }
  co_await Yield(runtime_);
  co_return answers;
}

Task<Result<std::shared_ptr<MetadataSession>>> MemoryMetadataStore::OpenSession(OpContext context, Duration timeout) {
  LS_CO_TRY(CheckSessionTimeout(timeout));
  LS_CO_TRY(co_await Enter(std::move(context)));
  std::shared_ptr<MetadataSession> session =
      std::make_shared<MemorySession>(runtime_, backend_, backend_->OpenSession(client_));
  co_return session;
}

std::uint64_t MemoryMetadataStore::ChangeHint(const Partition& partition) { return backend_->ChangeHint(partition); }

Task<Status> MemoryMetadataStore::AwaitChange(OpContext context, Partition partition, std::uint64_t seen) {
  if (context.cancel.stop_requested()) co_return Cancelled("the operation was cancelled");
  const auto event = std::make_shared<Event>(runtime_.executor);
  const Watching watching(*backend_, partition, event);
  backend_->Watch(partition, seen, event);
  const Status ended = co_await event->WaitFor(std::move(context));
  co_return ended.code() == StatusCode::kCancelled ? ended : OkStatus();
}

std::vector<Partition> MemoryMetadataStore::ShardPartitions() const {
  return PartitionOfEachShard(backend_->shards());
}

MetadataCapabilities MemoryMetadataStore::capabilities() const {
  MetadataCapabilities capabilities;
  capabilities.guarded_writes = true;
  capabilities.definite_answers = true;
  return capabilities;
}

}  // namespace lakestream
