#include "sim/process.h"

#include <utility>

#include "base/invariant.h"
#include "meta/wrap/metadata_op.h"
#include "objstore/wrap/object_op.h"

namespace lakestream::sim {

Far::Far(SimScheduler& scheduler, int shards)
    : runtime(scheduler.AddNode("far").runtime()),
      backend(std::make_shared<MemoryMetadataBackend>(MemoryMetadataOptions{shards})),
      meta(runtime, backend),
      unguarded(meta),
      objects(runtime),
      heartbeats(runtime, backend) {}

/// Tells of every PUT that is asked for.
class Process::WatchedObjects final : public ForwardingObjectStore {
 public:
  WatchedObjects(ObjectStore& inner, std::string process, Observer& observer)
      : ForwardingObjectStore(inner), process_(std::move(process)), observer_(observer) {}
  Task<Status> Put(OpContext context, std::string key, BufferChain bytes, PutMode mode) override {
    observer_.OnObjectPut(process_, key);
    return ForwardingObjectStore::Put(std::move(context), std::move(key), std::move(bytes), mode);
  }

 private:
  const std::string process_;
  Observer& observer_;
};

/// Tells of every lease record that is asked for.
class Process::WatchedMetadata final : public ForwardingMetadataStore {
 public:
  WatchedMetadata(MetadataStore& inner, std::string process, Observer& observer)
      : ForwardingMetadataStore(inner), process_(std::move(process)), observer_(observer) {}
  Task<Result<WriteAnswer>> CreateEphemeral(OpContext context, Partition partition, std::string key, Buffer value,
                                            std::shared_ptr<MetadataSession> session) override {
    observer_.OnLease(process_, key);
    return ForwardingMetadataStore::CreateEphemeral(std::move(context), std::move(partition), std::move(key),
                                                    std::move(value), std::move(session));
  }

 private:
  const std::string process_;
  Observer& observer_;
};

Process::Process(SimScheduler& scheduler, Far& far, const Plan& plan, std::string name, int life, Observer& observer)
    : plan_(plan),
      far_(far),
      node_(scheduler.AddNode(name)),
      title_(name + "." + std::to_string(life)),
      meta_(node_.runtime(), far.backend),
      objects_(node_.runtime(), far.objects),
      meta_faults_(node_.runtime()),
      object_faults_(node_.runtime()) {
  Runtime& runtime = node_.runtime();
  MetadataStore* near = &meta_;
  MetadataStore* far_meta = &far.meta;
  if (!plan.guarded) {
    unguarded_ = std::make_unique<UnguardedMetadataStore>(meta_);
    near = unguarded_.get();
    far_meta = &far.unguarded;
  }
  faulty_meta_ = std::make_unique<FaultMetadataStore>(runtime, *near, meta_faults_, far.runtime, *far_meta);
  MetadataStore* leased = faulty_meta_.get();
  if (!plan.guarded) {
    heartbeats_ = std::make_unique<HeartbeatMetadataStore>(runtime, *faulty_meta_, far.heartbeats);
    leased = heartbeats_.get();
  }
  watched_meta_ = std::make_unique<WatchedMetadata>(*leased, title_, observer);
  faulty_objects_ = std::make_unique<FaultObjectStore>(runtime, objects_, object_faults_, far.runtime, far.objects);
  watched_ = std::make_unique<WatchedObjects>(*faulty_objects_, title_, observer);
  leases_ = std::make_unique<LeaseKeeper>(runtime, *watched_meta_, plan.writer);
  Result<std::unique_ptr<LogWriter>> writer =
      LogWriter::Open(runtime, *watched_meta_, *watched_, *leases_, plan.writer);
  LS_INVARIANT(writer.ok(), "a plan has options that a writer takes");
  writer_ = *std::move(writer);
  reader_ = std::make_unique<LogReader>(runtime, *watched_meta_, *faulty_objects_, plan.reader);
  leases_->Start();
  writer_->Start();
}

Process::~Process() {
  if (alive()) node_.Kill();
}

WriterStats Process::stats() const { return writer_ ? writer_->stats() : last_stats_; }

void Process::Trouble(Random& random) {
  chance_ = &random;
  meta_faults_.Randomize(plan_.metadata, random);
  object_faults_.Randomize(plan_.objects, random);
}

void Process::CutOff(bool objects, bool metadata) {
  const Duration late = std::chrono::seconds(30);
  if (metadata) {
    const MetadataFault fault = plan_.guarded ? MetadataFault::FailUnavailable() : MetadataFault::ApplyLate(late);
    for (const MetadataOp op : kMetadataOps) meta_faults_.Always(op, "", fault);
  }
  if (objects) {
    for (const ObjectOp op : kObjectOps) object_faults_.Always(op, "", Fault::ApplyLate(late));
  }
}

void Process::Mend() {
  meta_faults_.Heal();
  object_faults_.Heal();
  if (chance_ != nullptr) Trouble(*chance_);
}

void Process::Heal() {
  chance_ = nullptr;
  Mend();
}

void Process::Kill() {
  last_stats_ = writer_->stats();
  node_.Kill();
  reader_.reset();
  writer_.reset();
  leases_.reset();
  if (plan_.guarded) far_.backend->ExpireClient(meta_.client_id());
}

Task<Status> Process::Stop(OpContext context) {
  const Status writer = co_await writer_->Stop(context);
  const Status leases = co_await leases_->Stop(context);
  co_return writer.ok() ? leases : writer;
}

}  // namespace lakestream::sim
