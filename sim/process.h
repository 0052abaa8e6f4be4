#pragma once

#include <memory>
#include <string>
#include <vector>

#include "log/catalog/stream_catalog.h"
#include "log/compactor/compactor.h"
#include "log/gc/collector.h"
#include "log/lease/lease_keeper.h"
#include "log/fsck/fsck.h"
#include "log/plain_log_homes.h"
#include "log/reader/log_reader.h"
#include "log/retention/retainer.h"
#include "log/trim/hard_trim.h"
#include "log/trim/soft_trim.h"
#include "log/writer/log_writer.h"
#include "meta/memory/memory_metadata_store.h"
#include "meta/wrap/fault_metadata_store.h"
#include "meta/wrap/unguarded_metadata_store.h"
#include "objstore/memory/memory_object_store.h"
#include "objstore/wrap/fault_object_store.h"
#include "objstore/wrap/retry_object_store.h"
#include "runtime/scratch.h"
#include "runtime/sim/sim_runtime.h"
#include "sim/damaged_reads.h"
#include "sim/evidence.h"
#include "sim/heartbeat_sessions.h"
#include "sim/near_metadata_store.h"
#include "sim/plan.h"

namespace lakestream::sim {

/// What all processes share: the stores, and the place where calls go on whose process is gone.
struct Far {
  explicit Far(SimScheduler& scheduler, int shards);

  Runtime& runtime;
  std::shared_ptr<MemoryMetadataBackend> backend;
  MemoryMetadataStore meta;
  UnguardedMetadataStore unguarded;
  MemoryObjectStore objects;
  MemoryObjectStore compacted;
  HeartbeatServer heartbeats;
  WriteLock lock;
};

/// One life of a simulated process: the real engine over its own view of the stores.
class Process {
 public:
  /// Is told what a process asks the stores for, whatever becomes of it.
  class Observer : public NearMetadataStore::Observer {
   public:
    virtual void OnObjectPut(const std::string& process, const std::string& object) = 0;
    virtual void OnLease(const std::string& process, const std::string& key) = 0;
    /// A PUT that its process has given up on took effect.
    virtual void OnLatePut(const std::string& process, const std::string& object, const BufferChain& bytes) = 0;
    virtual void OnBatch(std::size_t done, std::size_t failed) = 0;
    virtual void OnDamage() = 0;
    /// An upload to the compacted store begins.
    virtual void OnUpload(const std::string& object) = 0;
    /// A pass of a collector makes its record.
    virtual void OnCollection(const std::string& process, const std::string& key) = 0;
  };

  /// `far`, `plan` and `observer` outlive this.
  Process(SimScheduler& scheduler, Far& far, const Plan& plan, std::string name, int life, Observer& observer);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  SimNode& node() { return node_; }
  const SimNode& node() const { return node_; }
  /// Name and life.
  const std::string& title() const { return title_; }
  const std::string& name() const { return node_.name(); }
  bool alive() const { return node_.alive(); }
  LogWriter& writer() { return *engine_.writer; }
  LogReader& reader() { return *engine_.reader; }
  /// The stores as the engine sees them.
  MetadataStore& meta() { return *watched_meta_; }
  ObjectStore& objects();
  FsckStores Stores() { return FsckStores{meta(), objects(), *retried_compacted_, homes_}; }
  StreamCatalog& catalog() { return *catalog_; }
  WriterStats stats() const;
  /// Adds how often its compactors took each cell of their tables.
  void AddCells(CompactionCells& cells) const;
  /// Adds what its fault plans met.
  void AddFaults(Met& met) const;

  /// Draws its own faults by chance from now on.
  void Trouble(Random& random);
  /// A store answers no more, though what is sent to it arrives late; a guarded metadata store refuses. Until Mend.
  void CutOff(bool objects, bool metadata);
  void Mend();
  /// No faults at all from now on.
  void Heal();
  /// The store ends them at once, whatever the process is doing.
  void LoseSessions() { far_.backend->ExpireClient(meta_.client_id()); }

  /// kill -9. Its sessions end at once on a guarded store, else when they were silent for long enough.
  void Kill();
  Task<Status> Stop(OpContext context);
  /// As Deployment::SoftTrim.
  Task<Result<SoftTrimOutcome>> Trim(OpContext context, LogId log, Offset through);
  Task<Result<HardTrimOutcome>> TrimHard(OpContext context, LogId log, Offset through);
  /// Requires: the plan has compactors.
  Task<Result<CompactionTotals>> Compact(OpContext context, std::vector<LogId> logs, CompactionObserver observer);
  /// Requires: the plan collects.
  Task<Result<CollectionReport>> Collect(OpContext context, CollectionObserver observer);
  /// Lets all these logs go as the plan says.
  Task<Status> Retain(OpContext context, std::vector<LogId> logs);
  /// Stops compactor, writer, leases and reader as Deployment::Stop does, with appends and reads under way (a trim is waited for),
  /// gives what is under way so much time, and starts new ones. Nothing while that goes on already.
  Task<void> Restart(Duration limit);

 private:
  class WatchedObjects;
  class LateObjects;
  class WatchedCompacted;
  class WatchedMetadata;
  struct Engine {
    std::unique_ptr<LeaseKeeper> leases;
    std::unique_ptr<LogWriter> writer;
    std::unique_ptr<LogReader> reader;
    std::unique_ptr<Compactor> compactor;  ///< null where the plan has none
    std::unique_ptr<Retainer> retainer;    ///< null where the plan has none
  };
  void StartEngine();

  const Plan& plan_;
  Far& far_;
  SimNode& node_;
  const std::string title_;
  MemoryMetadataStore meta_;
  MemoryObjectStore objects_;
  MemoryObjectStore compacted_;
  PlainLogHomes homes_;
  MetadataFaultPlan meta_faults_;
  FaultPlan object_faults_;
  FaultPlan compacted_faults_;
  std::unique_ptr<NearMetadataStore> near_meta_;
  std::unique_ptr<UnguardedMetadataStore> unguarded_;
  std::unique_ptr<FaultMetadataStore> faulty_meta_;
  std::unique_ptr<HeartbeatMetadataStore> heartbeats_;
  std::unique_ptr<MetadataStore> watched_meta_;  ///< what the engine uses
  std::unique_ptr<StreamCatalog> catalog_;
  std::unique_ptr<LateObjects> late_objects_;
  std::unique_ptr<FaultObjectStore> faulty_objects_;
  std::unique_ptr<WatchedObjects> watched_;
  std::unique_ptr<DamagedReads> damaged_;
  std::unique_ptr<RetryObjectStore> collected_;  ///< the objects as a collector sees them
  std::unique_ptr<FaultObjectStore> faulty_compacted_;
  std::unique_ptr<WatchedCompacted> watched_compacted_;
  std::unique_ptr<RetryObjectStore> retried_compacted_;
  MemoryScratchSpace scratch_;
  std::unique_ptr<Collector> collector_;  ///< null where the plan has none
  Engine engine_;
  std::vector<Engine> retired_;  ///< stopped; calls that began before may still use them
  bool restarting_ = false;
  int trims_ = 0;  ///< under way
  WriterStats last_stats_;
  CompactionCells last_cells_;
  Random* chance_ = nullptr;
};

}  // namespace lakestream::sim
