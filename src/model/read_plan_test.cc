#include "model/read_plan.h"

#include <gtest/gtest.h>

#include <limits>

namespace lakestream::model {
namespace {

// The record of the specification's running example: log 7, two entries of 2 and 1 records, 5 and 3 bytes.
WalSection ExampleSection() {
  return WalSection{LogId(7), {WalEntry{0, 5, 2}, WalEntry{5, 3, 1}}};
}

EntryIndex ExampleIndex() {
  EntryIndex index;
  index.location = "7-00000001.wal";
  index.index_type = IndexType::kCompact;
  index.message_count = 3;
  index.entry_size_bytes = 8;
  index.file_size = 8;
  index.offset_in_file = -1;
  index.entry_count = 2;
  index.entry_offsets = EntryOffsets{CompressionType::kFastPfor, 8,
                                     std::string("\x00\x00\x00\x02\x00\x00\x00\x00\x00\x00\x81\x82", 12)};
  return index;
}

TEST(SpanOf, TakesTheStartFromTheMessageCount) {
  const auto span = SpanOf(IndexKey{LogId(7), Offset(13), 108}, ExampleIndex());
  ASSERT_TRUE(span.ok());
  EXPECT_EQ(*span, (IndexSpan{Offset(10), Offset(13), 8, 108}));
}

TEST(SpanOf, RefusesWhatCannotBe) {
  EXPECT_EQ(SpanOf(IndexKey{LogId(7), Offset(2), 8}, ExampleIndex()).status().code(), StatusCode::kCorrupt);
  EXPECT_EQ(SpanOf(IndexKey{LogId(7), Offset(3), 7}, ExampleIndex()).status().code(), StatusCode::kCorrupt);
  EXPECT_TRUE(SpanOf(IndexKey{LogId(7), Offset(3), 8}, ExampleIndex()).ok());
}

TEST(JudgeCover, NamesEachCase) {
  const IndexSpan span{Offset(10), Offset(13), 8, 108};
  EXPECT_EQ(JudgeCover(std::nullopt, Offset(0)), Cover::kEnd);
  EXPECT_EQ(JudgeCover(span, Offset(9)), Cover::kGap);
  EXPECT_EQ(JudgeCover(span, Offset(10)), Cover::kCovers);
  EXPECT_EQ(JudgeCover(span, Offset(12)), Cover::kCovers);
  EXPECT_EQ(JudgeCover(span, Offset(13)), Cover::kPassed);
}

TEST(CheckSection, TakesTheExample) {
  const Status status = CheckSection(ExampleIndex(), ExampleSection(), 8);
  EXPECT_TRUE(status.ok()) << status.ToString();
}

TEST(CheckSection, NamesTheFieldThatDisagrees) {
  const auto field_of = [](const EntryIndex& index, const WalSection& section, std::uint64_t region) {
    const Status status = CheckSection(index, section, region);
    EXPECT_EQ(status.code(), StatusCode::kCorrupt);
    return std::string(status.message());
  };
  const auto names = [](const std::string& message, const std::string& field) {
    return message.find("object=7-00000001.wal") != std::string::npos &&
           message.find("field=" + field) != std::string::npos;
  };
  EXPECT_TRUE(names(field_of(ExampleIndex(), ExampleSection(), 9), "file_size"));

  WalSection section = ExampleSection();
  section.entries.push_back(WalEntry{8, 0, 1});
  EXPECT_TRUE(names(field_of(ExampleIndex(), section, 8), "entry_count"));

  section = ExampleSection();
  section.entries[1].record_count = 2;
  EXPECT_TRUE(names(field_of(ExampleIndex(), section, 8), "message_count"));

  section = ExampleSection();
  section.entries[1].payload_size = 2;
  EXPECT_TRUE(names(field_of(ExampleIndex(), section, 8), "entry_size_bytes"));

  section = ExampleSection();
  section.entries[0].record_count = 1;
  section.entries[1].record_count = 2;
  EXPECT_TRUE(names(field_of(ExampleIndex(), section, 8), "entry_offsets"));
}

TEST(PlanEntries, GivesOffsetsAndCumulativeSizes) {
  ReadAllowance allowance(100, 100);
  const IndexSpan span{Offset(10), Offset(13), 8, 108};
  const auto entries = PlanEntries(span, ExampleSection(), Offset(10), allowance);
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0], (PlannedEntry{Offset(10), 2, 0, 5, 105}));
  EXPECT_EQ(entries[1], (PlannedEntry{Offset(12), 1, 5, 3, 108}));
  EXPECT_EQ(allowance.records(), 97);
  EXPECT_EQ(allowance.bytes(), 92);
}

TEST(PlanEntries, StartsWithTheEntryThatHoldsTheOffset) {
  const IndexSpan span{Offset(10), Offset(13), 8, 108};
  ReadAllowance inside(100, 100);
  EXPECT_EQ(PlanEntries(span, ExampleSection(), Offset(11), inside).front().offset, Offset(10));
  ReadAllowance second(100, 100);
  const auto entries = PlanEntries(span, ExampleSection(), Offset(12), second);
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0].cumulative_size, 108);
}

TEST(PlanEntries, TheFirstEntryPassesTheBoundsAndTheNextDoesNot) {
  const IndexSpan span{Offset(10), Offset(13), 8, 108};
  ReadAllowance one_record(1, 100);
  EXPECT_EQ(PlanEntries(span, ExampleSection(), Offset(10), one_record).size(), 1u);
  EXPECT_TRUE(one_record.full());
  ReadAllowance seven_bytes(100, 7);
  EXPECT_EQ(PlanEntries(span, ExampleSection(), Offset(10), seven_bytes).size(), 1u);
  EXPECT_TRUE(seven_bytes.full());
  ReadAllowance exact(3, 8);
  EXPECT_EQ(PlanEntries(span, ExampleSection(), Offset(10), exact).size(), 2u);
  EXPECT_TRUE(exact.full());
  // Full stays full: a smaller entry behind one that did not fit would leave a hole.
  EXPECT_FALSE(seven_bytes.Take(1, 0));
}

/// Rows of two records and ten bytes each, from an offset, behind so many bytes of the log.
Companion RowsFrom(std::int64_t start, int count, std::int64_t before) {
  Companion rows;
  for (int i = 0; i < count; ++i) {
    const LogEntryHeader header{Offset(start + 2 * i), 2, 5, 10, before + 10 * (i + 1)};
    EXPECT_TRUE(rows.Add(header).ok());
  }
  return rows;
}

TEST(CheckFileRows, TakesWhatTheRecordTells) {
  // [100, 120) with 100 bytes up to 1000, in files that end at 106 and 120.
  const IndexSpan span{Offset(100), Offset(120), 100, 1000};
  const FileIndex files{{CompactedFile{Offset(105), "a.parquet"}, CompactedFile{Offset(119), "b.parquet"}}};
  EXPECT_EQ(OffsetsOfFile(span, files, 0), 6);
  EXPECT_EQ(OffsetsOfFile(span, files, 1), 14);
  const auto check = [&](std::size_t i, const Companion& rows) { return CheckFileRows(span, files, i, rows, "o"); };
  EXPECT_TRUE(check(0, RowsFrom(100, 3, 900)).ok());
  EXPECT_TRUE(check(1, RowsFrom(106, 7, 930)).ok());
  // What is trimmed may be left out, of the first file alone.
  EXPECT_TRUE(check(0, RowsFrom(104, 1, 920)).ok());
  EXPECT_TRUE(check(0, RowsFrom(104, 1, 915)).ok());
  const auto refused = [](const Status& status, std::string_view field) {
    EXPECT_EQ(status.code(), StatusCode::kCorrupt);
    EXPECT_NE(status.message().find("object=o field=" + std::string(field)), std::string_view::npos)
        << status.ToString();
  };
  refused(check(0, Companion()), "offset");
  refused(check(0, RowsFrom(98, 4, 890)), "offset");
  refused(check(0, RowsFrom(100, 2, 900)), "offset");
  refused(check(0, RowsFrom(100, 4, 900)), "offset");
  refused(check(1, RowsFrom(108, 6, 940)), "offset");
  refused(check(0, RowsFrom(100, 3, 899)), "cumulative_size");
  refused(check(0, RowsFrom(100, 3, 901)), "cumulative_size");
  refused(check(0, RowsFrom(104, 1, 899)), "cumulative_size");
  refused(check(1, RowsFrom(106, 7, 931)), "cumulative_size");
  refused(check(1, RowsFrom(106, 7, 929)), "cumulative_size");
  refused(check(0, RowsFrom(100, 3, 971)), "cumulative_size");
}

TEST(PlanRows, BeginsWithTheRowThatHoldsTheOffset) {
  const Companion rows = RowsFrom(100, 5, 0);
  const auto plan = [&](std::int64_t wanted, std::int64_t records, std::int64_t bytes) {
    ReadAllowance allowance(records, bytes);
    return PlanRows(rows, Offset(wanted), allowance);
  };
  EXPECT_EQ(plan(100, 100, 100), (RowRange{0, 5}));
  EXPECT_EQ(plan(103, 100, 100), (RowRange{1, 4}));
  EXPECT_EQ(plan(104, 100, 100), (RowRange{2, 3}));
  EXPECT_EQ(plan(109, 100, 100), (RowRange{4, 1}));
  EXPECT_EQ(plan(104, 1, 1), (RowRange{2, 1}));
  EXPECT_EQ(plan(104, 4, 100), (RowRange{2, 2}));
  EXPECT_EQ(plan(104, 100, 29), (RowRange{2, 2}));
  ReadAllowance allowance(3, 100);
  ASSERT_TRUE(allowance.Take(1, 1));
  EXPECT_EQ(PlanRows(rows, Offset(100), allowance).count, 1u);
  EXPECT_EQ(PlanRows(rows, Offset(102), allowance).count, 0u);
}

TEST(PlanRanges, JoinsNeighboursInAnyOrder) {
  const std::vector<PlannedEntry> entries = {
      {Offset(0), 1, 100, 10, 10}, {Offset(1), 1, 0, 10, 20}, {Offset(2), 1, 10, 10, 30}, {Offset(3), 1, 50, 0, 30}};
  EXPECT_EQ(PlanRanges(entries, 0), (std::vector<PayloadRange>{{0, 20}, {100, 110}}));
  EXPECT_EQ(PlanRanges(entries, 80), (std::vector<PayloadRange>{{0, 110}}));
  EXPECT_EQ(PlanRanges(entries, 79), (std::vector<PayloadRange>{{0, 20}, {100, 110}}));
}

TEST(PlanRanges, OverlappingPayloadsAndTheLastByte) {
  const std::int32_t top = std::numeric_limits<std::int32_t>::max();
  const std::vector<PlannedEntry> entries = {
      {Offset(0), 1, 0, 100, 100}, {Offset(1), 1, 10, 10, 110}, {Offset(2), 1, top, top, 0}};
  EXPECT_EQ(PlanRanges(entries, 0), (std::vector<PayloadRange>{{0, 100}, {2147483647u, 4294967294u}}));
  EXPECT_TRUE(PlanRanges({}, 0).empty());
}

}  // namespace
}  // namespace lakestream::model
