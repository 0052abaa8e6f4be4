#include "cli/append_report.h"

#include <gtest/gtest.h>

#include "format/json.h"

namespace lakestream {
namespace {

using namespace std::chrono_literals;

EndedAppend Acked(int partition, std::int64_t line, std::int64_t offset) {
  LogEntryHeader header;
  header.offset = Offset(offset);
  header.number_of_records = 1;
  return EndedAppend{partition, line, 1, 10, 3ms, header};
}

TEST(AppendReport, CountsByPartition) {
  AppendReport report;
  report.Count(Acked(0, 1, 100));
  report.Count(Acked(1, 2, 7));
  report.Count(Acked(0, 3, 101));
  AppendReport::Circumstances circumstances;
  circumstances.stream = "s";
  circumstances.elapsed = 1s;
  EXPECT_FALSE(report.failed());
  const std::string text = report.Text(circumstances);
  EXPECT_NE(text.find("appended 3 entries, 30 B in 1.00 s"), std::string::npos) << text;
  EXPECT_NE(text.find("partition 0: offsets 100 to 101\n"), std::string::npos) << text;
  EXPECT_NE(text.find("partition 1: offsets 7 to 7\n"), std::string::npos) << text;
  const Result<JsonValue> json = ParseJson(report.Json(circumstances), "summary");
  ASSERT_TRUE(json.ok()) << json.status().ToString();
  EXPECT_EQ(json->Find("acknowledged")->integer, 3);
  EXPECT_TRUE(json->Find("complete")->boolean);
  EXPECT_EQ(json->Find("partitions")->items.size(), 2u);
}

TEST(AppendReport, CountsTheRecordsOfBatches) {
  AppendReport report;
  LogEntryHeader header;
  header.offset = Offset(100);
  header.number_of_records = 20;
  report.Count(EndedAppend{0, 1, 20, 500, 3ms, header});
  report.Count(EndedAppend{0, 21, 7, 100, 3ms, Unavailable("gone")});
  AppendReport::Circumstances circumstances;
  circumstances.elapsed = 1s;
  circumstances.in_batches = true;
  const std::string text = report.Text(circumstances);
  EXPECT_NE(text.find("appended 20 records in 1 batch, 500 B in 1.00 s (20 records/s"), std::string::npos) << text;
  EXPECT_NE(text.find("partition 0: offsets 100 to 119\n"), std::string::npos) << text;
  const Result<JsonValue> json = ParseJson(report.Json(circumstances), "summary");
  ASSERT_TRUE(json.ok());
  EXPECT_EQ(json->Find("acknowledged")->integer, 20);
  EXPECT_EQ(json->Find("entries")->integer, 1);
  EXPECT_EQ(json->Find("not_appended")->integer, 7);
  EXPECT_EQ(json->Find("partitions")->items[0].Find("records")->integer, 20);
}

TEST(AppendReport, NamesTheFirstLineThatFailedAndKeepsUnknownApart) {
  AppendReport report;
  report.Count(Acked(0, 1, 0));
  report.Count(EndedAppend{1, 4, 1, 10, 1ms, Unavailable("later line")});
  report.Count(EndedAppend{0, 3, 1, 10, 1ms, Indeterminate("earlier line")});
  EXPECT_TRUE(report.failed());
  EXPECT_TRUE(report.unknown());
  EXPECT_EQ(report.Failure().message(),
            "earlier line first_failed_line=3 acknowledged=1 not_appended=1 unknown=1");
  EXPECT_EQ(report.Failure().code(), StatusCode::kIndeterminate);
}

TEST(AppendReport, ShortForms) {
  EXPECT_EQ(ShortBytes(0), "0 B");
  EXPECT_EQ(ShortBytes(1023), "1023 B");
  EXPECT_EQ(ShortBytes(1536), "1.5 KiB");
  EXPECT_EQ(ShortDuration(950us), "950 us");
  EXPECT_EQ(ShortDuration(12300us), "12.3 ms");
  EXPECT_EQ(ShortDuration(4560ms), "4.56 s");
}

}  // namespace
}  // namespace lakestream
