#include "meta/lmdb/lmdb_metadata_store.h"

#include <limits>
#include <utility>

#include "base/try.h"
#include "meta/checks.h"
#include "meta/lmdb/lmdb_environment.h"
#include "meta/lmdb/lmdb_session.h"
#include "meta/lmdb/snapshot_reads.h"
#include "meta/shard.h"

namespace lakestream {
namespace {

// Measured: a lookup takes 1 to 3 us from the page cache, the way to the pool and back about 20.
constexpr std::size_t kMaxInlineReads = 64;
constexpr int kMaxInlinePage = 64;
/// Some 0.2 ms.
constexpr unsigned kInlineReadsInATurn = 128;
/// Each round ends at least one dead session or follows a change of the map.
constexpr int kMaxReadRounds = 100;

std::optional<SessionNumber> GuardOf(const WriteGuard& guard) {
  if (!guard.session) return std::nullopt;
  return ParseSessionId(guard.session->id());
}

WriteOp MakeOp(const LmdbEnvironment& environment, WriteOp::Kind kind, const Partition& partition, std::string key) {
  WriteOp op;
  op.kind = kind;
  op.shard = ShardOf(partition, environment.shards());
  op.slot = ChangeHub::SlotOf(partition);
  op.key = std::move(key);
  return op;
}

Task<Result<WriteOp>> ExecuteOne(LmdbEnvironment& environment, OpContext context, WriteOp op) {
  auto request = std::make_shared<WriteRequest>(environment.runtime().executor, context);
  request->ops.push_back(std::move(op));
  LS_CO_TRY(co_await environment.writer().Execute(std::move(context), request));
  LS_CO_TRY(request->ops.front().status);
  co_return std::move(request->ops.front());
}

Task<Result<WriteAnswer>> ExecuteWrite(LmdbEnvironment& environment, OpContext context, WriteOp op) {
  LS_CO_ASSIGN(const WriteOp done, co_await ExecuteOne(environment, std::move(context), std::move(op)));
  co_return done.answer;
}

Task<Status> Clear(LmdbEnvironment& environment, OpContext context, ReadObstacles obstacles) {
  if (obstacles.map_changed) co_return co_await environment.FollowMap(std::move(context));
  co_return co_await environment.EndDeadSessions(std::move(context), std::move(obstacles.dead));
}

/// Counts the reads that this thread does itself.
bool IsTurnOver() {
  thread_local unsigned reads = 0;
  return ++reads % kInlineReadsInATurn == 0;
}

/// Runs a read on this thread, or on the pool. A loop of reads on this thread still suspends now and then: others get
/// their turn, and without optimization each read costs stack until then (ADR 0002).
template <class F>
Task<std::invoke_result_t<F&>> RunRead(Runtime& runtime, bool on_this_thread, F read) {
  if (!on_this_thread) co_return co_await RunBlocking(runtime, std::move(read));
  if (IsTurnOver()) co_await Yield(runtime);
  co_return read();
}

}  // namespace

Task<Result<std::unique_ptr<LmdbMetadataStore>>> LmdbMetadataStore::Open(Runtime& runtime, OpContext context,
                                                                         LmdbOptions options) {
  LS_CO_ASSIGN(std::shared_ptr<LmdbEnvironment> environment,
               co_await LmdbEnvironment::Open(runtime, std::move(context), std::move(options)));
  co_return std::unique_ptr<LmdbMetadataStore>(new LmdbMetadataStore(runtime, std::move(environment)));
}

LmdbMetadataStore::LmdbMetadataStore(Runtime& runtime, std::shared_ptr<LmdbEnvironment> environment)
    : runtime_(runtime), environment_(std::move(environment)) {}

LmdbMetadataStore::~LmdbMetadataStore() { Leave(); }

bool LmdbMetadataStore::Leave() {
  if (stopped_.exchange(true)) return false;
  std::vector<SessionNumber> sessions;
  {
    const std::lock_guard lock(mutex_);
    sessions.swap(sessions_);
  }
  for (const SessionNumber session : sessions) environment_->locks().Release(session);
  return environment_->Detach();
}

Task<Status> LmdbMetadataStore::Stop(OpContext context) {
  if (!Leave()) co_return OkStatus();
  co_return co_await environment_->writer().Stop(std::move(context));
}

Task<Result<std::uint64_t>> LmdbMetadataStore::Verify(OpContext context) {
  LS_CO_TRY(Enter(context));
  co_return co_await environment_->Verify(std::move(context), std::numeric_limits<std::uint64_t>::max());
}

Task<Status> LmdbMetadataStore::CopyTo(OpContext context, std::string file) {
  LS_CO_TRY(Enter(context));
  co_return co_await environment_->CopyTo(std::move(context), std::move(file));
}

Task<Result<std::uint64_t>> LmdbMetadataStore::ClaimCopy(OpContext context, std::int64_t least_version,
                                                         std::int64_t skip) {
  LS_CO_TRY(Enter(context));
  co_return co_await environment_->ClaimCopy(std::move(context), least_version, skip);
}

int LmdbMetadataStore::shards() const { return environment_->shards(); }
LmdbStats LmdbMetadataStore::stats() const { return environment_->stats(); }

Status LmdbMetadataStore::Enter(const OpContext& context) const {
  if (stopped_.load()) return Unavailable("the metadata store was stopped");
  LS_TRY(environment_->CheckProcess());
  return context.Check(runtime_.Now());
}

Task<Result<std::vector<ReadAnswer>>> LmdbMetadataStore::Read(OpContext context, std::vector<ReadRequest> requests) {
  LS_CO_TRY(CheckReads(requests));
  const bool on_this_thread = requests.size() <= kMaxInlineReads;
  // Shares all it uses: on the pool it may outlive this coroutine.
  auto read = [env = environment_, requests = std::make_shared<const std::vector<ReadRequest>>(std::move(requests))] {
    ReadObstacles obstacles;
    auto answers = ReadSnapshot(env->map(), env->locks(), env->shards(), *requests, &obstacles);
    return std::make_pair(std::move(answers), std::move(obstacles));
  };
  for (int round = 0; round < kMaxReadRounds; ++round) {
    LS_CO_TRY(Enter(context));
    auto [answers, obstacles] = co_await RunRead(runtime_, on_this_thread, read);
    if (!answers.ok() || !obstacles.any()) co_return std::move(answers);
    LS_CO_TRY(co_await Clear(*environment_, context, std::move(obstacles)));
  }
  co_return Unavailable("dead sessions turned up faster than they could be ended");
}

Task<Result<ScanPage>> LmdbMetadataStore::ReadPage(OpContext context, KeyRange range, std::string cursor, int limit,
                                                   bool values) {
  LS_CO_TRY(CheckMetadataPage(range, limit));
  const bool on_this_thread = limit <= kMaxInlinePage;
  auto read = [env = environment_, range = std::make_shared<const KeyRange>(std::move(range)),
               cursor = std::move(cursor), limit, values] {
    ReadObstacles obstacles;
    auto page = ScanSnapshot(env->map(), env->locks(), env->shards(), *range, cursor, limit, values, &obstacles);
    return std::make_pair(std::move(page), std::move(obstacles));
  };
  for (int round = 0; round < kMaxReadRounds; ++round) {
    LS_CO_TRY(Enter(context));
    auto [page, obstacles] = co_await RunRead(runtime_, on_this_thread, read);
    if (!page.ok() || !obstacles.any()) co_return std::move(page);
    LS_CO_TRY(co_await Clear(*environment_, context, std::move(obstacles)));
  }
  co_return Unavailable("dead sessions turned up faster than they could be ended");
}

Task<Result<ScanPage>> LmdbMetadataStore::Scan(OpContext context, KeyRange range, std::string cursor, int limit) {
  co_return co_await ReadPage(std::move(context), std::move(range), std::move(cursor), limit, true);
}

Task<Result<KeyPage>> LmdbMetadataStore::List(OpContext context, KeyRange range, std::string cursor, int limit) {
  LS_CO_ASSIGN(ScanPage records,
               co_await ReadPage(std::move(context), std::move(range), std::move(cursor), limit, false));
  KeyPage page;
  page.keys.reserve(records.records.size());
  for (MetadataRecord& record : records.records) page.keys.push_back(std::move(record.key));
  page.next = std::move(records.next);
  co_return page;
}

Task<Result<WriteAnswer>> LmdbMetadataStore::Put(OpContext context, Partition partition, std::string key,
                                                 Buffer value, WriteGuard guard) {
  LS_CO_TRY(CheckMetadataWrite(key, value));
  LS_CO_TRY(Enter(context));
  WriteOp op = MakeOp(*environment_, WriteOp::Kind::kPut, partition, std::move(key));
  op.value = std::move(value);
  op.guard = GuardOf(guard);
  co_return co_await ExecuteWrite(*environment_, std::move(context), std::move(op));
}

Task<Result<WriteAnswer>> LmdbMetadataStore::CreateIfAbsent(OpContext context, Partition partition, std::string key,
                                                            Buffer value, WriteGuard guard) {
  LS_CO_TRY(CheckMetadataWrite(key, value));
  LS_CO_TRY(Enter(context));
  WriteOp op = MakeOp(*environment_, WriteOp::Kind::kCreate, partition, std::move(key));
  op.value = std::move(value);
  op.guard = GuardOf(guard);
  co_return co_await ExecuteWrite(*environment_, std::move(context), std::move(op));
}

Task<Result<WriteAnswer>> LmdbMetadataStore::CreateEphemeral(OpContext context, Partition partition, std::string key,
                                                             Buffer value, std::shared_ptr<MetadataSession> session) {
  if (!session) co_return InvalidArgument("an ephemeral record needs a session").With("key", key);
  LS_CO_TRY(CheckMetadataWrite(key, value));
  LS_CO_TRY(Enter(context));
  WriteOp op = MakeOp(*environment_, WriteOp::Kind::kCreate, partition, std::move(key));
  op.value = std::move(value);
  op.session = ParseSessionId(session->id());
  op.guard = op.session;
  co_return co_await ExecuteWrite(*environment_, std::move(context), std::move(op));
}

Task<Result<WriteAnswer>> LmdbMetadataStore::CompareAndSet(OpContext context, Partition partition, std::string key,
                                                           Buffer value, std::int64_t version, WriteGuard guard) {
  LS_CO_TRY(CheckExpectedVersion(version));
  LS_CO_TRY(CheckMetadataWrite(key, value));
  LS_CO_TRY(Enter(context));
  WriteOp op = MakeOp(*environment_, WriteOp::Kind::kCompareAndSet, partition, std::move(key));
  op.value = std::move(value);
  op.version = version;
  op.guard = GuardOf(guard);
  co_return co_await ExecuteWrite(*environment_, std::move(context), std::move(op));
}

Task<Status> LmdbMetadataStore::Delete(OpContext context, Partition partition, std::string key, WriteGuard guard) {
  LS_CO_TRY(CheckMetadataKey(key));
  LS_CO_TRY(Enter(context));
  WriteOp op = MakeOp(*environment_, WriteOp::Kind::kDelete, partition, std::move(key));
  op.guard = GuardOf(guard);
  const Result<WriteAnswer> done = co_await ExecuteWrite(*environment_, std::move(context), std::move(op));
  co_return done.status();
}

Task<Status> LmdbMetadataStore::DeleteRange(OpContext context, Partition partition, std::string from, std::string to,
                                            WriteGuard guard) {
  LS_CO_TRY(CheckMetadataRange(from, to));
  LS_CO_TRY(Enter(context));
  if (!MetadataKeyLess(from, to)) co_return OkStatus();
  WriteOp op = MakeOp(*environment_, WriteOp::Kind::kDeleteRange, partition, std::move(from));
  op.to = std::move(to);
  op.guard = GuardOf(guard);
  const Result<WriteAnswer> done = co_await ExecuteWrite(*environment_, std::move(context), std::move(op));
  co_return done.status();
}

Task<std::vector<Result<SequencedPutAnswer>>> LmdbMetadataStore::SequencedPut(
    OpContext context, std::vector<SequencedPutRequest> requests) {
  std::vector<Result<SequencedPutAnswer>> answers;
  answers.reserve(requests.size());
  auto batch = std::make_shared<WriteRequest>(runtime_.executor, context);
  batch->ops.reserve(requests.size());
  std::vector<Status> refused;
  refused.reserve(requests.size());
  for (SequencedPutRequest& request : requests) {
    refused.push_back(CheckSequencedPut(request));
    if (!refused.back().ok()) continue;
    WriteOp op =
        MakeOp(*environment_, WriteOp::Kind::kSequencedPut, request.partition, std::move(request.prefix));
    op.value = std::move(request.value);
    op.first_delta = request.first_delta;
    op.second_delta = request.second_delta;
    op.guard = GuardOf(request.guard);
    op.admit = std::move(request.admit);
    batch->ops.push_back(std::move(op));
  }
  Status whole = Enter(context);
  if (whole.ok() && !batch->ops.empty()) {
    auto executing = environment_->writer().Execute(std::move(context), batch);
    whole = co_await executing;
  }
  std::size_t next = 0;
  for (const Status& refusal : refused) {
    if (!refusal.ok()) {
      answers.emplace_back(refusal);
      continue;
    }
    WriteOp& op = batch->ops[next++];
    const Status& status = whole.ok() ? op.status : whole;
    if (status.ok()) {
      answers.emplace_back(
          SequencedPutAnswer{std::move(op.made_key), op.answer.version, op.answer.created_ms});
    } else {
      answers.emplace_back(status);
    }
  }
  co_return answers;
}

Task<Result<std::shared_ptr<MetadataSession>>> LmdbMetadataStore::OpenSession(OpContext context, Duration timeout) {
  LS_CO_TRY(CheckSessionTimeout(timeout));
  LS_CO_TRY(Enter(context));
  WriteOp op;
  op.kind = WriteOp::Kind::kOpenSession;
  LS_CO_ASSIGN(const WriteOp done, co_await ExecuteOne(*environment_, std::move(context), std::move(op)));
  SessionLocks& locks = environment_->locks();
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(sessions_, [&locks](SessionNumber session) { return !locks.IsOwn(session); });
    sessions_.push_back(done.made_session);
  }
  std::shared_ptr<MetadataSession> session =
      std::make_shared<LmdbSession>(runtime_, environment_, done.made_session);
  co_return session;
}

std::uint64_t LmdbMetadataStore::ChangeHint(const Partition& partition) {
  return environment_->hub().Hint(ChangeHub::SlotOf(partition));
}

Task<Status> LmdbMetadataStore::AwaitChange(OpContext context, Partition partition, std::uint64_t seen) {
  if (context.cancel.stop_requested()) co_return Cancelled("the operation was cancelled");
  const std::shared_ptr<LmdbEnvironment> env = environment_;
  const std::shared_ptr<Event> changed = env->hub().Watch(ChangeHub::SlotOf(partition), seen);
  if (!changed) co_return OkStatus();
  env->FollowOthers();
  const Status ended = co_await changed->WaitFor(std::move(context));
  co_return ended.code() == StatusCode::kCancelled ? ended : OkStatus();
}

std::vector<Partition> LmdbMetadataStore::ShardPartitions() const { return PartitionOfEachShard(shards()); }

MetadataCapabilities LmdbMetadataStore::capabilities() const {
  MetadataCapabilities capabilities;
  capabilities.guarded_writes = true;
  capabilities.definite_answers = true;
  return capabilities;
}

}  // namespace lakestream
