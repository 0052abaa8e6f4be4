#include "runtime/runtime.h"

#include <time.h>

#include <array>
#include <atomic>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "runtime/gate.h"
#include "runtime/testing/world.h"

namespace lakestream {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class RuntimeTest : public WorldTest {};

TEST_P(RuntimeTest, RunBlockingHandsOnWhatTheFunctionReturns) {
  const auto body = [](Runtime& runtime) -> Task<void> {
    const auto number = [] { return std::make_unique<int>(5); };
    const std::unique_ptr<int> five = co_await RunBlocking(runtime, number);
    CO_ASSERT_EQ(*five, 5);
    const auto status = [] { return Unavailable("try later"); };
    CO_ASSERT_CODE(co_await RunBlocking(runtime, status), kUnavailable);
    auto owned = [p = std::make_unique<int>(6)] { return *p; };
    CO_ASSERT_EQ(co_await RunBlocking(runtime, std::move(owned)), 6);
  };
  Run(body(runtime()));
}

TEST_P(RuntimeTest, RunBlockingLetsGoOfTheFunctionBeforeItReturns) {
  const auto body = [](Runtime& runtime) -> Task<void> {
    for (int i = 0; i < 200; ++i) {
      auto held = std::make_shared<int>(i);
      auto function = [held] { return *held; };
      CO_ASSERT_EQ(co_await RunBlocking(runtime, std::move(function)), i);
      CO_ASSERT_EQ(held.use_count(), 1);
    }
  };
  Run(body(runtime()));
}

Task<void> BlockInGate(Runtime& runtime, int value, std::atomic<int>* sum) {
  const auto function = [value] { return value; };
  *sum += co_await RunBlocking(runtime, function);
}

TEST_P(RuntimeTest, MoreBlockingWorkThanThreads) {
  const auto body = [](Runtime& runtime) -> Task<void> {
    std::atomic<int> sum = 0;
    Gate gate(runtime);
    for (int i = 0; i < 300; ++i) gate.Spawn(BlockInGate(runtime, i, &sum));
    co_await gate.Close();
    CO_ASSERT_EQ(sum.load(), 300 * 299 / 2);
  };
  Run(body(runtime()));
}

Task<void> YieldOften(Runtime& runtime, int* turns) {
  for (int i = 0; i < 100; ++i) {
    co_await Yield(runtime);
    ++*turns;
  }
}

TEST_P(RuntimeTest, YieldReturns) {
  int turns = 0;
  Run(YieldOften(runtime(), &turns));
  EXPECT_EQ(turns, 100);
}

TEST_P(RuntimeTest, BelowIsInRangeAndReachesEveryValue) {
  Random& random = runtime().random;
  std::array<int, 7> seen{};
  for (int i = 0; i < 7000; ++i) ++seen.at(random.Below(7));
  // 1000 each is the mean; 700 is ten standard deviations away.
  for (const int count : seen) EXPECT_GT(count, 700);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(random.Below(1), 0u);
  const std::uint64_t large = (std::uint64_t{1} << 63) + 1;
  int upper = 0;
  for (int i = 0; i < 200; ++i) {
    const std::uint64_t draw = random.Below(large);
    EXPECT_LT(draw, large);
    upper += draw >= large / 2 ? 1 : 0;
  }
  EXPECT_GT(upper, 40);
  EXPECT_LT(upper, 160);
}

TEST_P(RuntimeTest, UuidsAreOfVersionFourAndDiffer) {
  std::set<std::string> seen;
  std::set<char> variants;
  for (int i = 0; i < 1000; ++i) {
    const std::string uuid = runtime().random.Uuid();
    ASSERT_EQ(uuid.size(), 36u);
    for (std::size_t at = 0; at < uuid.size(); ++at) {
      const bool dash = at == 8 || at == 13 || at == 18 || at == 23;
      ASSERT_TRUE(dash ? uuid[at] == '-' : std::string("0123456789abcdef").find(uuid[at]) != std::string::npos)
          << uuid;
    }
    ASSERT_EQ(uuid[14], '4') << uuid;
    variants.insert(uuid[19]);
    seen.insert(uuid);
  }
  EXPECT_EQ(seen.size(), 1000u);
  EXPECT_EQ(variants, (std::set<char>{'8', '9', 'a', 'b'}));
}

LS_INSTANTIATE_WORLDS(RuntimeTest);

/// Gives what it is told to.
class ScriptedRandom final : public Random {
 public:
  explicit ScriptedRandom(std::vector<std::uint64_t> draws) : draws_(std::move(draws)) {}
  std::uint64_t Next() override { return draws_.at(at_++); }

 private:
  std::vector<std::uint64_t> draws_;
  std::size_t at_ = 0;
};

TEST(RandomTest, UuidPlacesItsBits) {
  ScriptedRandom random({0x0123456789abcdef, 0xfedcba9876543210, 0, 0, ~std::uint64_t{0}, ~std::uint64_t{0}});
  EXPECT_EQ(random.Uuid(), "01234567-89ab-4def-bedc-ba9876543210");
  EXPECT_EQ(random.Uuid(), "00000000-0000-4000-8000-000000000000");
  EXPECT_EQ(random.Uuid(), "ffffffff-ffff-4fff-bfff-ffffffffffff");
}

TEST(RandomTest, BelowThrowsAwayTheIncompleteRun) {
  // The values from 3 * 2^62 on are the start of a third run of 3 * 2^61 values.
  const std::uint64_t bound = std::uint64_t{3} << 61;
  ScriptedRandom random({~std::uint64_t{0}, std::uint64_t{3} << 62, (std::uint64_t{3} << 62) - 1});
  EXPECT_EQ(random.Below(bound), bound - 1);
}

TEST(RetryBudgetTest, GivesEachRetryOnce) {
  RetryBudget budget(1000);
  std::atomic<int> taken = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        for (int k = 0; k < 400; ++k) taken += budget.TryTake() ? 1 : 0;
      });
    }
  }
  EXPECT_EQ(taken, 1000);
  EXPECT_FALSE(budget.TryTake());
  EXPECT_FALSE(RetryBudget(0).TryTake());
}

TEST(OpContextTest, AChildsDeadlineIsNeverLater) {
  const MonotonicTime at(seconds(10));
  const OpContext parent = OpContext().WithDeadline(at);
  EXPECT_EQ(parent.WithDeadline(at + seconds(1)).deadline, at);
  EXPECT_EQ(parent.WithDeadline(at - seconds(1)).deadline, at - seconds(1));
  EXPECT_EQ(OpContext().deadline, MonotonicTime::max());
}

TEST(OpContextTest, AChildSharesBudgetAndTrace) {
  OpContext parent;
  parent.retry_budget = std::make_shared<RetryBudget>(1);
  parent.trace_id = 77;
  const OpContext child = parent.WithDeadline(MonotonicTime(seconds(1))).WithCancel(std::stop_token());
  EXPECT_EQ(child.trace_id, 77u);
  EXPECT_TRUE(child.retry_budget->TryTake());
  EXPECT_FALSE(parent.retry_budget->TryTake());
}

TEST(OpContextTest, CheckSaysWhyToStop) {
  const MonotonicTime at(seconds(10));
  std::stop_source source;
  const OpContext context = OpContext().WithDeadline(at).WithCancel(source.get_token());
  EXPECT_TRUE(context.Check(at - Duration(1)).ok());
  EXPECT_EQ(context.Check(at).code(), StatusCode::kDeadlineExceeded);
  source.request_stop();
  EXPECT_EQ(context.Check(at).code(), StatusCode::kCancelled);
}

Duration SystemNow(clockid_t id) {
  timespec now;
  clock_gettime(id, &now);
  return seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

TEST(ThreadClockTest, TheThreeClocksAreTheMachines) {
  ThreadRuntime threads(ThreadRuntimeOptions{});
  const Clock& clock = threads.runtime().clock;
  const Duration monotonic = SystemNow(CLOCK_MONOTONIC);
  const Duration boot = SystemNow(CLOCK_BOOTTIME);
  const Duration wall = SystemNow(CLOCK_REALTIME);
  EXPECT_GE(clock.Monotonic().time_since_epoch(), monotonic);
  EXPECT_GE(clock.Boot().time_since_epoch(), boot);
  EXPECT_LT(clock.Monotonic().time_since_epoch() - monotonic, seconds(60));
  EXPECT_LT(clock.Boot().time_since_epoch() - boot, seconds(60));
  EXPECT_LT(std::chrono::abs(clock.Wall().time_since_epoch() - wall), seconds(60));
}

}  // namespace
}  // namespace lakestream
