#include "model/index_check.h"

#include <gtest/gtest.h>

namespace lakestream::model {
namespace {

IndexSpan Span(std::int64_t start, std::int64_t end, std::int64_t bytes, std::int64_t cumulative) {
  return IndexSpan{Offset(start), Offset(end), bytes, cumulative};
}

IndexFlaw Judge(std::optional<IndexSpan> before, IndexSpan record, std::int64_t marker = 0, bool parquet = false,
                bool boundary = false) {
  IndexNeighbours neighbours;
  neighbours.before = before;
  neighbours.record = record;
  neighbours.parquet = parquet;
  neighbours.starts_at_a_boundary = boundary;
  neighbours.marker = Offset(marker);
  return JudgeNeighbours(neighbours);
}

TEST(IndexCheckTest, ARecordFollowsTheOneBefore) {
  EXPECT_EQ(Judge(std::nullopt, Span(0, 3, 8, 8)), IndexFlaw::kNone);
  EXPECT_EQ(Judge(Span(0, 3, 8, 8), Span(3, 4, 1, 9)), IndexFlaw::kNone);
  EXPECT_EQ(Judge(Span(0, 3, 8, 8), Span(3, 4, 1, 9), 0, true), IndexFlaw::kNone);
}

TEST(IndexCheckTest, AGapIsLegalOnlyWhollyBelowTheMarker) {
  const IndexSpan before = Span(0, 3, 8, 8);
  const IndexSpan record = Span(5, 6, 1, 20);
  EXPECT_EQ(Judge(before, record, 0), IndexFlaw::kGap);
  EXPECT_EQ(Judge(before, record, 4), IndexFlaw::kGap);
  EXPECT_EQ(Judge(before, record, 5), IndexFlaw::kGapBelowMarker);
  EXPECT_EQ(Judge(before, record, 9), IndexFlaw::kGapBelowMarker);
  EXPECT_EQ(Judge(before, Span(5, 6, 1, 8), 5), IndexFlaw::kCumulativeSize);
}

TEST(IndexCheckTest, TheFirstRecordStartsAtZeroOrAtOrBelowTheMarker) {
  const IndexSpan record = Span(5, 6, 1, 20);
  EXPECT_EQ(Judge(std::nullopt, record, 0), IndexFlaw::kGap);
  EXPECT_EQ(Judge(std::nullopt, record, 4), IndexFlaw::kGap);
  EXPECT_EQ(Judge(std::nullopt, record, 5), IndexFlaw::kNone);
  EXPECT_EQ(Judge(std::nullopt, Span(0, 1, 1, 2)), IndexFlaw::kCumulativeSize);
}

TEST(IndexCheckTest, AnOverlapIsLegalOnlyWhileACompactionIsUnfinished) {
  const IndexSpan before = Span(3, 6, 3, 11);
  EXPECT_EQ(Judge(before, Span(5, 8, 3, 14)), IndexFlaw::kOverlap);
  EXPECT_EQ(Judge(before, Span(0, 8, 14, 14), 0, true, true), IndexFlaw::kUnfinishedCompaction);
  EXPECT_EQ(Judge(before, Span(0, 8, 14, 14), 0, true, false), IndexFlaw::kOverlap);
  EXPECT_EQ(Judge(before, Span(0, 8, 14, 14), 0, false, true), IndexFlaw::kOverlap);
  // The same end twice: no record replaces one that ends where it does itself.
  EXPECT_EQ(Judge(before, Span(0, 6, 14, 14), 0, true, true), IndexFlaw::kOverlap);
}

TEST(IndexCheckTest, SizesAddUp) {
  EXPECT_EQ(Judge(Span(0, 3, 8, 8), Span(3, 4, 1, 10)), IndexFlaw::kCumulativeSize);
  EXPECT_EQ(Judge(Span(0, 3, 8, 8), Span(3, 4, 1, 8)), IndexFlaw::kCumulativeSize);
}

TEST(IndexCheckTest, AMarkerKeepsTheLastRecord) {
  const IndexSpan last = Span(3, 6, 3, 11);
  EXPECT_EQ(JudgeMarker(Offset(0), std::nullopt, false), MarkerFlaw::kNone);
  EXPECT_EQ(JudgeMarker(Offset(1), std::nullopt, false), MarkerFlaw::kNoRecords);
  EXPECT_EQ(JudgeMarker(Offset(3), last, false), MarkerFlaw::kNone);
  EXPECT_EQ(JudgeMarker(Offset(4), last, false), MarkerFlaw::kInsideLastRecord);
  EXPECT_EQ(JudgeMarker(Offset(4), last, true), MarkerFlaw::kNone);
  EXPECT_EQ(JudgeMarker(Offset(6), last, true), MarkerFlaw::kBeyondLog);
}

}  // namespace
}  // namespace lakestream::model
