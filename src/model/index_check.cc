#include "model/index_check.h"

namespace lakestream::model {

IndexFlaw JudgeNeighbours(const IndexNeighbours& neighbours) {
  const IndexSpan& record = neighbours.record;
  // Before its first record a log has 0 records and 0 bytes.
  const IndexSpan before = neighbours.before.value_or(IndexSpan());
  if (record.start > before.end) {
    if (record.start > neighbours.marker) return IndexFlaw::kGap;
    if (record.cumulative_size - record.bytes < before.cumulative_size) return IndexFlaw::kCumulativeSize;
    // A log whose beginning was hard-trimmed has no gap: nothing comes before it.
    return neighbours.before ? IndexFlaw::kGapBelowMarker : IndexFlaw::kNone;
  }
  if (record.start < before.end) {
    const bool replaces = neighbours.parquet && neighbours.starts_at_a_boundary && record.end > before.end;
    return replaces ? IndexFlaw::kUnfinishedCompaction : IndexFlaw::kOverlap;
  }
  if (record.cumulative_size - record.bytes != before.cumulative_size) return IndexFlaw::kCumulativeSize;
  return IndexFlaw::kNone;
}

MarkerFlaw JudgeMarker(Offset marker, const std::optional<IndexSpan>& last, bool last_is_parquet) {
  if (marker == Offset(0)) return MarkerFlaw::kNone;
  if (!last) return MarkerFlaw::kNoRecords;
  if (marker >= last->end) return MarkerFlaw::kBeyondLog;
  if (marker > last->start && !last_is_parquet) return MarkerFlaw::kInsideLastRecord;
  return MarkerFlaw::kNone;
}

}  // namespace lakestream::model
