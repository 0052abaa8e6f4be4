#pragma once

#include <optional>

#include "lakestream/types.h"
#include "model/read_plan.h"

// Whether the index records of a log fit together (specification, "Logs, entries and offsets", "Trim, deletion and
// reclamation"), without asking any store.

namespace lakestream::model {

/// What is wrong between an index record and what comes before it.
enum class IndexFlaw {
  kNone,
  kGap,                   ///< offsets at or above the trim marker that no record holds
  kGapBelowMarker,        ///< legal: nobody reads there
  kOverlap,               ///< two records hold the same offsets
  kUnfinishedCompaction,  ///< legal: a PARQUET record stands, and those that it replaces are not deleted yet
  kCumulativeSize,        ///< the sizes in the keys do not add up
};

struct IndexNeighbours {
  std::optional<IndexSpan> before;  ///< the record with the greatest key below; none: this one is the log's first
  IndexSpan record;
  bool parquet = false;  ///< of the record
  /// Some record ends where this one starts, or the log or what is trimmed does.
  bool starts_at_a_boundary = false;
  Offset marker;  ///< B; 0 where there is none
};
IndexFlaw JudgeNeighbours(const IndexNeighbours& neighbours);

/// What is wrong with a trim marker.
enum class MarkerFlaw {
  kNone,
  kBeyondLog,         ///< at or above the log's end
  kInsideLastRecord,  ///< above the start of the last record, which no soft trim passes
  kNoRecords,         ///< there is no record left that the next offset could follow from
};

/// `last`: the log's last record. `last_is_parquet`: it may have swallowed the one that was the last when B was set.
MarkerFlaw JudgeMarker(Offset marker, const std::optional<IndexSpan>& last, bool last_is_parquet);

}  // namespace lakestream::model
