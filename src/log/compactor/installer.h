#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "format/compaction_record.h"
#include "log/compactor/cell_counter.h"
#include "log/lease/lease_keeper.h"
#include "meta/metadata_store.h"
#include "model/compaction_state.h"
#include "runtime/runtime.h"

namespace lakestream {

/// How an installation ended.
struct InstallEnd {
  model::InstallAction action = model::InstallAction::kLeave;  ///< kDone, or whatever else is not kDo or kImpossible
  /// What went wrong last; fenced: the owner's session has ended. kRetry: it was tried for long enough, or its context
  /// has ended.
  Status status;
  LeaseUse unsettled;  ///< a change under this lease may still happen
};

/// Carries out `installing` for the session that the compaction record names: steps C3 to C5 of the specification, as
/// model::NextInstall orders them. Use it once.
class Installer {
 public:
  /// `record` is in `installing`, was read with this version, and names `session` as its owner. All outlive this.
  Installer(Runtime& runtime, MetadataStore& meta, LeaseKeeper& leases, CellCounter& cells, LogId log,
            CompactionRecord record, std::int64_t version, std::shared_ptr<MetadataSession> session);

  Task<InstallEnd> Run(OpContext context);

 private:
  Task<model::InstallEvent> Do(OpContext context, model::InstallStep step);
  Task<model::InstallEvent> Lease(OpContext context);
  Task<model::InstallEvent> GetKey(OpContext context);
  Task<model::InstallEvent> PutRecord(OpContext context);
  Task<model::InstallEvent> DeleteRange(OpContext context);
  Task<model::InstallEvent> Finish(OpContext context);
  model::InstallEvent EventOf(const Status& status);
  model::InstallEvent EventUnderLease(const Status& status);
  bool SessionsLive() const;

  Runtime& runtime_;
  MetadataStore& meta_;
  LeaseKeeper& leases_;
  CellCounter& cells_;
  const LogId log_;
  const Partition partition_;
  const CompactionRecord record_;
  const CompactionInstalling installing_;
  const std::int64_t version_;
  const std::shared_ptr<MetadataSession> session_;

  LeaseUse lease_;
  std::int64_t key_version_ = 0;     ///< of the RAW record that the Get of C3 returned
  bool unknown_ = false;             ///< a change of the index may still happen
  Status last_;
};

}  // namespace lakestream
