#pragma once

#include <cstdint>

#include "lakestream/status.h"
#include "lakestream/task.h"
#include "log/lease/lease_keeper.h"
#include "log/log_homes.h"
#include "meta/metadata_store.h"
#include "objstore/object_store.h"
#include "runtime/runtime.h"

namespace lakestream {

/// What a hard trim really did.
struct HardTrimOutcome {
  Offset limit;                  ///< no index record ends at or below it any more; 0 where nothing could be removed
  std::int64_t records = 0;      ///< index records removed
  std::int64_t files = 0;        ///< compacted files removed, each with its companion
};

/// Removes the index records of a log that end at or below `through`, as far as the trim marker allows and never the
/// last one (specification, "Hard trim"), under a write lease. Before a record goes the compacted files go that it names:
/// after an error, or a crash, the records that are left still name what is left, and the same call goes on.
/// WAL objects are the collector's. Memory: a page of index records.
/// Errors: invalid_argument, fenced (the log is being deleted), corrupt (an index record below the limit cannot be read:
/// it stays, and so does all behind it), unavailable, indeterminate.
Task<Result<HardTrimOutcome>> HardTrim(Runtime& runtime, MetadataStore& meta, ObjectStore& compacted,
                                       LeaseKeeper& leases, LogHomes& homes, OpContext context, LogId log,
                                       Offset through);

}  // namespace lakestream
