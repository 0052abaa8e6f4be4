#include "log/upkeep/failing_logs.h"

#include <gtest/gtest.h>

namespace lakestream {
namespace {

using std::chrono::seconds;

constexpr MonotonicTime At(int second) { return MonotonicTime(seconds(second)); }

CompactionOutcome Failed(int log, std::int64_t pinned, MonotonicTime retry_at) {
  CompactionOutcome outcome;
  outcome.log = LogId(log);
  outcome.kind = CompactionOutcome::Kind::kStuck;
  outcome.pinned_bytes = pinned;
  outcome.retry_at = retry_at;
  return outcome;
}

TEST(FailingLogs, CountUntilTheyDoNotFail) {
  FailingLogs logs;
  logs.Note(Failed(1, 100, At(10)));
  logs.Note(Failed(2, 30, At(10)));
  logs.Note(Failed(1, 120, At(20)));
  EXPECT_EQ(logs.count(), 2);
  EXPECT_EQ(logs.pinned_bytes(), 150);
  CompactionOutcome fine;
  fine.log = LogId(1);
  fine.kind = CompactionOutcome::Kind::kNothing;
  logs.Note(fine);
  EXPECT_EQ(logs.count(), 1);
  EXPECT_EQ(logs.pinned_bytes(), 30);
}

TEST(FailingLogs, WhatIsDroppedDoesNotFailForEver) {
  FailingLogs logs;
  logs.Note(Failed(1, 100, At(10)));  // is dropped after that
  logs.Note(Failed(2, 30, At(10)));
  logs.EndPass(At(5));
  EXPECT_EQ(logs.count(), 2);
  logs.EndPass(At(9));
  EXPECT_EQ(logs.count(), 2) << "neither was due";
  logs.Note(Failed(2, 31, At(30)));
  logs.EndPass(At(10));
  EXPECT_EQ(logs.count(), 1) << "both were due, and one was not told of";
  EXPECT_EQ(logs.pinned_bytes(), 31);
}

TEST(FailingLogs, WhatIsTriedAgainAtOnceStays) {
  FailingLogs logs;
  logs.Note(Failed(1, 100, At(3)));
  logs.EndPass(At(4));
  EXPECT_EQ(logs.count(), 1);
}

}  // namespace
}  // namespace lakestream
