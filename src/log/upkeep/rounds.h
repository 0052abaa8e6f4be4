#pragma once

#include <cstdint>
#include <functional>

#include "lakestream/status.h"
#include "lakestream/task.h"
#include "log/compactor/compactor.h"
#include "log/retention/retainer.h"
#include "log/upkeep/log_groups.h"
#include "model/retention.h"
#include "runtime/runtime.h"

// A round takes each log of the groups once, or until nothing is left to do. Commands and background jobs make the same.

namespace lakestream {

struct CompactionRound {
  CompactionTotals totals;  ///< of all passes
  std::int64_t logs = 0;
  std::int64_t files = 0;   ///< Parquet files written
  bool more = false;        ///< some log has more to do at once
};

/// Adds what another round did.
void AddTo(CompactionRound* sum, const CompactionRound& round);

/// Called once for each outcome, one call at a time.
using CompactionTold = std::function<void(const NamedLog&, const CompactionOutcome&)>;

/// With `drain`, logs that have more to do are taken again until they have not. Errors: those of LogGroups::Next and
/// Compactor::Pass, with outcomes for the logs that were done. What is referred to outlives the task.
Task<Result<CompactionRound>> CompactAll(Runtime& runtime, Compactor& compactor, OpContext context, LogGroups groups,
                                         bool drain, CompactionTold told);

struct RetentionRound {
  std::int64_t logs = 0;
  std::int64_t trimmed_logs = 0;  ///< of which something was trimmed or removed
  std::int64_t records = 0;
  std::int64_t bytes = 0;
  std::int64_t index_records = 0;
  std::int64_t files = 0;
  std::int64_t reclaimed_bytes = 0;
  std::int64_t failed = 0;        ///< logs, and streams with properties that say nothing
};

void AddTo(RetentionRound* sum, const RetentionRound& round);

/// Who is told what a round does, one call at a time.
struct RetentionTold {
  std::function<void(const NamedLog&, const model::RetentionRules&, const RetentionOutcome&)> log;
  /// A stream whose properties cannot be understood: its logs are left alone.
  std::function<void(const StreamMetadata&, const Status&)> refused;
};

/// Errors: those of LogGroups::Next and Retainer::Pass, with outcomes for the logs that were done. What is referred to
/// outlives the task.
Task<Result<RetentionRound>> RetainAll(Retainer& retainer, OpContext context, LogGroups groups, RetentionTold told);

}  // namespace lakestream
