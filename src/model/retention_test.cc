#include "model/retention.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace lakestream::model {
namespace {

using Properties = std::map<std::string, std::string>;
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

struct Entry {
  std::int32_t records;
  std::int32_t bytes;
  std::int64_t timestamp_ms;
};

/// Entries that follow each other from an offset and a size on.
struct Made {
  std::vector<LogEntryHeader> headers;
  Offset end;
  std::int64_t bytes = 0;
};
Made Make(const std::vector<Entry>& entries, std::int64_t start = 0, std::int64_t before = 0) {
  Made made{{}, Offset(start), before};
  for (const Entry& entry : entries) {
    LogEntryHeader header;
    header.offset = made.end;
    header.number_of_records = entry.records;
    header.timestamp_ms = entry.timestamp_ms;
    header.entry_size = entry.bytes;
    header.cumulative_size = made.bytes += entry.bytes;
    made.end = header.end();
    made.headers.push_back(header);
  }
  return made;
}

/// Where the cut comes, entry by entry.
RetentionCut Cut(const Made& log, const RetentionRules& rules, std::int64_t now_ms, std::int64_t from = 0) {
  RetentionCut cut(rules, Offset(from), log.end, log.bytes, now_ms);
  for (const LogEntryHeader& header : log.headers) {
    if (header.end() <= Offset(from)) continue;
    if (!cut.Take(header)) break;
  }
  return cut;
}
std::int64_t KeepFrom(const Made& log, const RetentionRules& rules, std::int64_t now_ms, std::int64_t from = 0) {
  return Cut(log, rules, now_ms, from).keep_from().value();
}

RetentionRules Bytes(std::int64_t bytes) { return RetentionRules{{}, bytes, {}}; }
RetentionRules Records(std::int64_t records) { return RetentionRules{{}, {}, records}; }
RetentionRules Millis(std::int64_t ms) { return RetentionRules{ms, {}, {}}; }

TEST(RetentionRules, Properties) {
  struct Case {
    Properties properties;
    RetentionRules rules;
  };
  const Case cases[] = {
      {{}, {}},
      {{{"retention.ms", "-1"}, {"retention.bytes", "-1"}, {"lakestream.retention.records", "-1"}}, {}},
      {{{"retention.ms", "0"}}, Millis(0)},
      {{{"retention.ms", "9223372036854775807"}}, Millis(kMost)},
      {{{"retention.ms", "604800000"}, {"retention.bytes", "1"}, {"lakestream.retention.records", "7"}},
       {604800000, 1, 7}},
      {{{"retention.bytes", "5"}, {"cleanup.policy", "delete"}}, Bytes(5)},
      {{{"retention.bytes", "5"}, {"cleanup.policy", "compact,delete"}}, Bytes(5)},
      {{{"retention.bytes", "5"}, {"cleanup.policy", "compact"}}, {}},
      {{{"local.retention.ms", "x"}, {"segment.bytes", ""}}, {}},
  };
  for (const Case& c : cases) {
    const Result<RetentionRules> rules = ParseRetentionRules(c.properties);
    ASSERT_TRUE(rules.ok()) << rules.status().ToString();
    EXPECT_EQ(*rules, c.rules);
  }
}

TEST(RetentionRules, WhatIsNoNumberIsNamed) {
  for (const char* value : {"", "-2", "-0", "+1", "01", " 1", "1 ", "1.5", "1e3", "7d", "9223372036854775808", "-"}) {
    for (const char* name : {"retention.ms", "retention.bytes", "lakestream.retention.records"}) {
      const Result<RetentionRules> rules = ParseRetentionRules(Properties{{name, value}});
      EXPECT_EQ(rules.status().code(), StatusCode::kInvalidArgument) << value;
      EXPECT_NE(rules.status().ToString().find(std::string("property=") + name), std::string::npos)
          << rules.status().ToString();
    }
  }
  for (const char* value : {"", "Delete", "delete,", ",delete", "delete,,compact", "delete, compact", "none"}) {
    EXPECT_EQ(ParseRetentionRules(Properties{{"cleanup.policy", value}}).status().code(),
              StatusCode::kInvalidArgument)
        << value;
  }
  EXPECT_EQ(ParseRetentionRules(Properties{{"retention.ms", "7d"}}).status().message(),
            "retention is a number of milliseconds below 2^63, as 604800000 for seven days, or -1: without end "
            "property=retention.ms value=7d");
  // Not even with a policy under which it would say nothing.
  EXPECT_FALSE(ParseRetentionRules(Properties{{"cleanup.policy", "compact"}, {"retention.ms", "x"}}).ok());
}

TEST(RetentionCut, BytesKeepAtLeastWhatWasAsked) {
  const Made log = Make({{1, 10, 0}, {1, 20, 0}, {1, 30, 0}, {1, 0, 0}, {1, 40, 0}});
  struct Case {
    std::int64_t bytes;
    std::int64_t keep_from;
  };
  const Case cases[] = {{kMost, 0}, {101, 0}, {100, 0}, {91, 0}, {90, 1}, {89, 1}, {71, 1}, {70, 2},
                        {69, 2},    {41, 2},  {40, 4},  {39, 4}, {1, 4},  {0, 5}};
  for (const Case& c : cases) EXPECT_EQ(KeepFrom(log, Bytes(c.bytes), 0), c.keep_from) << c.bytes;
}

TEST(RetentionCut, RecordsKeepAtLeastWhatWasAsked) {
  const Made log = Make({{5, 1, 0}, {1, 1, 0}, {4, 1, 0}});
  struct Case {
    std::int64_t records;
    std::int64_t keep_from;
  };
  const Case cases[] = {{kMost, 0}, {10, 0}, {6, 0}, {5, 5}, {4, 6}, {3, 6}, {1, 6}, {0, 10}};
  for (const Case& c : cases) EXPECT_EQ(KeepFrom(log, Records(c.records), 0), c.keep_from) << c.records;
}

TEST(RetentionCut, TimeKeepsWhatIsExactlyAsOldAsAsked) {
  const Made log = Make({{2, 1, 1000}, {2, 1, 1001}, {2, 1, 2000}});
  EXPECT_EQ(KeepFrom(log, Millis(500), 1500), 0);
  EXPECT_EQ(KeepFrom(log, Millis(500), 1501), 2);
  EXPECT_EQ(KeepFrom(log, Millis(500), 1502), 4);
  EXPECT_EQ(KeepFrom(log, Millis(500), 2501), 6);
  EXPECT_EQ(KeepFrom(log, Millis(0), 1000), 0);
  EXPECT_EQ(KeepFrom(log, Millis(0), 1001), 2);
}

TEST(RetentionCut, TimeBeyondAllNumbers) {
  const Made log = Make({{1, 1, 0}, {1, 1, kMost}});
  EXPECT_EQ(KeepFrom(log, Millis(kMost), 0), 0);
  EXPECT_EQ(KeepFrom(log, Millis(kMost), kMost), 0);
  EXPECT_EQ(KeepFrom(log, Millis(kMost), -2), 0);  // a clock before the epoch
  EXPECT_EQ(KeepFrom(log, Millis(0), kMost), 1);
}

TEST(RetentionCut, AnOldEntryBehindAYoungOneStays) {
  const Made log = Make({{1, 1, 100}, {1, 1, 900}, {1, 1, 200}, {1, 1, 950}});
  EXPECT_EQ(KeepFrom(log, Millis(500), 1000), 1);
  // Until that one is old itself, or has gone for another reason.
  EXPECT_EQ(KeepFrom(log, Millis(500), 1401), 3);
  EXPECT_EQ(KeepFrom(log, RetentionRules{500, 2, {}}, 1000), 3);
  EXPECT_EQ(KeepFrom(log, Millis(500), 1000, 2), 3);
}

TEST(RetentionCut, AnyRuleLetsGo) {
  const Made log = Make({{1, 10, 1}, {1, 10, 2}, {1, 10, 3}, {1, 10, 4}});
  EXPECT_EQ(KeepFrom(log, RetentionRules{1, 30, 1}, 3), 3);
  EXPECT_EQ(KeepFrom(log, RetentionRules{1, 10, 3}, 3), 3);
  EXPECT_EQ(KeepFrom(log, RetentionRules{0, 30, 3}, 4), 3);
  EXPECT_EQ(KeepFrom(log, RetentionRules(), kMost), 0);
  EXPECT_EQ(Cut(log, RetentionRules{0, 30, 3}, 4).reason(), RetentionReason::kTime);
  EXPECT_EQ(Cut(log, Bytes(30), 4).reason(), RetentionReason::kBytes);
  EXPECT_EQ(Cut(log, Records(2), 4).reason(), RetentionReason::kRecords);
  EXPECT_EQ(Cut(log, Records(4), 4).reason(), RetentionReason::kNone);
}

TEST(RetentionCut, NothingIsTaken) {
  const RetentionCut empty(Bytes(0), Offset(0), Offset(0), 0, 0);
  EXPECT_EQ(empty.keep_from(), Offset(0));
  EXPECT_FALSE(empty.size_before());
  // The log has become shorter than what it is judged by, and a record tells of more bytes than there are.
  RetentionCut above(RetentionRules{{}, 0, 0}, Offset(7), Offset(5), 10, 0);
  EXPECT_FALSE(above.Take(LogEntryHeader{Offset(7), 1, 0, 5, 100}));
  EXPECT_EQ(above.keep_from(), Offset(7));
}

TEST(RetentionCut, TheMarkerWithinAnEntryDoesNotGoBack) {
  const Made log = Make({{10, 10, 0}, {10, 10, 0}});
  EXPECT_EQ(KeepFrom(log, Records(15), 0, 5), 5);
  EXPECT_EQ(KeepFrom(log, Records(10), 0, 5), 10);
}

TEST(RetentionCut, WholeRecordsGiveWhatTheirEntriesGive) {
  std::uint64_t draws = 7;
  const auto below = [&draws](std::int64_t n) {
    draws = draws * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::int64_t>((draws >> 33) % static_cast<std::uint64_t>(n));
  };
  int entered = 0;
  for (int round = 0; round < 20'000; ++round) {
    std::vector<Entry> entries;
    std::vector<std::size_t> record_ends;
    const std::int64_t records = 1 + below(4);
    for (std::int64_t r = 0; r < records; ++r) {
      const std::int64_t time = below(20);
      for (std::int64_t n = 1 + below(3); n > 0; --n) {
        entries.push_back(Entry{static_cast<std::int32_t>(1 + below(3)), static_cast<std::int32_t>(below(4)), time});
      }
      record_ends.push_back(entries.size());
    }
    const Made log = Make(entries, below(50), below(50));
    const auto maybe = [&](std::int64_t n) { return below(2) == 0 ? std::optional<std::int64_t>() : below(n); };
    const RetentionRules rules{maybe(20), maybe(15), maybe(15)};
    const std::int64_t from = log.headers[0].offset.value();
    const std::int64_t now = below(40);

    RetentionCut cut(rules, Offset(from), log.end, log.bytes, now);
    std::size_t at = 0;
    for (const std::size_t record_end : record_ends) {
      IndexSpan span{log.headers[at].offset, log.headers[record_end - 1].end(), 0,
                     log.headers[record_end - 1].cumulative_size};
      for (std::size_t i = at; i < record_end; ++i) span.bytes += log.headers[i].entry_size;
      // A compacted record does not tell its entries' times.
      std::optional<std::int64_t> time = log.headers[at].timestamp_ms;
      if (below(2) == 0) time.reset();
      if (cut.TakeRecord(span, time)) {
        at = record_end;
        continue;
      }
      const Offset before = cut.keep_from();
      const bool may_enter = cut.MayEnter(span, time);
      while (at < record_end && cut.Take(log.headers[at])) ++at;
      if (!may_enter) {
        EXPECT_EQ(cut.keep_from(), before);
      }
      entered += may_enter ? 1 : 0;
      if (at < record_end) break;
    }
    EXPECT_EQ(cut.keep_from().value(), KeepFrom(log, rules, now, from)) << "round " << round;

    // What stays is what was asked at least, and what goes is all that may.
    for (std::size_t i = 0; i < log.headers.size(); ++i) {
      const LogEntryHeader& header = log.headers[i];
      const bool surplus = (rules.bytes && log.bytes - header.cumulative_size >= *rules.bytes) ||
                           (rules.records && log.end - header.end() >= *rules.records);
      const bool old = rules.ms && header.timestamp_ms + *rules.ms < now;
      if (i < at) {
        EXPECT_TRUE(surplus || old);
      }
      if (i == at) {
        EXPECT_FALSE(surplus || old);
      }
    }
  }
  EXPECT_GT(entered, 2000);
}

TEST(StaysForItsWriter, UntilItsAnswersAreSettled) {
  const Duration settle = std::chrono::seconds(60);
  EXPECT_TRUE(StaysForItsWriter(1'000'000, 1'000'000, settle));
  EXPECT_TRUE(StaysForItsWriter(1'000'000, 1'059'999, settle));
  EXPECT_FALSE(StaysForItsWriter(1'000'000, 1'060'000, settle));
  EXPECT_TRUE(StaysForItsWriter(4'599'999, 1'000'000, settle));
  EXPECT_FALSE(StaysForItsWriter(4'600'000, 1'000'000, settle));
  EXPECT_FALSE(StaysForItsWriter(0, kMost, settle));
  EXPECT_FALSE(StaysForItsWriter(kMost, 0, settle));
  EXPECT_FALSE(StaysForItsWriter(0, 0, Duration(0)));
}

}  // namespace
}  // namespace lakestream::model
