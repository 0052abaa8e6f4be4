#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "lakestream/status.h"
#include "lakestream/task.h"
#include "lakestream/types.h"
#include "log/catalog/catalog_access.h"
#include "log/catalog/log_deletion.h"

namespace lakestream {

/// Drops one stream for ever. Every step can be repeated, and whoever finds a drop cut short goes on with it:
///
///   the tombstone; then the config is read, so that this drop sees a creation that has put its config, or the creation
///   sees the tombstone; then the config becomes DROPPED, by the version read and under a new owner, after which nobody
///   can make, grow or open the stream; then every log is fenced, drained and deleted, its id and its partition with
///   it; the config goes last.
class StreamDrop {
 public:
  StreamDrop(CatalogAccess access, StreamIdentifier id, DrainOptions drain)
      : access_(access), id_(std::move(id)), drain_(drain) {}

  /// Errors: indeterminate once the tombstone may stand and something is left to do, whatever kept it from being done.
  Task<Result<StreamDropped>> Run(OpContext context);

  /// The part after the tombstone: for a creation that finds one.
  Task<Result<StreamDropped>> Finish(OpContext context);

  enum class Found {
    kNothing,  ///< it is gone as it should be
    kRest,     ///< something of it was left
    kLate,     ///< index records that were written after its log had been deleted
  };
  /// What is left of one partition goes. Requires: the tombstone stands, and no config that is active.
  Task<Result<Found>> DropPartition(OpContext context, std::int32_t partition);

 private:
  /// What names the log of a partition.
  struct Names {
    ReadAnswer mapping;
    ReadAnswer record;
    std::optional<LogMappingRecord> decoded;
    std::vector<LogId> logs;
  };

  Task<Status> PutTombstone(OpContext context);
  Task<Result<SwapOutcome>> MarkDropped(OpContext context, StoredConfig* config);
  Task<Status> DeleteLogs(OpContext context, std::int32_t partitions);
  Task<Status> FencePartition(OpContext context, std::int32_t partition);
  Task<Result<Names>> ReadNames(OpContext context, std::int32_t partition);
  Task<Result<Found>> DeleteNamed(OpContext context, Names names);
  Task<Status> DeleteLog(OpContext context, LogId log);
  Task<Status> ForgetMapping(OpContext context, std::int32_t partition, Names names);

  CatalogAccess access_;
  const StreamIdentifier id_;
  const DrainOptions drain_;
};

}  // namespace lakestream
