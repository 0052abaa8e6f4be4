#include "log/retention/retainer.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "log/retention/testing/retainer_world.h"
#include "sim/mutants/rule_breaker.h"

namespace lakestream {
namespace {

using namespace std::chrono_literals;
using Kind = RetentionOutcome::Kind;
using model::RetentionReason;
using model::RetentionRules;

const LogId kLog(7);

RetentionRules Bytes(std::int64_t bytes) { return RetentionRules{{}, bytes, {}}; }
RetentionRules Records(std::int64_t records) { return RetentionRules{{}, {}, records}; }
RetentionRules Age(std::chrono::milliseconds age) { return RetentionRules{age.count(), {}, {}}; }

/// Six records, one a minute, of two entries with 2 records and 10 bytes, and 1 record and 5 bytes; all of it settled.
class RetainerTest : public testing::Test {
 protected:
  void Fill(LogId log = kLog, int records = 6) {
    for (int i = 0; i < records; ++i) {
      world_.Append(log, log.ToString() + "-" + std::to_string(i), {{2, "0123456789"}, {1, "01234"}});
      EXPECT_TRUE(world_.sim.RunFor(1min).ok());
    }
    EXPECT_TRUE(world_.sim.RunFor(10min).ok());
  }
  RetentionOutcome Retain(RetentionRules rules, RetainerOptions options = RetainerOptions()) {
    return world_.Retain(kLog, rules, options);
  }

  RetainerWorld world_;
};

TEST_F(RetainerTest, WithinRawRecords) {
  Fill();
  Retainer retainer(world_.Parts(), RetainerOptions());
  RetentionOutcome outcome = world_.RetainBy(retainer, kLog, Bytes(69));
  EXPECT_EQ(outcome.kind, Kind::kTrimmed) << outcome.status.ToString();
  EXPECT_EQ(outcome.before, Offset(0));
  EXPECT_EQ(outcome.after, Offset(3));
  EXPECT_EQ(outcome.reason, RetentionReason::kBytes);
  EXPECT_EQ(outcome.records, 3);
  EXPECT_EQ(outcome.bytes, 15);
  EXPECT_EQ(outcome.kept_records, 15);
  EXPECT_EQ(outcome.kept_bytes, 75);
  EXPECT_EQ(outcome.index_records, 1);
  EXPECT_EQ(outcome.reclaimed_bytes, 15);
  EXPECT_EQ(world_.Index(kLog), "R6 R9 R12 R15 R18");

  outcome = world_.RetainBy(retainer, kLog, Bytes(65));
  EXPECT_EQ(outcome.after, Offset(5));
  EXPECT_EQ(outcome.bytes, 10);
  EXPECT_EQ(outcome.kept_bytes, 65);
  EXPECT_EQ(world_.Index(kLog), "R6 R9 R12 R15 R18");

  outcome = world_.RetainBy(retainer, kLog, Records(7));
  EXPECT_EQ(outcome.after, Offset(11));
  EXPECT_EQ(outcome.reason, RetentionReason::kRecords);
  EXPECT_EQ(outcome.records, 6);
  EXPECT_EQ(outcome.bytes, 30);
  EXPECT_EQ(world_.Index(kLog), "R12 R15 R18");

  outcome = world_.RetainBy(retainer, kLog, Records(7));
  EXPECT_EQ(outcome.kind, Kind::kKept);
  EXPECT_EQ(outcome.reason, RetentionReason::kNone);
  EXPECT_EQ(outcome.kept_records, 7);
  EXPECT_EQ(outcome.kept_bytes, 35);
  // Another one has not seen where the marker lies in its record.
  EXPECT_EQ(Retain(Records(7)).kept_bytes, 45);
}

TEST_F(RetainerTest, ByTime) {
  Fill();
  // The records are 16, 15, 14, 13, 12 and 11 minutes old.
  RetentionOutcome outcome = Retain(Age(16min));
  EXPECT_EQ(outcome.kind, Kind::kKept) << outcome.status.ToString();
  outcome = Retain(Age(14min + 30s));
  EXPECT_EQ(outcome.after, Offset(6));
  EXPECT_EQ(outcome.reason, RetentionReason::kTime);
  EXPECT_EQ(world_.Index(kLog), "R9 R12 R15 R18");
}

TEST_F(RetainerTest, WithinCompactedRecordsToTheEntry) {
  Fill();
  world_.Compact(kLog, 0, 12, {5, 8});
  EXPECT_EQ(world_.Index(kLog), "P12 R15 R18");
  RetentionOutcome outcome = Retain(Records(14));
  EXPECT_EQ(outcome.after, Offset(3));
  EXPECT_EQ(outcome.bytes, 15);
  outcome = Retain(Bytes(65));
  EXPECT_EQ(outcome.after, Offset(5));
  EXPECT_EQ(outcome.bytes, 10);
  // The third of four is 14 minutes old, and lies in two files.
  outcome = Retain(Age(13min + 30s));
  EXPECT_EQ(outcome.after, Offset(9));
  EXPECT_EQ(outcome.records, 4);
  EXPECT_EQ(outcome.bytes, 20);
  EXPECT_EQ(outcome.kept_bytes, 45);
  EXPECT_EQ(outcome.index_records, 0);
  EXPECT_EQ(world_.Files(), 6u);

  outcome = Retain(Age(12min + 30s));
  EXPECT_EQ(outcome.after, Offset(12));
  EXPECT_EQ(outcome.index_records, 1);
  EXPECT_EQ(outcome.files, 3);
  EXPECT_EQ(outcome.reclaimed_bytes, 60);
  EXPECT_EQ(world_.Files(), 0u);
  EXPECT_EQ(world_.Index(kLog), "R15 R18");
}

TEST_F(RetainerTest, ABoundaryWithinARecordIsReadOnce) {
  Fill();
  world_.Compact(kLog, 0, 12);
  Retainer retainer(world_.Parts(), RetainerOptions{.cache_bytes = 0});
  EXPECT_EQ(world_.RetainBy(retainer, kLog, Age(14min + 30s)).after, Offset(6));
  world_.compacted.gets.clear();
  EXPECT_EQ(world_.RetainBy(retainer, kLog, Age(14min + 30s)).kind, Kind::kKept);
  EXPECT_EQ(world_.compacted.gets.size(), 0u);
  ASSERT_TRUE(world_.sim.RunFor(1min).ok());
  EXPECT_EQ(world_.RetainBy(retainer, kLog, Age(14min + 30s)).after, Offset(9));
  EXPECT_EQ(world_.compacted.gets.size(), 1u);
}

TEST_F(RetainerTest, TheLastRecordStays) {
  Fill(kLog, 3);
  for (const RetentionRules& rules : {Bytes(0), Records(0), Age(0ms)}) {
    const RetentionOutcome outcome = Retain(rules);
    EXPECT_TRUE(outcome.capped);
    EXPECT_EQ(outcome.after, Offset(6));
    EXPECT_EQ(outcome.kept_records, 3);
    EXPECT_EQ(outcome.kept_bytes, 15);
    EXPECT_EQ(world_.Index(kLog), "R9");
  }
  // An idle log's last record becomes a file of its own, which stays as well.
  world_.Compact(kLog, 6, 9);
  const RetentionOutcome outcome = Retain(Age(0ms));
  EXPECT_TRUE(outcome.capped);
  EXPECT_EQ(outcome.kind, Kind::kKept);
  EXPECT_EQ(world_.Index(kLog), "P9");
  EXPECT_EQ(world_.Files(), 2u);
  EXPECT_FALSE(Retain(Age(1h)).capped);
}

TEST_F(RetainerTest, LogsWithoutRecords) {
  RetentionOutcome outcome = Retain(Records(0));
  EXPECT_EQ(outcome.kind, Kind::kKept) << outcome.status.ToString();
  EXPECT_EQ(outcome.kept_records, 0);
  world_.Append(LogId(6), "six", {{1, "a"}});
  world_.Append(LogId(8), "eight", {{1, "a"}});
  outcome = Retain(Records(0));
  EXPECT_EQ(outcome.kind, Kind::kKept);
  EXPECT_FALSE(outcome.capped);
}

TEST_F(RetainerTest, WhatOthersHaveTrimmedIsRemovedWithoutAnyRule) {
  Fill();
  world_.Compact(kLog, 0, 6);
  world_.SetMarker(kLog, 10);
  const RetentionOutcome outcome = Retain(RetentionRules());
  EXPECT_EQ(outcome.kind, Kind::kTrimmed);
  EXPECT_EQ(outcome.after, Offset(10));
  EXPECT_EQ(outcome.records, 0);
  EXPECT_EQ(outcome.index_records, 2);
  EXPECT_EQ(outcome.files, 1);
  EXPECT_EQ(world_.Index(kLog), "R12 R15 R18");
  EXPECT_EQ(world_.Files(), 0u);
}

TEST_F(RetainerTest, RecordsThatWritersMayLookForStayInTheIndex) {
  Fill(kLog, 2);
  for (const char* name : {"young", "last"}) world_.Append(kLog, name, {{1, "a"}});
  const RetentionOutcome outcome = Retain(Records(0));
  EXPECT_EQ(outcome.after, Offset(7));
  EXPECT_EQ(world_.Index(kLog), "R7 R8");
  ASSERT_TRUE(world_.sim.RunFor(61s).ok());
  EXPECT_EQ(Retain(Records(0)).index_records, 1);
  EXPECT_EQ(world_.Index(kLog), "R8");
}

TEST_F(RetainerTest, ADryRunChangesNothingAndTellsTheSame) {
  Fill();
  world_.Compact(kLog, 0, 12, {5});
  const std::string before = world_.Dump();
  for (const RetentionRules& rules : {Bytes(69), Records(8), Age(12min + 30s), Records(0)}) {
    const RetentionOutcome told = Retain(rules, RetainerOptions{.dry_run = true});
    EXPECT_EQ(world_.Dump(), before);
    RetainerWorld other;
    for (int i = 0; i < 6; ++i) {
      other.Append(kLog, "7-" + std::to_string(i), {{2, "0123456789"}, {1, "01234"}});
      ASSERT_TRUE(other.sim.RunFor(1min).ok());
    }
    ASSERT_TRUE(other.sim.RunFor(10min).ok());
    other.Compact(kLog, 0, 12, {5});
    const RetentionOutcome done = other.Retain(kLog, rules);
    EXPECT_EQ(RetainerWorld::Told(told), RetainerWorld::Told(done));
  }
}

TEST_F(RetainerTest, AnOldEntryBehindAYoungOneStays) {
  Fill();
  CompactedDraft draft = world_.Draft(kLog, 0, 12, {6});
  // The clock stood an hour ahead for a while.
  for (std::size_t row : {2u, 3u}) draft.files[0].rows[row].timestamp_ms += 3'600'000;
  world_.Install(draft);
  EXPECT_EQ(Retain(Age(5min)).after, Offset(3));
  // Bytes do not ask for times.
  EXPECT_EQ(Retain(RetentionRules{300'000, 60, {}}).after, Offset(15));
}

TEST_F(RetainerTest, OneLogsDamageStopsNoOther) {
  Fill(LogId(1));
  Fill(LogId(2));
  Fill(LogId(3));
  world_.PutMeta(LogId(2), TrimMarkerKey(LogId(2)), "no number");
  std::map<LogId, RetentionOutcome> outcomes;
  const Status passed = world_.Pass({{LogId(1), Records(6)}, {LogId(2), Records(6)}, {LogId(3), Records(9)}}, &outcomes);
  EXPECT_TRUE(passed.ok()) << passed.ToString();
  EXPECT_EQ(outcomes[LogId(1)].after, Offset(12));
  EXPECT_EQ(outcomes[LogId(2)].kind, Kind::kFailed);
  EXPECT_EQ(outcomes[LogId(2)].status.code(), StatusCode::kCorrupt);
  EXPECT_EQ(outcomes[LogId(3)].after, Offset(9));
  EXPECT_EQ(world_.Pass({{LogId(1), {}}, {LogId(-1), {}}}, &outcomes).code(), StatusCode::kInvalidArgument);
}

TEST_F(RetainerTest, WhatCannotBeReadIsKeptAndNamed) {
  struct Case {
    const char* what;
    RetentionRules rules;
    std::int64_t after;
  };
  const Case cases[] = {{"companion", Bytes(40), 6}, {"companion", Bytes(30), 12}, {"object", Bytes(20), 12},
                        {"object", Bytes(15), 15},   {"gap", Bytes(1), 12},        {"file index", Records(10), 6}};
  for (const Case& c : cases) {
    SCOPED_TRACE(c.what);
    RetainerWorld world;
    for (int i = 0; i < 6; ++i) world.Append(kLog, std::to_string(i), {{2, "0123456789"}, {1, "01234"}});
    ASSERT_TRUE(world.sim.RunFor(10min).ok());
    world.Compact(kLog, 0, 6);
    const CompactedDraft draft = world.Compact(kLog, 6, 12);
    const std::string what = c.what;
    if (what == "companion") world.RemoveCompacted(draft.CompanionOf(0));
    if (what == "object") world.RemoveObject("4");
    if (what == "gap") world.RemoveIndex(kLog, 15, 15);
    if (what == "file index") {
      const std::string key = IndexKey{kLog, Offset(12), 60}.Encode();
      EntryIndex index = *DecodeEntryIndex(Buffer(world.Value(kLog, key)).span(), key);
      index.extra_data[0].value = "no base64";
      world.PutMeta(kLog, key, EncodeEntryIndex(index));
    }
    const RetentionOutcome outcome = world.Retain(kLog, c.rules);
    EXPECT_EQ(outcome.after, Offset(c.after));
    const bool needed = c.after != 15 && !(what == "companion" && c.after == 12);
    EXPECT_EQ(outcome.kind, needed ? Kind::kFailed : Kind::kTrimmed);
    EXPECT_EQ(outcome.status.code(), needed ? StatusCode::kCorrupt : StatusCode::kOk) << outcome.status.ToString();
  }
}

TEST_F(RetainerTest, ALogThatIsBeingDeletedIsLeftAlone) {
  Fill();
  world_.PutMeta(kLog, WriteFenceKey(kLog), std::string(kWriteFenceValue));
  EXPECT_EQ(Retain(Records(3)).kind, Kind::kFenced);
  EXPECT_EQ(Retain(Records(3), RetainerOptions{.dry_run = true}).kind, Kind::kFenced);
  EXPECT_EQ(world_.Index(kLog), "R3 R6 R9 R12 R15 R18");
}

TEST_F(RetainerTest, AClockThatIsAheadLetsNothingGoEarly) {
  Fill();
  SimNode& fast = world_.sim.AddNode("fast");
  fast.ShiftWall(24h);
  EXPECT_EQ(world_.RetainOn(fast, kLog, Age(20min)).kind, Kind::kKept);
  EXPECT_EQ(world_.RetainOn(fast, kLog, Age(14min + 30s)).after, Offset(6));
  // The store's own clock was ahead: creation times stand still until the time has come, but ours goes on.
  world_.clock_ahead_ms = 86'400'000;
  EXPECT_EQ(Retain(Age(20min)).kind, Kind::kKept);
  EXPECT_EQ(Retain(Age(13min + 30s)).after, Offset(9));
}

TEST_F(RetainerTest, AfterAnyFaultTheNextPassGoesOn) {
  using Op = MetadataOp;
  struct Case {
    Op op;
    MetadataFault fault;
    StatusCode code;  ///< kOk: overcome within the pass
  };
  const Case cases[] = {{Op::kRead, MetadataFault::FailUnavailable(), StatusCode::kUnavailable},
                        {Op::kScan, MetadataFault::FailUnavailable(), StatusCode::kUnavailable},
                        {Op::kCreateIfAbsent, MetadataFault::FailUnavailable(), StatusCode::kUnavailable},
                        {Op::kCreateIfAbsent, MetadataFault::LoseAnswer(), StatusCode::kOk},
                        {Op::kCreateEphemeral, MetadataFault::FailUnavailable(), StatusCode::kUnavailable},
                        {Op::kDeleteRange, MetadataFault::LoseAnswer(), StatusCode::kOk}};
  for (const Case& c : cases) {
    SCOPED_TRACE(MetadataOpName(c.op));
    RetainerWorld world;
    for (int i = 0; i < 6; ++i) world.Append(kLog, std::to_string(i), {{2, "0123456789"}, {1, "01234"}});
    ASSERT_TRUE(world.sim.RunFor(10min).ok());
    world.Compact(kLog, 0, 6);
    world.meta_faults.OnNext(c.op, "", c.fault);
    const RetentionOutcome outcome = world.Retain(kLog, Records(9));
    EXPECT_EQ(outcome.status.code(), c.code) << outcome.status.ToString();
    EXPECT_EQ(world.meta_faults.rules_left(), 0);
    EXPECT_TRUE(world.Retain(kLog, Records(9)).status.ok());
    EXPECT_EQ(world.Index(kLog), "R12 R15 R18");
    EXPECT_EQ(world.Files(), 0u);
    EXPECT_EQ(world.FreshText(kLog, 0).substr(0, 4), "9:01");
  }
}

TEST_F(RetainerTest, RecordsStayUntilTheirFilesAreGone) {
  Fill();
  world_.Compact(kLog, 0, 6);
  world_.object_faults.OnNext(ObjectOp::kDelete, "", Fault::FailUnavailable());
  RetentionOutcome outcome = Retain(Records(9));
  EXPECT_EQ(outcome.kind, Kind::kFailed);
  EXPECT_EQ(outcome.status.code(), StatusCode::kUnavailable);
  // What was done is told.
  EXPECT_EQ(outcome.after, Offset(9));
  EXPECT_EQ(outcome.records, 9);
  EXPECT_EQ(world_.Index(kLog), "P6 R9 R12 R15 R18");
  outcome = Retain(Records(9));
  EXPECT_EQ(outcome.index_records, 2);
  EXPECT_EQ(outcome.files, 1);
  EXPECT_EQ(world_.Index(kLog), "R12 R15 R18");
}

TEST_F(RetainerTest, APassThatIsCancelledSaysWhatWasDone) {
  Fill();
  std::stop_source stop;
  stop.request_stop();
  std::map<LogId, RetentionOutcome> outcomes;
  const OpContext context = OpContext().WithCancel(stop.get_token());
  EXPECT_EQ(world_.Pass({{kLog, Records(3)}}, &outcomes, context).code(), StatusCode::kCancelled);
  EXPECT_TRUE(outcomes.empty());
}

TEST(RetainerRandom, WhatIsKeptIsWhatWasAskedToTheEntry) {
  int compacted = 0;
  int trimmed = 0;
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    SCOPED_TRACE(seed);
    RetainerWorld world(seed);
    Random& random = world.sim.Stream("test");
    const auto below = [&random](std::uint64_t n) { return static_cast<std::int64_t>(random.Below(n)); };
    std::vector<std::int64_t> ends;
    for (int round = 0; round < 4; ++round) {
      for (std::int64_t i = below(5); i > 0; --i) {
        std::vector<TestEntry> entries;
        std::int64_t end = ends.empty() ? 0 : ends.back();
        for (std::int64_t n = 1 + below(3); n > 0; --n) {
          entries.push_back({static_cast<std::int32_t>(1 + below(3)), std::string(random.Below(5), 'x')});
          end += entries.back().records;
        }
        world.Append(kLog, "o" + std::to_string(ends.size()), entries);
        ends.push_back(end);
        ASSERT_TRUE(world.sim.RunFor(std::chrono::seconds(below(100))).ok());
      }
      compacted += world.CompactSome(kLog, random) ? 1 : 0;
      const auto maybe = [&](std::uint64_t n) {
        return below(2) == 0 ? std::optional<std::int64_t>() : std::optional<std::int64_t>(below(n));
      };
      const RetentionRules rules{maybe(400'000), maybe(40), maybe(30)};
      const std::int64_t expected = world.Expected(kLog, rules);
      const RetentionOutcome outcome = world.Retain(kLog, rules);
      ASSERT_TRUE(outcome.status.ok()) << outcome.status.ToString();
      ASSERT_EQ(outcome.after.value(), expected) << world.Index(kLog);
      trimmed += outcome.after > outcome.before ? 1 : 0;
    }
  }
  EXPECT_GT(compacted, 100);
  EXPECT_GT(trimmed, 200);
}

/// Each rule, broken: what is then done is wrong, and shows.
class RetainerRules : public RetainerTest {
 protected:
  template <class Look>
  void ExpectDifference(Rule rule, Look look) {
    const std::string whole = look();
    const RuleBreaker breaker(rule);
    EXPECT_NE(look(), whole);
  }
  /// What is left of a log of which so much is compacted.
  std::string After(RetentionRules rules, std::int64_t compacted) {
    RetainerWorld world;
    for (int i = 0; i < 6; ++i) world.Append(kLog, std::to_string(i), {{1, "01234"}});
    EXPECT_TRUE(world.sim.RunFor(10min).ok());
    if (compacted > 0) world.Compact(kLog, 0, compacted);
    world.object_faults.OnNext(ObjectOp::kDelete, "", Fault::FailUnavailable());
    world.Retain(kLog, rules);
    return world.FreshText(kLog, 0) + " " + world.Index(kLog);
  }
};

TEST_F(RetainerRules, TheBytesOfTheLimitStay) {
  ExpectDifference(Rule::kRetentionKeepsTheBytes, [&] { return After(Bytes(12), 0); });
}
TEST_F(RetainerRules, TheLastRecordStays) {
  ExpectDifference(Rule::kLastRecordStays, [&] { return After(Records(0), 0); });
}
TEST_F(RetainerRules, NothingAboveTheMarkerIsRemoved) {
  ExpectDifference(Rule::kHardTrimStopsAtMarker, [&] { return After(Records(3), 0); });
}
TEST_F(RetainerRules, FilesGoBeforeTheirRecords) {
  ExpectDifference(Rule::kFilesGoBeforeTheirRecords, [&] { return After(Records(3), 3); });
}
TEST_F(RetainerRules, EachTimeIsAskedFor) {
  Fill();
  CompactedDraft draft = world_.Draft(kLog, 0, 12, {6});
  draft.files[0].rows[1].timestamp_ms += 3'600'000;
  world_.Install(draft);
  ExpectDifference(Rule::kRetentionAsksForEachTime, [&] { return RetainerWorld::Told(Retain(Age(5min))); });
}
TEST_F(RetainerRules, TheStoresClockIsAsked) {
  Fill();
  SimNode& fast = world_.sim.AddNode("fast");
  fast.ShiftWall(24h);
  ExpectDifference(Rule::kRetentionGoesByTheStoresClock,
                   [&] { return RetainerWorld::Told(world_.RetainOn(fast, kLog, Age(20min))); });
}
TEST_F(RetainerRules, YoungRecordsStay) {
  const auto look = [] {
    RetainerWorld world;
    for (int i = 0; i < 3; ++i) world.Append(kLog, std::to_string(i), {{1, "a"}});
    world.Retain(kLog, Records(0));
    return world.Index(kLog);
  };
  ExpectDifference(Rule::kYoungRecordsStay, look);
}

}  // namespace
}  // namespace lakestream
