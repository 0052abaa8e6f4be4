#include "model/flush.h"

#include <gtest/gtest.h>

namespace lakestream::model {
namespace {

using namespace std::chrono_literals;
using Kind = FlushDecision::Kind;

constexpr MonotonicTime kNow{100s};

FlushRules Rules() {
  FlushRules rules;
  rules.target_object_bytes = 1000;
  rules.slots = 4;
  rules.put_budget_per_second = 10;
  rules.linger_max = 250ms;
  rules.linger_max_busy = 2s;
  rules.linger_behind_put = 500us;
  return rules;
}

/// One small entry that has just come, nothing in flight, every token there.
FlushSituation OneEntry() {
  FlushSituation s;
  s.now = kNow;
  s.queued_entries = 1;
  s.queued_bytes = 10;
  s.oldest_queued = kNow;
  s.last_start = kNow - 1h;
  s.token_ready = kNow;
  s.index_ready = kNow;
  return s;
}

TEST(Flush, AnEmptyQueueStartsNothing) {
  FlushSituation s = OneEntry();
  s.queued_entries = 0;
  EXPECT_EQ(DecideFlush(Rules(), s).kind, Kind::kNothing);
}

TEST(Flush, WithNothingInFlightItStartsAtOnceAndTakesAToken) {
  const FlushDecision d = DecideFlush(Rules(), OneEntry());
  EXPECT_EQ(d.kind, Kind::kStart);
  EXPECT_TRUE(d.costs_token);
}

TEST(Flush, AFullObjectNeedsASlotAndNoToken) {
  FlushSituation s = OneEntry();
  s.queued_bytes = 1000;
  s.token_ready = kNow + 5s;
  s.index_ready = kNow + 5s;
  s.puts_in_flight = 3;
  s.last_start = kNow;
  EXPECT_EQ(DecideFlush(Rules(), s).kind, Kind::kStart);
  EXPECT_FALSE(DecideFlush(Rules(), s).costs_token);
  s.puts_in_flight = 4;
  EXPECT_EQ(DecideFlush(Rules(), s).kind, Kind::kAwaitSlot);
}

TEST(Flush, NoLingerOverridesTheBudget) {
  FlushSituation s = OneEntry();
  s.token_ready = kNow + 90ms;
  s.oldest_queued = kNow - 1h;
  const FlushDecision d = DecideFlush(Rules(), s);
  EXPECT_EQ(d.kind, Kind::kAwaitTime);
  EXPECT_EQ(d.at, kNow + 90ms);
  s.stopping = true;
  EXPECT_EQ(DecideFlush(Rules(), s).at, kNow + 90ms);
}

TEST(Flush, BehindAPutStartsAreSpreadOverTheSlots) {
  FlushSituation s = OneEntry();
  s.puts_in_flight = 1;
  s.last_start = kNow - 50ms;
  s.put_time = 100ms;  // a quarter of it is less than 1 / budget
  EXPECT_EQ(DecideFlush(Rules(), s).at, kNow + 50ms);
  s.put_time = 800ms;
  EXPECT_EQ(DecideFlush(Rules(), s).at, kNow + 150ms);
  s.last_start = kNow - 1h;
  EXPECT_EQ(DecideFlush(Rules(), s).at, kNow + 500us) << "the micro-linger";
  s.stopping = true;
  EXPECT_EQ(DecideFlush(Rules(), s).kind, Kind::kStart);
}

TEST(Flush, PatienceEndsAtLingerMax) {
  FlushSituation s = OneEntry();
  s.puts_in_flight = 1;
  s.last_start = kNow - 200ms;
  s.oldest_queued = kNow - 240ms;
  s.put_time = 40s;  // the spread would be ten seconds
  EXPECT_EQ(DecideFlush(Rules(), s).at, kNow + 10ms);
}

TEST(Flush, AShortIndexBudgetLingersUntilBusyMax) {
  FlushSituation s = OneEntry();
  s.index_ready = kNow + 700ms;
  EXPECT_EQ(DecideFlush(Rules(), s).at, kNow + 700ms);
  s.index_ready = kNow + 1h;
  EXPECT_EQ(DecideFlush(Rules(), s).at, kNow + 2s);
}

TEST(TokenBucket, FillsSavesAndOwes) {
  TokenBucket bucket(10, 5, kNow);
  EXPECT_EQ(bucket.ReadyAt(5, kNow), kNow);
  EXPECT_EQ(bucket.ReadyAt(50, kNow), kNow) << "more than the burst is asked for as the burst";
  bucket.Take(5, kNow);
  EXPECT_EQ(bucket.ReadyAt(1, kNow), kNow + 100ms);
  bucket.Take(1, kNow);
  EXPECT_EQ(bucket.ReadyAt(1, kNow), kNow + 200ms);
  EXPECT_EQ(bucket.ReadyAt(5, kNow + 1h), kNow + 1h);
  bucket.Take(5, kNow + 1h);
  EXPECT_EQ(bucket.ReadyAt(1, kNow + 1h), kNow + 1h + 100ms) << "no more than the burst is saved";
}

}  // namespace
}  // namespace lakestream::model
