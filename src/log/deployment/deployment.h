#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "format/deployment_record.h"
#include "lakestream/status.h"
#include "lakestream/task.h"
#include "log/catalog/stream_catalog.h"
#include "log/compactor/compactor.h"
#include "log/engine_options.h"
#include "log/gc/collector.h"
#include "log/lease/lease_keeper.h"
#include "log/log_homes.h"
#include "log/reader/log_reader.h"
#include "log/retention/retainer.h"
#include "log/trim/soft_trim.h"
#include "log/writer/log_writer.h"
#include "meta/metadata_store.h"
#include "meta/wrap/metrics_metadata_store.h"
#include "objstore/object_store.h"
#include "objstore/wrap/metrics_object_store.h"
#include "runtime/runtime.h"

namespace lakestream {

/// Where a deployment lives and how this process uses it.
struct DeploymentOptions {
  /// URLs: lmdb:///dir or memory: for the metadata, file:///dir or memory: for the objects.
  std::string metadata_url;
  std::string wal_url;
  std::string compacted_url;
  bool create = false;     ///< make the deployment where there is none
  bool check_metadata = true;  ///< false: to look inside even where it is damaged; nothing may be written then
  DeploymentTimes times;   ///< for a new deployment only; an existing one says its own
  std::string compactor_family = std::string(kCompactorFamily);  ///< for a new deployment only
  WriterOptions writer;    ///< its times are taken from the deployment's record
  ReaderOptions reader;
};

/// What the parts have counted since Open. Of the stores it is what reaches them: each try of a call that is tried again.
struct DeploymentStats {
  Duration age{};  ///< since Open
  MetadataStoreMetrics metadata;
  ObjectStoreMetrics wal;
  ObjectStoreMetrics compacted;
  WriterStats writer;
  WriterLatency writer_latency;
  ReaderStats reader;
  LeaseStats leases;
};

/// A deployment, opened: stores with their wrappers, checked against the deployment's record, and the
/// engine on top. Thread safety: any thread between Open and Stop.
class Deployment {
 public:
  /// Errors: not_found (no deployment there), precondition_failed (it has other roots), unimplemented (a newer
  /// format), corrupt (also: objects without their metadata), unavailable (also: a root is missing).
  static Task<Result<std::unique_ptr<Deployment>>> Open(Runtime& runtime, DeploymentOptions options);
  ~Deployment();

  /// Ends what is under way, as LogWriter::Stop and LeaseKeeper::Stop do. Call it before the end.
  Task<Status> Stop(OpContext context);

  StreamCatalog& catalog();
  LogWriter& writer();
  LogReader& reader();
  Task<Result<SoftTrimOutcome>> SoftTrim(OpContext context, LogId log, Offset through);

  /// What suits this deployment: what a small range costs where its objects are, and its writers' settle_time.
  CompactorOptions DefaultCompactorOptions() const;
  /// A compactor of this deployment. Stop it, and let it go, before the deployment. Errors: precondition_failed (the
  /// deployment's record names compactors of another family).
  Result<std::unique_ptr<Compactor>> MakeCompactor(CompactorOptions options);
  /// What suits this deployment: its writers' settle_time.
  RetainerOptions DefaultRetainerOptions() const;
  /// A retainer of this deployment. Let it go before the deployment.
  std::unique_ptr<Retainer> MakeRetainer(RetainerOptions options);

  /// What suits this deployment: its grace, and the boot that its processes share, where they do.
  CollectorOptions DefaultCollectorOptions() const;
  /// A collector of this deployment. Let it go before the deployment.
  std::unique_ptr<Collector> MakeCollector(CollectorOptions options);

  const std::string& id() const;  ///< the deployment's UUID
  const DeploymentRecord& record() const;
  const DeploymentOptions& options() const;  ///< with the times of the record

  /// Thread safety: any thread, until the deployment goes.
  DeploymentStats stats() const;

  /// Checks every record of the metadata store and gives their number. Errors: corrupt, with what differs;
  /// unimplemented where the store has no such check.
  Task<Result<std::uint64_t>> VerifyMetadata(OpContext context);

  /// Copies the metadata store into a new file, as one snapshot, while others go on writing. Errors: unimplemented where
  /// the store cannot do that; fenced (the store was moved away); unavailable; resource_exhausted.
  Task<Status> CopyMetadata(OpContext context, std::string file);

  /// The stores beneath, for looking inside: what is written past the engine breaks its rules.
  MetadataStore& metadata();
  ObjectStore& wal();
  ObjectStore& compacted();
  LogHomes& homes();
  /// The file of a WAL object, where objects are files: the store itself gives nothing of a damaged one.
  std::optional<std::string> WalFile(const std::string& key) const;

  struct Parts;
  explicit Deployment(std::unique_ptr<Parts> parts);

 private:
  std::unique_ptr<Parts> parts_;
};

}  // namespace lakestream
