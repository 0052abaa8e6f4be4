#include "log/inspect/log_summary.h"

#include <gtest/gtest.h>

#include <memory>

#include "log/reader/testing/compacted_world.h"

namespace lakestream {
namespace {

const LogId kLog(7);

class LogSummaryTest : public testing::Test {
 protected:
  LogSummary Summarize(LogId log = kLog) {
    Result<LogSummary> summary = world_.sim.Run(SummarizeLog(world_.meta, OpContext(), log));
    EXPECT_TRUE(summary.ok()) << summary.status().ToString();
    return *std::move(summary);
  }
  CompactedWorld world_;
};

TEST_F(LogSummaryTest, OfALogWithoutRecords) {
  const LogSummary summary = Summarize();
  EXPECT_EQ(summary.first, Offset(0));
  EXPECT_EQ(summary.end, Offset(0));
  EXPECT_EQ(summary.index_records, 0);
  EXPECT_EQ(summary.last_append_ms, 0);
  EXPECT_FALSE(summary.fenced);
  EXPECT_TRUE(summary.leases.empty());
  EXPECT_TRUE(summary.damage.ok());
}

TEST_F(LogSummaryTest, CountsWhatTheRecordsSay) {
  world_.Append(LogId(6), "o", {{1, "other"}});
  world_.Append(LogId(8), "p", {{1, "other"}});
  world_.Append(kLog, "a", {{2, "abcde"}, {1, "fgh"}});
  world_.Append(kLog, "b", {{4, ""}});
  world_.SetMarker(kLog, 2);
  world_.PutMeta(kLog, "/stream-write-fences/7", "\x01");
  const LogSummary summary = Summarize();
  EXPECT_EQ(summary.first, Offset(2));
  EXPECT_EQ(summary.end, Offset(7));
  EXPECT_EQ(summary.trim_marker, Offset(2));
  EXPECT_EQ(summary.cumulative_size, 8);
  EXPECT_EQ(summary.index_records, 2);
  EXPECT_EQ(summary.entries, 3);
  EXPECT_EQ(summary.payload_bytes, 8);
  EXPECT_TRUE(summary.fenced);
  EXPECT_EQ(summary.damaged, 0);
  EXPECT_TRUE(summary.damage.ok()) << summary.damage.ToString();
}

TEST_F(LogSummaryTest, CountsBeyondOnePage) {
  for (int i = 0; i < 2500; ++i) world_.Append(kLog, "o" + std::to_string(i), {{1, "x"}});
  const LogSummary summary = Summarize();
  EXPECT_EQ(summary.index_records, 2500);
  EXPECT_EQ(summary.entries, 2500);
  EXPECT_EQ(summary.end, Offset(2500));
  EXPECT_EQ(summary.damaged, 0);
}

TEST_F(LogSummaryTest, StartsWhereTheFirstRecordDoes) {
  world_.Append(kLog, "a", {{3, "abc"}});
  world_.Append(kLog, "b", {{2, "de"}});
  world_.RemoveIndex(kLog, 0, 3);
  EXPECT_EQ(Summarize().first, Offset(3));
}

TEST_F(LogSummaryTest, ACompactionThatIsNotFinishedIsNoDamage) {
  for (int i = 0; i < 4; ++i) world_.Append(kLog, "o" + std::to_string(i), {{1, "abc"}});
  const CompactedDraft draft = world_.Draft(kLog, 0, 3, {});
  world_.WriteFiles(draft);
  world_.InstallRecord(draft);
  LogSummary summary = Summarize();
  EXPECT_EQ(summary.damaged, 0) << summary.damage.ToString();
  EXPECT_EQ(summary.index_records, 4);
  EXPECT_EQ(summary.parquet_records, 1);
  EXPECT_EQ(summary.end, Offset(4));
  EXPECT_EQ(summary.cumulative_size, 12);
}

TEST_F(LogSummaryTest, EntriesOfACompactedRangeAreNotKnown) {
  for (int i = 0; i < 3; ++i) world_.Append(kLog, "o" + std::to_string(i), {{1, "a"}, {1, "b"}});
  EXPECT_EQ(Summarize().entries, 6);
  world_.Compact(kLog, 2, 4);
  const LogSummary summary = Summarize();
  EXPECT_EQ(summary.entries, std::nullopt);
  EXPECT_EQ(summary.payload_bytes, 6);
  EXPECT_EQ(summary.raw_bytes, 4);
  EXPECT_EQ(summary.parquet_records, 1);
}

TEST_F(LogSummaryTest, AGapWhereNobodyReadsIsNoDamage) {
  for (int i = 0; i < 4; ++i) world_.Append(kLog, "o" + std::to_string(i), {{1, "abc"}});
  world_.RemoveIndex(kLog, 2, 2);
  EXPECT_EQ(Summarize().damaged, 1);
  world_.SetMarker(kLog, 2);
  EXPECT_EQ(Summarize().damaged, 0);
}

TEST_F(LogSummaryTest, SizesThatDoNotAddUpAreDamage) {
  world_.Append(kLog, "a", {{1, "abc"}});
  const std::vector<WalSection> sections = world_.PutObject("b", {{kLog, {{1, "def"}}}});
  world_.PutMeta(kLog, IndexKey{kLog, Offset(2), 7}.Encode(), EncodeEntryIndex(world_.RecordOf(sections[0], "b")));
  const LogSummary summary = Summarize();
  EXPECT_EQ(summary.damaged, 1);
  EXPECT_NE(summary.damage.message().find("size=7 expected=6"), std::string_view::npos) << summary.damage.ToString();
}

TEST_F(LogSummaryTest, ListsLeasesWithTheirSessions) {
  const auto session = world_.sim.Run(world_.memory_meta.OpenSession(OpContext(), std::chrono::seconds(10)));
  ASSERT_TRUE(session.ok());
  ASSERT_TRUE(world_.sim
                  .Run(world_.memory_meta.CreateEphemeral(OpContext(), Partition::OfLog(kLog),
                                                          "/stream-write-leases/7/token-1", Buffer::CopyOf("token-1"),
                                                          *session))
                  .ok());
  LogSummary summary = Summarize();
  ASSERT_EQ(summary.leases.size(), 1u);
  EXPECT_EQ(summary.leases[0].token, "token-1");
  EXPECT_EQ(summary.leases[0].session, (*session)->id());
  ASSERT_TRUE(world_.sim.Run((*session)->Close(OpContext())).ok());
  EXPECT_TRUE(Summarize().leases.empty());
}

TEST_F(LogSummaryTest, DamageIsNamedAndCounted) {
  world_.Append(kLog, "a", {{3, "abc"}});
  const std::string second = world_.Append(kLog, "b", {{2, "de"}});
  world_.Append(kLog, "c", {{1, "f"}});
  world_.PutMeta(kLog, second, "no record");
  LogSummary summary = Summarize();
  EXPECT_EQ(summary.damaged, 1);
  EXPECT_EQ(summary.damage.code(), StatusCode::kCorrupt);
  EXPECT_NE(summary.damage.message().find(second), std::string_view::npos) << summary.damage.ToString();
  EXPECT_EQ(summary.end, Offset(6));
  EXPECT_EQ(summary.index_records, 3);
  EXPECT_EQ(summary.entries, 2);

  world_.RemoveIndex(kLog, 4, 5);
  summary = Summarize();
  EXPECT_EQ(summary.damaged, 1);
  EXPECT_NE(summary.damage.message().find("start=5 before=3"), std::string_view::npos) << summary.damage.ToString();

  world_.PutMeta(kLog, "/mark-deleted-offsets/7", "x");
  EXPECT_NE(Summarize().damage.message().find("/mark-deleted-offsets/7"), std::string_view::npos);
}

}  // namespace
}  // namespace lakestream
