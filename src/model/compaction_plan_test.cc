#include "model/compaction_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lakestream::model {
namespace {

using namespace std::chrono_literals;
using Kind = CompactionDecision::Kind;

constexpr std::int64_t kMiB = std::int64_t{1} << 20;
constexpr std::int64_t kNowMs = 1'800'000'000'000;

/// The index records of one log, and what is known of it. Records have 10 offsets, 1000 bytes and 2 entries each, come
/// a second apart, and end well before now; an object holds nothing else.
struct Log {
  CompactionOptions options;
  CompactionSituation situation;
  std::vector<PlanRecord> records;
  std::vector<QuarantinedRange> quarantined;
  std::int64_t created_ms = kNowMs - 500'000;

  Log() {
    situation.state = CompactionState::kIdle;
    situation.now_ms = kNowMs;
  }

  Log& Raw(std::int64_t count = 1, std::int64_t bytes = 1000) {
    for (; count > 0; --count) Push(FileType::kRaw, 10, bytes);
    return *this;
  }
  Log& Parquet(std::int64_t offsets = 10) { return Push(FileType::kParquet, offsets, 1000); }
  Log& Quarantined(std::int64_t bytes = 1000) {
    Raw(1, bytes);
    quarantined.push_back(QuarantinedRange{CompactionRange{records.back().start, records.back().end}, "missing"});
    return *this;
  }
  /// The records so far came so long before now.
  Log& Aged(Duration age) {
    const std::int64_t by = records.back().created_ms - (kNowMs - ToMillis(age));
    for (PlanRecord& record : records) record.created_ms -= by;
    return *this;
  }

  Log& Push(FileType kind, std::int64_t offsets, std::int64_t bytes) {
    PlanRecord record;
    record.kind = kind;
    if (!records.empty()) {
      record.start = records.back().end;
      record.cumulative_before = records.back().cumulative_after;
    }
    record.end = record.start + offsets;
    record.cumulative_after = record.cumulative_before + bytes;
    record.entries = 2;
    record.created_ms = created_ms += 1000;
    record.object = "object-" + std::to_string(records.size());
    record.region_bytes = bytes;
    records.push_back(record);
    return *this;
  }

  CompactionDecision Plan() {
    situation.quarantined = quarantined;
    CompactionPlan plan(options, situation);
    for (const PlanRecord& record : records) {
      if (!plan.wants_more()) break;
      plan.Add(record);
    }
    return plan.Finish();
  }
};

void ExpectRange(const CompactionDecision& decision, PlanReason reason, std::int64_t start, std::int64_t end) {
  EXPECT_EQ(decision.kind, Kind::kCompact) << Explain(decision);
  EXPECT_EQ(PlanReasonName(decision.reason), PlanReasonName(reason)) << Explain(decision);
  EXPECT_EQ(decision.range, (CompactionRange{Offset(start), Offset(end)})) << Explain(decision);
  EXPECT_FALSE(decision.look_again_ms) << Explain(decision);
}

void ExpectNothing(const CompactionDecision& decision, PlanReason reason) {
  EXPECT_EQ(decision.kind, Kind::kNothing) << Explain(decision);
  EXPECT_EQ(PlanReasonName(decision.reason), PlanReasonName(reason)) << Explain(decision);
}

TEST(CompactionPlan, ARangeClosesAtItsTargetSizeAndTellsAllOfIt) {
  Log log;
  log.options.target_bytes = 2500;
  log.Raw(5);
  const CompactionDecision d = log.Plan();
  ExpectRange(d, PlanReason::kTargetSize, 0, 30);
  EXPECT_EQ(d.cumulative_before, 0);
  EXPECT_EQ(d.cumulative_after, 3000);
  EXPECT_EQ(d.records(), 30);
  EXPECT_EQ(d.bytes(), 3000);
  EXPECT_EQ(d.entries, 6);
  EXPECT_EQ(d.index_records, 3);
  EXPECT_EQ(d.most_files, 1);
  EXPECT_EQ(d.oldest_object, "object-0");
  EXPECT_EQ(Explain(d),
            "compact: the range has reached its target size start=0 end=30 cumulative_size=3000 entries=6 bytes=3000 "
            "index_records=3 most_files=1 pinned_bytes=12288 oldest_object=object-0");
}

TEST(CompactionPlan, ItReadsNoMoreThanItNeeds) {
  Log log;
  log.options.target_bytes = 2500;
  log.Raw(100);
  CompactionPlan plan(log.options, log.situation);
  int added = 0;
  for (const PlanRecord& record : log.records) {
    if (!plan.wants_more()) break;
    plan.Add(record);
    ++added;
  }
  EXPECT_EQ(added, 4) << "one more than the range, which shows that the range is not the log's end";
}

TEST(CompactionPlan, TheLastRecordIsNoPartOfARange) {
  Log log;
  log.options.target_bytes = 2000;
  ExpectNothing(log.Raw(2).Plan(), PlanReason::kTooSmall);
  ExpectRange(log.Raw(1).Plan(), PlanReason::kTargetSize, 0, 20);
  ExpectNothing(Log().Raw(1).Plan(), PlanReason::kOnlyLast);
  ExpectNothing(Log().Plan(), PlanReason::kNoRecords);
}

TEST(CompactionPlan, NothingIsPlannedBesideAnotherCompaction) {
  for (const CompactionState state :
       {CompactionState::kWorking, CompactionState::kInstalling, CompactionState::kDropped}) {
    Log log;
    log.situation.state = state;
    log.options.target_bytes = 1;
    CompactionPlan plan(log.options, log.situation);
    EXPECT_FALSE(plan.wants_more());
    ExpectNothing(log.Raw(3).Plan(), PlanReason::kNotIdle);
  }
  Log log;
  log.situation.state = CompactionState::kAbsent;
  log.options.target_bytes = 1;
  ExpectRange(log.Raw(3).Plan(), PlanReason::kTargetSize, 0, 10);
}

TEST(CompactionPlan, ARangeEndsBeforeAParquetRecordAndTheNextOneStartsBehindIt) {
  Log log;
  log.Raw(2).Parquet(50).Raw(3);
  ExpectRange(log.Plan(), PlanReason::kCannotGrow, 0, 20);
  log.situation.next = Offset(20);
  log.options.target_bytes = 1500;
  const CompactionDecision d = log.Plan();
  ExpectRange(d, PlanReason::kTargetSize, 70, 90);
  EXPECT_EQ(d.cumulative_before, 3000);
  EXPECT_EQ(d.flaws, 0);
}

TEST(CompactionPlan, WhatHasBeenPassedOverIsNotLookedAtAgain) {
  Log log;
  log.options.target_bytes = 1;
  log.situation.next = Offset(30);
  ExpectRange(log.Raw(6).Plan(), PlanReason::kTargetSize, 30, 40);
  Log done;
  done.situation.next = Offset(10);
  ExpectNothing(done.Parquet().Plan(), PlanReason::kNothingRaw);
}

TEST(CompactionPlan, AQuarantinedRecordIsPassedOver) {
  Log log;
  log.Raw(2).Quarantined().Raw(3);
  ExpectRange(log.Plan(), PlanReason::kCannotGrow, 0, 20);
  log.situation.next = Offset(20);
  log.options.target_bytes = 2000;
  const CompactionDecision d = log.Plan();
  ExpectRange(d, PlanReason::kTargetSize, 30, 50);
  EXPECT_EQ(d.quarantined, 1);
  EXPECT_EQ(d.flaws, 0);
  Log only;
  only.Quarantined();
  const CompactionDecision nothing = only.Plan();
  ExpectNothing(nothing, PlanReason::kNothingRaw);
  EXPECT_EQ(nothing.quarantined, 1);
}

TEST(CompactionPlan, WhatIsTrimmedIsHardTrimmedFirst) {
  Log log;
  log.options.target_bytes = 1;
  log.situation.trim_marker = Offset(25);
  const CompactionDecision d = log.Raw(5).Plan();
  EXPECT_EQ(d.kind, Kind::kTrimFirst);
  EXPECT_EQ(d.trim_to, Offset(20)) << "not the record that reaches over the marker";
  EXPECT_EQ(Explain(d), "trim first: index records end at or below the trim marker trim_to=20");
  // After that the range starts where the record before it ended.
  log.records.erase(log.records.begin(), log.records.begin() + 2);
  ExpectRange(log.Plan(), PlanReason::kTargetSize, 20, 30);
  EXPECT_EQ(log.Plan().flaws, 0);
}

TEST(CompactionPlan, AQuarantinedRecordIsTrimmedTooAndTheLastOneNever) {
  Log log;
  log.situation.trim_marker = Offset(10);
  EXPECT_EQ(log.Quarantined().Raw(2).Plan().trim_to, Offset(10));
  Log damaged;
  damaged.situation.trim_marker = Offset(100);
  EXPECT_EQ(damaged.Raw(2).Plan().trim_to, Offset(10)) << "a marker beyond the log";
  damaged.records.erase(damaged.records.begin());
  damaged.Aged(24h);
  const CompactionDecision d = damaged.Plan();
  ExpectNothing(d, PlanReason::kOnlyLast);
  EXPECT_EQ(d.flaws, 1);
}

TEST(CompactionPlan, YoungRecordsStay) {
  Log log;
  log.options.target_bytes = 1;
  log.Raw(3);
  log.records[0].created_ms = kNowMs - 59'999;
  CompactionDecision d = log.Plan();
  ExpectNothing(d, PlanReason::kTooYoung);
  EXPECT_EQ(d.look_again_ms, kNowMs + 1);
  log.records[0].created_ms = kNowMs - 60'000;
  ExpectRange(log.Plan(), PlanReason::kTargetSize, 0, 10);
  // A range ends before a young record, and does not close for it.
  log.options.target_bytes = 2000;
  log.records[1].created_ms = kNowMs;
  d = log.Plan();
  ExpectNothing(d, PlanReason::kTooSmall);
  EXPECT_EQ(d.range, (CompactionRange{Offset(0), Offset(10)}));
  EXPECT_EQ(d.look_again_ms, kNowMs + 60'000);
  // Neither are they trimmed: a writer may look for its answer below the marker, too.
  log.situation.trim_marker = Offset(20);
  EXPECT_EQ(log.Plan().trim_to, Offset(10));
  log.records[0].created_ms = kNowMs;
  ExpectNothing(log.Plan(), PlanReason::kTooYoung);
}

TEST(CompactionPlan, TheLastRecordIsLookedAtAgainWhenItIsSettled) {
  Log idle;
  idle.options.idle_close = 1s;
  CompactionDecision d = idle.Raw(1).Aged(10s).Plan();
  ExpectNothing(d, PlanReason::kOnlyLast);
  EXPECT_EQ(d.look_again_ms, kNowMs + 50'000);
  ExpectRange(idle.Aged(60s).Plan(), PlanReason::kIdleLast, 0, 10);

  Log pins;
  pins.options.small_range_cost = 1;
  d = pins.Raw(1).Aged(10s).Plan();
  ExpectNothing(d, PlanReason::kOnlyLast);
  EXPECT_EQ(d.look_again_ms, kNowMs + 50'000);
  ExpectRange(pins.Aged(60s).Plan(), PlanReason::kPinsMore, 0, 10);
}

TEST(CompactionPlan, AClockThatIsWrongStopsOnlyWhatNeedsIt) {
  Log log;
  log.Raw(3).Aged(-(24h * 365));
  log.options.decent_bytes = 1;
  ExpectNothing(log.Plan(), PlanReason::kTooSmall);
  log.options.target_bytes = 1;
  ExpectRange(log.Plan(), PlanReason::kTargetSize, 0, 10);
  log.Aged(-50min);
  ExpectNothing(log.Plan(), PlanReason::kTooYoung);
}

TEST(CompactionPlan, OldAndLargeEnough) {
  Log log;
  log.Raw(17, kMiB);
  log.records[0].created_ms = kNowMs - 599'999;
  CompactionDecision d = log.Plan();
  ExpectNothing(d, PlanReason::kTooSmall);
  EXPECT_EQ(d.look_again_ms, kNowMs + 1);
  log.records[0].created_ms = kNowMs - 600'000;
  ExpectRange(log.Plan(), PlanReason::kOldEnough, 0, 160);
  // Also before one that is too young.
  log.Raw(1).records[16].created_ms = kNowMs;
  ExpectRange(log.Plan(), PlanReason::kOldEnough, 0, 160);
  log.records.resize(16);
  ExpectNothing(log.Plan(), PlanReason::kTooSmall);
}

TEST(CompactionPlan, WhatItPinsMayCostMoreThanASmallRange) {
  Log log;
  log.Raw(3, 100);
  for (PlanRecord& record : log.records) {
    record.created_ms = kNowMs - 100'000;
    record.region_bytes = 100 + 30'000'000'000 - kIndexRecordPin;
  }
  log.records[2].created_ms = kNowMs - 70'000;
  const CompactionDecision d = log.Plan();
  ExpectRange(d, PlanReason::kPinsMore, 0, 20);
  EXPECT_EQ(d.pinned_bytes, 60'000'000'000);
  for (PlanRecord& record : log.records) record.region_bytes -= 1'000'000;
  const CompactionDecision later = log.Plan();
  ExpectNothing(later, PlanReason::kTooSmall);
  EXPECT_EQ(later.look_again_ms, kNowMs + 1000);
  // So may the last record by itself, long before a rare log is idle.
  Log last;
  last.Parquet().Raw(1, 100);
  last.situation.next = Offset(10);
  last.records[0].created_ms = kNowMs - ToMillis(24h * 90);
  last.records[1].region_bytes = 8 * kMiB;
  last.Aged(24h * 8 + 7h);
  ExpectRange(last.Plan(), PlanReason::kPinsMore, 10, 20);
  const CompactionDecision wait = last.Aged(24h * 8).Plan();
  ExpectNothing(wait, PlanReason::kOnlyLast);
  EXPECT_LT(wait.look_again_ms, kNowMs + ToMillis(7h));
  // Where it costs nothing, that is not why.
  log.options.small_range_cost = last.options.small_range_cost = 0;
  ExpectRange(log.Plan(), PlanReason::kAtOnce, 0, 20);
  ExpectRange(last.Plan(), PlanReason::kAtOnce, 10, 20);
  // A log's own bytes stay in any case.
  for (PlanRecord& record : log.records) record.region_bytes = 100;
  EXPECT_EQ(log.Plan().pinned_bytes, 2 * kIndexRecordPin);
}

TEST(CompactionPlan, SumsThatNoNumberHoldsAreLarge) {
  Log log;
  log.Raw(3, 100);
  for (PlanRecord& record : log.records) record.region_bytes = std::numeric_limits<std::int64_t>::max();
  ExpectRange(log.Plan(), PlanReason::kPinsMore, 0, 20);
}

TEST(CompactionPlan, AnIdleLogIsCompactedToItsEnd) {
  Log log;
  log.Raw(3).Aged(1h - 1ms);
  CompactionDecision d = log.Plan();
  ExpectNothing(d, PlanReason::kTooSmall);
  EXPECT_EQ(d.look_again_ms, kNowMs + 1);
  ExpectRange(log.Aged(1h).Plan(), PlanReason::kIdle, 0, 20);
  log.situation.next = Offset(20);
  ExpectRange(log.Plan(), PlanReason::kIdleLast, 20, 30);
  log.situation.next = Offset(30);
  ExpectNothing(log.Plan(), PlanReason::kNothingRaw);
}

TEST(CompactionPlan, ALogIsIdleByItsOwnMeasure) {
  // Two records ten hours apart: ten gaps are 100 hours.
  Log log;
  log.Raw(2);
  log.records[0].created_ms = kNowMs - ToMillis(110h);
  log.records[1].created_ms = kNowMs - ToMillis(100h) + 1;
  EXPECT_EQ(log.Plan().look_again_ms, kNowMs + 11);
  log.situation.now_ms += 10;
  ExpectNothing(log.Plan(), PlanReason::kTooSmall);
  log.situation.now_ms += 1;
  ExpectRange(log.Plan(), PlanReason::kIdle, 0, 10);
  // The time of the record before the range counts, though it is passed over: its gap is two hours.
  Log rare;
  rare.Parquet().Raw(1);
  rare.situation.next = Offset(10);
  rare.records[0].created_ms = kNowMs - ToMillis(22h) + 1;
  rare.records[1].created_ms = kNowMs - ToMillis(20h) + 1;
  ExpectNothing(rare.Plan(), PlanReason::kOnlyLast);
  EXPECT_EQ(rare.Plan().look_again_ms, kNowMs + 1);
  rare.records.erase(rare.records.begin());
  ExpectRange(rare.Plan(), PlanReason::kIdleLast, 10, 20);
}

TEST(CompactionPlan, TheGapsBeforeWhatIsPassedOverAreNotKnown) {
  for (const bool overlap : {false, true}) {
    Log log;
    log.Raw(1).Parquet().Raw(1);
    log.situation.next = Offset(10);
    if (overlap) log.records[1].start = Offset(0);
    log.records[0].created_ms = kNowMs - ToMillis(30h);
    log.records[1].created_ms = kNowMs - ToMillis(61min);
    log.records[2].created_ms = kNowMs - ToMillis(1h);
    ExpectRange(log.Plan(), PlanReason::kIdleLast, 20, 30);
  }
}

TEST(CompactionPlan, TheLongestGapOfALogThatGetsBurstsCounts) {
  // Bursts of a hundred records within a second, two hours apart: ten mean gaps are six minutes.
  Log log;
  log.Raw(200);
  for (std::size_t i = 0; i < 200; ++i)
    log.records[i].created_ms = kNowMs - ToMillis(i < 100 ? 3h + 59min : 1h + 59min);
  const CompactionDecision d = log.Plan();
  ExpectNothing(d, PlanReason::kTooSmall);
  EXPECT_EQ(d.look_again_ms, kNowMs + ToMillis(2h + 1min));
}

TEST(CompactionPlan, LimitsHoldBeforeAnythingElse) {
  constexpr std::int64_t kMaxInt32 = std::numeric_limits<std::int32_t>::max();
  Log index_records;
  index_records.options.max_index_records = 3;
  ExpectRange(index_records.Raw(5).Plan(), PlanReason::kLimit, 0, 30);

  Log files;
  files.options.files.entries = 2;
  files.options.max_files = 2;
  const CompactionDecision d = files.Raw(5).Plan();
  ExpectRange(d, PlanReason::kLimit, 0, 20);
  EXPECT_EQ(d.most_files, 2);

  Log bytes;
  bytes.options.target_bytes = std::int64_t{1} << 40;
  bytes.options.max_files = 1000;
  bytes.Raw(1, kMaxInt32 - 1001).Raw(3);
  ExpectRange(bytes.Plan(), PlanReason::kLimit, 0, 20);
  EXPECT_EQ(bytes.Plan().bytes(), kMaxInt32 - 1);

  Log records;
  records.Push(FileType::kRaw, kMaxInt32 - 11, 1000).Raw(3);
  ExpectRange(records.Plan(), PlanReason::kLimit, 0, kMaxInt32 - 1);
}

TEST(CompactionPlan, ARecordBeyondEveryLimitIsARangeOfItsOwn) {
  Log log;
  log.Push(FileType::kRaw, 10, std::int64_t{1} << 33).Raw(2);
  ExpectRange(log.Plan(), PlanReason::kTargetSize, 0, 10);
}

TEST(CompactionPlan, NoRangeHoldsAGapOrAnOverlap) {
  Log gap;
  gap.Raw(5);
  gap.records.erase(gap.records.begin() + 2);
  CompactionDecision d = gap.Plan();
  ExpectRange(d, PlanReason::kCannotGrow, 0, 20);
  EXPECT_EQ(d.flaws, 1);
  EXPECT_EQ(d.first_flaw, Offset(20));
  gap.situation.next = Offset(20);
  gap.options.target_bytes = 1;
  d = gap.Plan();
  ExpectRange(d, PlanReason::kTargetSize, 30, 40);
  EXPECT_EQ(d.flaws, 1);
  gap.situation.trim_marker = Offset(35);
  EXPECT_EQ(gap.Plan().flaws, 0) << "below the marker nobody reads";

  Log sizes;
  sizes.Raw(5);
  sizes.records[2].cumulative_before += 1;
  d = sizes.Plan();
  ExpectRange(d, PlanReason::kCannotGrow, 0, 20);
  EXPECT_EQ(d.flaws, 1);

  // A compaction that is not finished: its PARQUET record stands beside the records that it replaces.
  Log overlap;
  overlap.Raw(2).Parquet().Raw(3);
  overlap.records[2].start = Offset(0);
  d = overlap.Plan();
  ExpectNothing(d, PlanReason::kTooSmall);
  EXPECT_EQ(d.range, (CompactionRange{Offset(30), Offset(50)}));
  EXPECT_EQ(d.flaws, 1);
  // Nor do those pin anything for the range behind them.
  overlap.records[0].region_bytes = std::int64_t{1} << 50;
  ExpectNothing(overlap.Plan(), PlanReason::kTooSmall);
  overlap.records.resize(3);
  d = overlap.Plan();
  ExpectNothing(d, PlanReason::kNothingRaw);
  EXPECT_EQ(d.range, CompactionRange{});
  EXPECT_EQ(d.bytes(), 0);
}

// Late writes into a log that was deleted begin at offset 0 again, so that two records may end together.
TEST(CompactionPlan, RecordsThatEndTogetherAreAFlaw) {
  Log log;
  log.Raw(2).Push(FileType::kRaw, 20, 5000).Raw(2);
  log.records[2].start = Offset(0);
  log.records[2].end = Offset(20);
  for (std::size_t i = 3; i < 5; ++i) {
    log.records[i].start = Offset(10 * static_cast<std::int64_t>(i) - 10);
    log.records[i].end = log.records[i].start + 10;
  }
  const CompactionDecision d = log.Plan();
  ExpectNothing(d, PlanReason::kTooSmall);
  EXPECT_EQ(d.range, (CompactionRange{Offset(20), Offset(30)}));
  EXPECT_EQ(d.flaws, 1);
  EXPECT_EQ(d.first_flaw, Offset(0));
}

TEST(CompactionPlan, ARecordThatReachesOverNextIsAFlaw) {
  Log log;
  log.situation.next = Offset(15);
  log.options.target_bytes = 1;
  const CompactionDecision d = log.Raw(4).Plan();
  EXPECT_EQ(d.flaws, 1);
  ExpectRange(d, PlanReason::kTargetSize, 20, 30);
}

/// What a letter stands for in the logs below: a RAW record, a PARQUET one, a quarantined one, a young one, and one
/// that was lost.
constexpr std::string_view kLetters = "RPQYL";

bool MayBeCompacted(const Log& log, std::size_t i) {
  const PlanRecord& record = log.records[i];
  const bool quarantined =
      std::any_of(log.quarantined.begin(), log.quarantined.end(),
                  [&record](const QuarantinedRange& one) { return one.range.end == record.end; });
  return record.kind == FileType::kRaw && !quarantined && record.end > log.situation.next;
}

bool Young(const Log& log, std::size_t i) { return log.situation.now_ms - log.records[i].created_ms < 60'000; }

void ExpectSound(const Log& log, const CompactionDecision& d) {
  const std::size_t last = log.records.size() - 1;
  const Offset marker = log.situation.trim_marker;
  std::optional<std::size_t> first;  // of the range
  std::optional<std::size_t> oldest;  // that may be part of one
  for (std::size_t i = 0; i <= last; ++i) {
    if (MayBeCompacted(log, i) && !oldest) oldest = i;
    if (d.kind == Kind::kCompact && log.records[i].start == d.range.start && !first) first = i;
  }
  if (d.kind == Kind::kTrimFirst) {
    bool found = false;
    for (std::size_t i = 0; i < last; ++i) {
      const PlanRecord& record = log.records[i];
      if (record.kind == FileType::kRaw && record.end == d.trim_to) found = !Young(log, i);
    }
    EXPECT_TRUE(found) << "a record that may go, and is not the last one";
    EXPECT_LE(d.trim_to, marker);
    EXPECT_GT(d.trim_to, log.situation.next);
  }
  if (d.kind != Kind::kCompact) return;
  ASSERT_TRUE(first && oldest);
  EXPECT_EQ(*first, *oldest) << "an older record is passed over";
  std::size_t at = *first;
  for (Offset reached = d.range.start; reached < d.range.end; ++at) {
    ASSERT_LE(at, last);
    const PlanRecord& record = log.records[at];
    EXPECT_EQ(record.start, reached) << "a gap in the range";
    EXPECT_TRUE(MayBeCompacted(log, at) && !Young(log, at));
    EXPECT_GT(record.end, marker) << "a record that nobody reads is compacted";
    EXPECT_TRUE(at < last || *first == last) << "the last record is part of a range";
    reached = record.end;
  }
  EXPECT_EQ(log.records[at - 1].end, d.range.end) << "a range ends with a record";
  EXPECT_EQ(log.records[at - 1].cumulative_after, d.cumulative_after);
  EXPECT_EQ(log.records[*first].cumulative_before, d.cumulative_before);
}

// Every log of up to five records, with the marker and `next` at each of their ends, idle or not, of large or small
// ranges.
TEST(CompactionPlan, EveryRangeOfEveryShortLogIsSound) {
  int compacted = 0;
  int trimmed = 0;
  for (int length = 1; length <= 5; ++length) {
    int logs = 1;
    for (int i = 0; i < length; ++i) logs *= static_cast<int>(kLetters.size());
    for (int code = 0; code < logs; ++code) {
      Log log;
      std::string name;
      std::vector<std::size_t> lost;
      for (int i = 0, rest = code; i < length; ++i, rest /= 5) {
        name += kLetters[static_cast<std::size_t>(rest % 5)];
        // Without bytes: so that the sizes of the records around them fit together.
        if (name.back() == 'P') {
          log.Push(FileType::kParquet, 10, 0);
        } else if (name.back() == 'Q') {
          log.Quarantined(0);
        } else {
          log.Raw(1, name.back() == 'L' ? 0 : 1000);
        }
        if (name.back() == 'Y') log.records.back().created_ms = kNowMs - 59'999;
        if (name.back() == 'L') lost.push_back(log.records.size() - 1);
      }
      for (auto i = lost.rbegin(); i != lost.rend(); ++i)
        log.records.erase(log.records.begin() + static_cast<std::ptrdiff_t>(*i));
      if (log.records.empty()) continue;
      for (int marker = 0; marker <= length; ++marker) {
        for (const int next : {0, length / 2}) {
          for (const std::int64_t target : {1000, 2000, 1 << 20}) {
            log.situation.trim_marker = Offset(10 * marker);
            log.situation.next = Offset(10 * next);
            log.options.target_bytes = target;
            log.options.idle_close = code % 2 == 0 ? 1ms : 24h;
            const CompactionDecision d = log.Plan();
            ExpectSound(log, d);
            ASSERT_FALSE(testing::Test::HasFailure()) << name << " marker " << marker << " next " << next << ": "
                                                      << Explain(d);
            compacted += d.kind == Kind::kCompact ? 1 : 0;
            trimmed += d.kind == Kind::kTrimFirst ? 1 : 0;
          }
        }
      }
    }
  }
  EXPECT_GT(compacted, 10'000);
  EXPECT_GT(trimmed, 10'000);
}

TEST(PlanRecordOf, TellsWhatARecordSays) {
  EntryIndex raw;
  raw.location = "7-00000001.wal";
  raw.message_count = 3;
  raw.entry_size_bytes = 8;
  raw.file_size = 20;
  raw.entry_count = 2;
  const Result<PlanRecord> record = PlanRecordOf(IndexKey{LogId(7), Offset(13), 108}, raw, 1234);
  ASSERT_TRUE(record.ok());
  EXPECT_EQ(record->start, Offset(10));
  EXPECT_EQ(record->end, Offset(13));
  EXPECT_EQ(record->cumulative_before, 100);
  EXPECT_EQ(record->cumulative_after, 108);
  EXPECT_EQ(record->entries, 2);
  EXPECT_EQ(record->created_ms, 1234);
  EXPECT_EQ(record->object, "7-00000001.wal");
  EXPECT_EQ(record->region_bytes, 20);
  EntryIndex parquet = raw;
  parquet.file_type = FileType::kParquet;
  EXPECT_EQ(PlanRecordOf(IndexKey{LogId(7), Offset(13), 108}, parquet, 1)->region_bytes, 0);
  EXPECT_EQ(PlanRecordOf(IndexKey{LogId(7), Offset(2), 8}, raw, 1).status().code(), StatusCode::kCorrupt);
}

RangeCheck::Answer Check(const std::vector<PlanRecord>& records, std::int64_t marker = 0) {
  RangeCheck check(CompactionRange{Offset(0), Offset(30)}, 3000, Offset(marker));
  for (const PlanRecord& record : records) check.Add(record);
  return check.Finish();
}

TEST(RangeCheck, C1HoldsAgainOrTheRangeIsAbandoned) {
  using Answer = RangeCheck::Answer;
  const std::vector<PlanRecord> planned = Log().Raw(3).records;
  EXPECT_EQ(Check(planned), Answer::kHolds);
  EXPECT_EQ(Check({}), Answer::kGone);
  const std::vector<PlanRecord> trimmed(planned.begin() + 1, planned.end());
  EXPECT_EQ(Check(trimmed, 10), Answer::kHolds);
  EXPECT_EQ(Check(trimmed, 15), Answer::kHolds);
  EXPECT_EQ(Check(trimmed, 9), Answer::kChanged) << "a gap above the marker";
  EXPECT_EQ(Check({planned[0], planned[2]}), Answer::kChanged);
  EXPECT_EQ(Check({planned[0], planned[1]}), Answer::kChanged) << "the key of C3 is gone alone";
  EXPECT_EQ(Check(Log().Raw(1).Parquet().Raw(1).records), Answer::kChanged);
  EXPECT_EQ(Check(Log().Raw(2).Raw(1, 999).records), Answer::kChanged) << "another key";
  EXPECT_EQ(Check(Log().Raw(1).Raw(1, 2000).records), Answer::kChanged) << "it ends below";
  EXPECT_EQ(Check(Log().Raw(2).Push(FileType::kRaw, 20, 1000).records), Answer::kChanged) << "it ends above";
  std::vector<PlanRecord> sizes = planned;
  sizes[1].cumulative_after += 5;
  EXPECT_EQ(Check(sizes), Answer::kChanged);
}

TEST(Explain, SaysWhyNotAndWhen) {
  Log log;
  log.Raw(2);
  const CompactionDecision d = log.Plan();
  EXPECT_EQ(Explain(d),
            "nothing: the range is still small, and costs little start=0 end=10 cumulative_size=1000 entries=2 "
            "bytes=1000 index_records=1 most_files=1 pinned_bytes=4096 oldest_object=object-0 look_again_ms=" +
                std::to_string(log.records[1].created_ms + 3'600'000));
  Log flawed;
  flawed.Quarantined().Raw(2);
  flawed.records[2].start = Offset(25);
  const std::string text = Explain(flawed.Plan());
  EXPECT_NE(text.find("compact: the range cannot grow, for what follows is compacted, quarantined or missing start=10"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find(" quarantined=1 flaws=1 first_flaw=20"), std::string::npos) << text;
}

}  // namespace
}  // namespace lakestream::model
