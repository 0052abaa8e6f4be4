#include "sim/process.h"

#include <utility>

#include "base/invariant.h"
#include "format/collection_records.h"
#include "meta/wrap/metadata_op.h"
#include "objstore/wrap/object_op.h"
#include "sim/compacted_key.h"

namespace lakestream::sim {
namespace {

constexpr Duration kLook = std::chrono::milliseconds(10);
/// What a deployment leaves for its leases where the writer used up all the time.
constexpr Duration kLastSteps = std::chrono::seconds(5);

}  // namespace

Far::Far(SimScheduler& scheduler, int shards)
    : runtime(scheduler.AddNode("far").runtime()),
      backend(std::make_shared<MemoryMetadataBackend>(MemoryMetadataOptions{shards})),
      meta(runtime, backend),
      unguarded(meta),
      objects(runtime),
      compacted(runtime),
      heartbeats(runtime, backend),
      lock(runtime) {}

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

/// The objects where PUTs arrive that their process has given up on.
class Process::LateObjects final : public ForwardingObjectStore {
 public:
  LateObjects(ObjectStore& inner, std::string process, Observer& observer)
      : ForwardingObjectStore(inner), process_(std::move(process)), observer_(observer) {}
  Task<Status> Put(OpContext context, std::string key, BufferChain bytes, PutMode mode) override {
    const Status put = co_await ForwardingObjectStore::Put(std::move(context), key, bytes, mode);
    if (put.ok()) observer_.OnLatePut(process_, key, bytes);
    co_return put;
  }

 private:
  const std::string process_;
  Observer& observer_;
};

/// Tells of every upload of a compacted object that begins.
class Process::WatchedCompacted final : public ForwardingObjectStore {
 public:
  WatchedCompacted(ObjectStore& inner, Observer& observer) : ForwardingObjectStore(inner), observer_(observer) {}
  Task<Status> Put(OpContext context, std::string key, BufferChain bytes, PutMode mode) override {
    observer_.OnUpload(key);
    return ForwardingObjectStore::Put(std::move(context), std::move(key), std::move(bytes), mode);
  }
  Task<Result<std::unique_ptr<ObjectUpload>>> StartUpload(OpContext context, std::string key, PutMode mode) override {
    observer_.OnUpload(key);
    return ForwardingObjectStore::StartUpload(std::move(context), std::move(key), mode);
  }

 private:
  Observer& observer_;
};

/// Tells of every lease record that is asked for, and how batches end.
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
  Task<Result<WriteAnswer>> CreateIfAbsent(OpContext context, Partition partition, std::string key, Buffer value,
                                           WriteGuard guard) override {
    if (NumberOfCollectionPassKey(key)) observer_.OnCollection(process_, key);
    return ForwardingMetadataStore::CreateIfAbsent(std::move(context), std::move(partition), std::move(key),
                                                   std::move(value), std::move(guard));
  }
  Task<std::vector<Result<SequencedPutAnswer>>> SequencedPut(OpContext context,
                                                             std::vector<SequencedPutRequest> requests) override {
    std::vector<Result<SequencedPutAnswer>> answers =
        co_await ForwardingMetadataStore::SequencedPut(std::move(context), std::move(requests));
    std::size_t done = 0;
    for (const Result<SequencedPutAnswer>& answer : answers) done += answer.ok() ? 1 : 0;
    observer_.OnBatch(done, answers.size() - done);
    co_return answers;
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
      compacted_(node_.runtime(), far.compacted),
      meta_faults_(node_.runtime()),
      object_faults_(node_.runtime()),
      compacted_faults_(node_.runtime()) {
  Runtime& runtime = node_.runtime();
  near_meta_ = std::make_unique<NearMetadataStore>(runtime, meta_, far.lock, title_, observer);
  MetadataStore* near = near_meta_.get();
  MetadataStore* far_meta = &far.meta;
  if (!plan.guarded) {
    unguarded_ = std::make_unique<UnguardedMetadataStore>(*near_meta_);
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
  catalog_ = std::make_unique<StreamCatalog>(runtime, *watched_meta_, plan.catalog_options);
  late_objects_ = std::make_unique<LateObjects>(far.objects, title_, observer);
  faulty_objects_ = std::make_unique<FaultObjectStore>(runtime, objects_, object_faults_, far.runtime, *late_objects_);
  watched_ = std::make_unique<WatchedObjects>(*faulty_objects_, title_, observer);
  damaged_ = std::make_unique<DamagedReads>(*faulty_objects_, objects_, [&observer] { observer.OnDamage(); });
  faulty_compacted_ =
      std::make_unique<FaultObjectStore>(runtime, compacted_, compacted_faults_, far.runtime, far.compacted);
  watched_compacted_ = std::make_unique<WatchedCompacted>(*faulty_compacted_, observer);
  retried_compacted_ = std::make_unique<RetryObjectStore>(runtime, *watched_compacted_, RetryOptions());
  if (plan.collects) {
    collected_ = std::make_unique<RetryObjectStore>(runtime, *watched_, RetryOptions());
    const CollectorParts parts{runtime, *watched_meta_, *collected_, *retried_compacted_, *catalog_};
    collector_ = std::make_unique<Collector>(parts, plan.collector);
  }
  StartEngine();
}

void Process::StartEngine() {
  Runtime& runtime = node_.runtime();
  engine_.leases = std::make_unique<LeaseKeeper>(runtime, *watched_meta_, plan_.writer);
  Result<std::unique_ptr<LogWriter>> writer =
      LogWriter::Open(runtime, *watched_meta_, *watched_, *engine_.leases, plan_.writer);
  LS_INVARIANT(writer.ok(), "a plan has options that a writer takes");
  engine_.writer = *std::move(writer);
  engine_.reader = std::make_unique<LogReader>(runtime, *watched_meta_, *damaged_, *retried_compacted_, homes_,
                                                plan_.reader);
  if (plan_.compactors > 0) {
    const CompactorParts parts{runtime,           *watched_meta_, *watched_meta_, *damaged_, *retried_compacted_,
                               *engine_.leases, homes_,         scratch_};
    engine_.compactor = std::make_unique<Compactor>(parts, plan_.compactor);
  }
  if (plan_.retainers > 0) {
    const RetainerParts parts{runtime, *watched_meta_, *damaged_, *retried_compacted_, *engine_.leases, homes_};
    RetainerOptions options;
    options.settle_time = plan_.writer.settle_time;
    engine_.retainer = std::make_unique<Retainer>(parts, options);
  }
  engine_.leases->Start();
  engine_.writer->Start();
}

Process::~Process() {
  if (alive()) node_.Kill();
}

ObjectStore& Process::objects() { return *damaged_; }

WriterStats Process::stats() const {
  if (!engine_.writer) return last_stats_;
  WriterStats stats = engine_.writer->stats();
  for (const Engine& engine : retired_) {
    const WriterStats before = engine.writer->stats();
    for (std::size_t s = 0; s < stats.cells.size(); ++s) {
      for (std::size_t e = 0; e < stats.cells[s].size(); ++e) stats.cells[s][e] += before.cells[s][e];
    }
  }
  return stats;
}

void Process::AddCells(CompactionCells& cells) const {
  const auto add = [&cells](const CompactionCells& more) {
    for (int stand = 0; stand < model::kCompactionStands; ++stand) {
      for (int view = 0; view < model::kCompactionViews; ++view) cells.next[stand][view] += more.next[stand][view];
    }
    for (int step = 0; step < model::kInstallSteps; ++step) {
      for (int event = 0; event < model::kInstallEvents; ++event) cells.install[step][event] += more.install[step][event];
    }
  };
  add(last_cells_);
  if (engine_.compactor) add(engine_.compactor->cells());
  for (const Engine& engine : retired_) {
    if (engine.compactor) add(engine.compactor->cells());
  }
}

void Process::AddFaults(Met& met) const {
  for (int kind = 0; kind < kFaultKinds; ++kind) {
    for (const FaultPlan* plan : {&object_faults_, &compacted_faults_}) {
      met.objects[static_cast<std::size_t>(kind)] += plan->injected(static_cast<FaultKind>(kind));
    }
  }
  for (int kind = 0; kind < kMetadataFaultKinds; ++kind) {
    met.metadata[static_cast<std::size_t>(kind)] += meta_faults_.injected(static_cast<MetadataFaultKind>(kind));
  }
}

void Process::Trouble(Random& random) {
  chance_ = &random;
  meta_faults_.Randomize(plan_.metadata, random);
  FaultRates objects = plan_.objects;
  objects.flip_byte = 0;
  object_faults_.Randomize(objects, random);
  damaged_->Trouble(&random, plan_.objects.flip_byte);
  if (plan_.compactors > 0 || plan_.collects) compacted_faults_.Randomize(plan_.compacted, random);
  if (!plan_.stuck_log) return;
  for (const ObjectOp op : {ObjectOp::kPut, ObjectOp::kStartUpload}) {
    compacted_faults_.Always(op, CompactedKey(*plan_.stuck_log, ""), Fault::FailUnavailable());
  }
}

void Process::CutOff(bool objects, bool metadata) {
  const Duration late = std::chrono::seconds(30);
  if (metadata) {
    const MetadataFault fault = plan_.guarded ? MetadataFault::FailUnavailable() : MetadataFault::ApplyLate(late);
    for (const MetadataOp op : kMetadataOps) meta_faults_.Always(op, "", fault);
  }
  if (objects) {
    for (FaultPlan* plan : {&object_faults_, &compacted_faults_}) {
      for (const ObjectOp op : kObjectOps) plan->Always(op, "", Fault::ApplyLate(late));
    }
  }
}

void Process::Mend() {
  meta_faults_.Heal();
  object_faults_.Heal();
  compacted_faults_.Heal();
  damaged_->Trouble(nullptr, 0);
  if (chance_ != nullptr) Trouble(*chance_);
}

void Process::Heal() {
  chance_ = nullptr;
  Mend();
}

void Process::Kill() {
  last_stats_ = stats();
  CompactionCells cells;
  AddCells(cells);
  last_cells_ = cells;
  node_.Kill();
  collector_.reset();
  engine_ = Engine();
  retired_.clear();
  if (plan_.guarded) far_.backend->ExpireClient(meta_.client_id());
}

Task<Result<CompactionTotals>> Process::Compact(OpContext context, std::vector<LogId> logs,
                                                CompactionObserver observer) {
  if (restarting_) co_return Unavailable("the process is stopping");
  co_return co_await engine_.compactor->Pass(std::move(context), std::move(logs), std::move(observer));
}

Task<Status> Process::Stop(OpContext context) {
  if (engine_.compactor) {
    const Status compactor = co_await engine_.compactor->Stop(context);
    if (!compactor.ok()) co_return compactor;
  }
  const Status writer = co_await engine_.writer->Stop(context);
  const Status leases = co_await engine_.leases->Stop(context);
  co_return writer.ok() ? leases : writer;
}

Task<Result<SoftTrimOutcome>> Process::Trim(OpContext context, LogId log, Offset through) {
  if (restarting_) co_return Unavailable("the process is stopping");
  ++trims_;
  const Result<SoftTrimOutcome> outcome =
      co_await SoftTrim(node_.runtime(), *watched_meta_, *engine_.leases, std::move(context), log, through);
  --trims_;
  co_return outcome;
}

Task<Result<HardTrimOutcome>> Process::TrimHard(OpContext context, LogId log, Offset through) {
  if (restarting_) co_return Unavailable("the process is stopping");
  ++trims_;
  const Result<HardTrimOutcome> outcome =
      co_await HardTrim(node_.runtime(), *watched_meta_, *retried_compacted_, *engine_.leases, homes_,
                        std::move(context), log, through);
  --trims_;
  co_return outcome;
}

Task<Result<CollectionReport>> Process::Collect(OpContext context, CollectionObserver observer) {
  co_return co_await collector_->Pass(std::move(context), std::move(observer));
}

Task<Status> Process::Retain(OpContext context, std::vector<LogId> logs) {
  if (restarting_) co_return Unavailable("the process is stopping");
  std::vector<RetainedLog> retained;
  for (const LogId log : logs) {
    retained.push_back(RetainedLog{log, log == plan_.stuck_log ? model::RetentionRules() : plan_.retention});
  }
  const RetentionObserver nobody = [](const RetentionOutcome&) {};
  ++trims_;
  const Status passed = co_await engine_.retainer->Pass(std::move(context), std::move(retained), nobody);
  --trims_;
  co_return passed;
}

Task<void> Process::Restart(Duration limit) {
  if (std::exchange(restarting_, true)) co_return;
  Runtime& runtime = node_.runtime();
  while (trims_ > 0) {
    const Status slept = co_await SleepFor(runtime, OpContext(), kLook);
    if (!slept.ok()) co_return;
  }
  const OpContext soon = OpContext().WithDeadline(runtime.Now() + limit);
  if (engine_.compactor) (void)co_await engine_.compactor->Stop(soon);
  (void)co_await engine_.writer->Stop(soon);
  const OpContext last_steps = OpContext().WithDeadline(runtime.Now() + kLastSteps);
  (void)co_await engine_.leases->Stop(last_steps);
  // Whatever they left undone: a local store is closed with them, and its sessions end with it.
  if (plan_.guarded) LoseSessions();
  retired_.push_back(std::move(engine_));
  StartEngine();
  restarting_ = false;
}

}  // namespace lakestream::sim
