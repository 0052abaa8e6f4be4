#pragma once

#include <cstdint>

#include "lakestream/status.h"
#include "base/time.h"
#include "lakestream/task.h"
#include "meta/metadata_store.h"
#include "runtime/op_context.h"

namespace lakestream {

/// What a hard trim would remove.
struct Reclaimable {
  Offset limit;                    ///< to be hard-trimmed to; 0 where there is nothing to remove
  std::int64_t index_records = 0;  ///< that end at or below `limit`
  std::int64_t files = 0;          ///< compacted files that they name
  std::int64_t bytes = 0;          ///< payload bytes that they tell of
  Status flaw;                     ///< not ok: a damaged index record comes next
};

/// Counts what a log has at or below `through`, which is at most its trim marker and the start of its last record.
/// RAW records that their writers may still look for stay, and all behind them. `now_ms`: by the clock of the store. Memory: a page of index records. Errors: unavailable.
Task<Result<Reclaimable>> FindReclaimable(MetadataStore& meta, OpContext context, LogId log, Offset through,
                                          std::int64_t now_ms, Duration settle_time);

}  // namespace lakestream
