#pragma once

#include <cstdint>
#include <vector>

#include "log/compactor/compaction_look.h"
#include "log/compactor/range_work.h"
#include "meta/metadata_store.h"
#include "model/compaction_plan.h"

namespace lakestream {

/// What to do with a log, and the index records of the range, if there is one to compact.
struct LogPlan {
  model::CompactionDecision decision;
  std::vector<RangeRecord> records;
};

/// Plans the next range of a log (C1). `now_ms`: by the clock of the store. Errors: corrupt, unavailable.
Task<Result<LogPlan>> PlanLog(MetadataStore& meta, OpContext context, LogId log, CompactionLook look,
                              model::CompactionOptions options, std::int64_t now_ms);

/// Whether C1 still holds of a range. Errors: corrupt, unavailable.
Task<Result<model::RangeCheck::Answer>> CheckRange(MetadataStore& meta, OpContext context, LogId log,
                                                   CompactionRange range, std::int64_t cumulative_after,
                                                   Offset trim_marker);

}  // namespace lakestream
