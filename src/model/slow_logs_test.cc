// A day of a thousand slow logs: what the planner leaves behind, beside closing every range when its oldest record is
// 180 seconds old.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <vector>

#include "model/compaction_plan.h"

namespace lakestream::model {
namespace {

constexpr std::int64_t kDayMs = 86'400'000;
constexpr std::int64_t kMinuteMs = 60'000;
#if defined(__SANITIZE_ADDRESS__)
constexpr int kLogs = 100;
#else
constexpr int kLogs = 1000;
#endif
constexpr std::int64_t kAlwaysCloseMs = 180'000;

/// How often a log is looked at where the planner names no earlier time.
constexpr std::int64_t kLookMs = 2 * 60 * kMinuteMs;

/// Which appends a log gets: `burst` records of `bytes` each, at once, every `every_ms`, in objects of `region` bytes.
struct Traffic {
  std::int64_t every_ms;
  int burst;
  std::int64_t bytes;
  std::int64_t region;
};

struct Outcome {
  std::vector<std::int64_t> sizes;  ///< payload bytes of each file
  std::int64_t pinned_most = 0;     ///< bytes of others that were kept from being deleted, over all logs, at most
  std::int64_t records_most = 0;    ///< index records, of all logs, at most

  std::int64_t Median() {
    if (sizes.empty()) return 0;
    std::nth_element(sizes.begin(), sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2), sizes.end());
    return sizes[sizes.size() / 2];
  }
};

/// The records of one log that are not compacted, and the compacted one before them.
struct SlowLog {
  std::vector<PlanRecord> records;
  PlanRecord before;
  std::int64_t due_ms = 0;

  SlowLog() { before.kind = FileType::kParquet; }

  void Append(const Traffic& traffic, std::int64_t now_ms) {
    for (int i = 0; i < traffic.burst; ++i) {
      const PlanRecord& last = records.empty() ? before : records.back();
      PlanRecord record;
      record.start = last.end;
      record.end = record.start + 1;
      record.cumulative_before = last.cumulative_after;
      record.cumulative_after = last.cumulative_after + traffic.bytes;
      record.created_ms = now_ms;
      record.region_bytes = traffic.region;
      records.push_back(record);
    }
  }

  void Compacted(std::size_t count, Outcome& outcome) {
    outcome.sizes.push_back(records[count - 1].cumulative_after - records[0].cumulative_before);
    before.end = records[count - 1].end;
    before.cumulative_after = records[count - 1].cumulative_after;
    before.created_ms = records[count - 1].created_ms;
    records.erase(records.begin(), records.begin() + static_cast<std::ptrdiff_t>(count));
  }
};

void PlanAll(SlowLog& log, std::int64_t now_ms, Outcome& outcome) {
  while (now_ms >= log.due_ms || log.records.size() > 4096) {
    CompactionSituation situation;
    situation.state = CompactionState::kIdle;
    situation.next = log.before.end;
    situation.now_ms = now_ms;
    CompactionPlan plan(CompactionOptions{}, situation);
    if (log.before.end > Offset(0)) plan.Add(log.before);
    for (const PlanRecord& record : log.records) {
      if (!plan.wants_more()) break;
      plan.Add(record);
    }
    const CompactionDecision decision = plan.Finish();
    if (decision.kind != CompactionDecision::Kind::kCompact) {
      log.due_ms = std::min(decision.look_again_ms.value_or(now_ms + kLookMs), now_ms + kLookMs);
      return;
    }
    log.Compacted(static_cast<std::size_t>(decision.index_records), outcome);
  }
}

void CloseAlways(SlowLog& log, std::int64_t now_ms, Outcome& outcome) {
  if (log.records.empty() || now_ms - log.records[0].created_ms < kAlwaysCloseMs) return;
  log.Compacted(log.records.size(), outcome);
}

/// The last of so many days.
template <class Close>
Outcome ADayOf(const Traffic& traffic, int days, Close close) {
  std::vector<SlowLog> logs(kLogs);
  Outcome outcome;
  for (std::int64_t now_ms = 0; now_ms < days * kDayMs; now_ms += kMinuteMs) {
    if (now_ms == (days - 1) * kDayMs) outcome = Outcome();
    std::int64_t pinned = 0;
    std::int64_t records = 0;
    for (int i = 0; i < kLogs; ++i) {
      SlowLog& log = logs[static_cast<std::size_t>(i)];
      // Each log begins at another minute.
      if ((now_ms + i * kMinuteMs) % traffic.every_ms == 0) log.Append(traffic, now_ms);
      close(log, now_ms, outcome);
      records += static_cast<std::int64_t>(log.records.size());
      pinned += static_cast<std::int64_t>(log.records.size()) * (traffic.region - traffic.bytes);
    }
    outcome.pinned_most = std::max(outcome.pinned_most, pinned);
    outcome.records_most = std::max(outcome.records_most, records);
  }
  return outcome;
}

void Print(const char* rule, Outcome& outcome) {
  std::printf("   %-18s %8zu files a day, median %9lld bytes; at most %8lld index records, %10.1f MiB pinned\n", rule,
              outcome.sizes.size(), static_cast<long long>(outcome.Median()),
              static_cast<long long>(outcome.records_most), static_cast<double>(outcome.pinned_most) / 1048576);
}

/// Files a day for 1000 logs, of the planner at most and of the other rule at least, and how much larger the median
/// must be.
struct Bounds {
  std::size_t planned;
  std::size_t always;
  std::int64_t larger;
};

void ExpectNoTrail(const Traffic& traffic, const Bounds& bounds, int days = 1) {
  Outcome planned = ADayOf(traffic, days, PlanAll);
  Outcome always = ADayOf(traffic, days, CloseAlways);
  std::printf("%d logs, %d records of %lld bytes every %lld minutes, objects of %lld bytes\n", kLogs, traffic.burst,
              static_cast<long long>(traffic.bytes), static_cast<long long>(traffic.every_ms / kMinuteMs),
              static_cast<long long>(traffic.region));
  Print("planner", planned);
  Print("180 s", always);
  EXPECT_LE(planned.sizes.size(), bounds.planned * kLogs / 1000);
  EXPECT_GE(always.sizes.size(), bounds.always * kLogs / 1000);
  if (!planned.sizes.empty()) {
    EXPECT_GE(planned.Median(), bounds.larger * always.Median());
  }
}

constexpr std::int64_t kBusyRegion = std::int64_t{8} << 20;

TEST(SlowLogs, WithNothingElseInTheirObjects) {
  // A day of it costs less to keep than to compact.
  ExpectNoTrail(Traffic{kMinuteMs, 1, 200, 400}, Bounds{0, 300'000, 1});
}

TEST(SlowLogs, BesideBusyLogs) {
  // In objects that nothing else keeps.
  ExpectNoTrail(Traffic{kMinuteMs, 1, 200, kBusyRegion}, Bounds{12'000, 300'000, 20});
}

TEST(SlowLogs, WithFewRecordsBesideBusyLogs) {
  // On its first day a log has no gaps yet that say how rare its records are.
  ExpectNoTrail(Traffic{120 * kMinuteMs, 1, 200, kBusyRegion}, Bounds{1000, 11'000, 10}, 3);
}

TEST(SlowLogs, WithBursts) {
  ExpectNoTrail(Traffic{120 * kMinuteMs, 100, 200, 400}, Bounds{0, 11'000, 1}, 2);
}

}  // namespace
}  // namespace lakestream::model
