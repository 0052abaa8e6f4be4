#include "runtime/gate.h"

#include <atomic>
#include <memory>
#include <vector>

#include "runtime/testing/world.h"
#include "runtime/when_all.h"

namespace lakestream {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class GateTest : public WorldTest {};

Task<void> AddOne(Runtime& runtime, std::atomic<int>* sum) {
  co_await Yield(runtime);
  ++*sum;
}

Task<void> Hold(Runtime& runtime, Counted counted) {
  Event never(runtime.executor);
  co_await never.Wait();
  ADD_FAILURE() << "resumed an abandoned task " << counted.value();
}

Task<void> CloseInto(Gate& gate, std::atomic<int>* closed) {
  co_await gate.Close();
  ++*closed;
}

Task<void> SpawnAnother(Runtime& runtime, Gate& gate, std::atomic<int>* sum) {
  co_await Yield(runtime);
  EXPECT_TRUE(gate.Spawn(AddOne(runtime, sum)));
}

TEST_P(GateTest, CloseWaitsForAllInside) {
  const auto body = [](Runtime& runtime) -> Task<void> {
    std::atomic<int> sum = 0;
    Gate gate(runtime);
    for (int i = 0; i < 200; ++i) CO_ASSERT_TRUE(gate.Spawn(AddOne(runtime, &sum)));
    CO_ASSERT_TRUE(!gate.closing());
    co_await gate.Close();
    CO_ASSERT_TRUE(gate.closing());
    CO_ASSERT_EQ(sum.load(), 200);
  };
  Run(body(runtime()));
}

TEST_P(GateTest, AClosedGateRefusesAndDropsTheTask) {
  const auto body = [](Runtime& runtime) -> Task<void> {
    Gate gate(runtime);
    co_await gate.Close();
    co_await gate.Close();
    int live = 0;
    Task<void> late = Hold(runtime, Counted(&live));
    CO_ASSERT_EQ(live, 1);
    CO_ASSERT_TRUE(!gate.Spawn(std::move(late)));
    CO_ASSERT_EQ(live, 0);
  };
  Run(body(runtime()));
}

TEST_P(GateTest, SeveralMayCloseAtOnce) {
  const auto body = [](Runtime& runtime) -> Task<void> {
    std::atomic<int> sum = 0;
    std::atomic<int> closed = 0;
    Gate gate(runtime);
    Gate closers(runtime);
    for (int i = 0; i < 20; ++i) gate.Spawn(AddOne(runtime, &sum));
    for (int i = 0; i < 5; ++i) closers.Spawn(CloseInto(gate, &closed));
    co_await closers.Close();
    CO_ASSERT_EQ(closed.load(), 5);
    CO_ASSERT_EQ(sum.load(), 20);
  };
  Run(body(runtime()));
}

TEST_P(GateTest, ATaskInsideMaySpawn) {
  const auto body = [](Runtime& runtime) -> Task<void> {
    std::atomic<int> sum = 0;
    Gate gate(runtime);
    gate.Spawn(SpawnAnother(runtime, gate, &sum));
    while (sum == 0) co_await Yield(runtime);
    co_await gate.Close();
    CO_ASSERT_EQ(sum.load(), 1);
  };
  Run(body(runtime()));
}

/// Goes slowly, and counts when its owner went first.
struct SlowToGo {
  std::shared_ptr<std::atomic<bool>> owner_alive;
  std::shared_ptr<std::atomic<int>> late;
  ~SlowToGo() {
    std::atomic<int> spun = 0;
    while (++spun < 50'000) {
    }
    if (!*owner_alive) ++*late;
  }
};

Task<void> EndAtOnce(std::unique_ptr<SlowToGo> parameter) {
  EXPECT_TRUE(parameter != nullptr);
  co_return;
}

// What a task was given goes with its frame, after its last statement, and before Close returns.
TEST_P(GateTest, CloseWaitsForTheFramesToo) {
  const auto body = [](Runtime& runtime) -> Task<void> {
    const auto late = std::make_shared<std::atomic<int>>(0);
    for (int round = 0; round < 100; ++round) {
      // A flag of its own for each round: what goes too late must not see the next one.
      const auto alive = std::make_shared<std::atomic<bool>>(true);
      Gate gate(runtime);
      for (int i = 0; i < 3; ++i) gate.Spawn(EndAtOnce(std::make_unique<SlowToGo>(alive, late)));
      co_await gate.Close();
      *alive = false;
    }
    CO_ASSERT_EQ(late->load(), 0);
  };
  Run(body(runtime()));
}

Task<int> TimesTwo(Runtime& runtime, int value) {
  if (value % 3 == 0) co_await Yield(runtime);
  if (value % 3 == 1) (void)co_await SleepFor(runtime, OpContext(), std::chrono::microseconds(value % 7));
  co_return 2 * value;
}

Task<Counted> MakeCounted(Runtime& runtime, int* live) {
  co_await Yield(runtime);
  co_return Counted(live);
}

Task<int> HoldInt(Runtime& runtime, Counted counted) {
  Event never(runtime.executor);
  co_await never.Wait();
  co_return counted.value();
}

TEST_P(GateTest, WhenAllGivesResultsInOrder) {
  const auto body = [](Runtime& runtime) -> Task<void> {
    std::vector<Task<int>> tasks;
    for (int i = 0; i < 300; ++i) tasks.push_back(TimesTwo(runtime, i));
    const std::vector<int> results = co_await WhenAll(runtime, std::move(tasks));
    CO_ASSERT_EQ(results.size(), 300u);
    for (int i = 0; i < 300; ++i) CO_ASSERT_EQ(results[i], 2 * i);
    const std::vector<int> none = co_await WhenAll(runtime, std::vector<Task<int>>());
    CO_ASSERT_TRUE(none.empty());
  };
  Run(body(runtime()));
}

TEST_P(GateTest, WhenAllOwnsWhatItReturns) {
  int live = 0;
  const auto body = [](Runtime& runtime, int* live) -> Task<void> {
    std::vector<Task<Counted>> tasks;
    tasks.push_back(MakeCounted(runtime, live));
    const std::vector<Counted> results = co_await WhenAll(runtime, std::move(tasks));
    CO_ASSERT_EQ(results.size(), 1u);
    CO_ASSERT_EQ(results[0].value(), 1);
    CO_ASSERT_EQ(*live, 1);
  };
  Run(body(runtime(), &live));
  EXPECT_EQ(live, 0);
}

LS_INSTANTIATE_WORLDS(GateTest);

TEST(GateSimTest, AGateThatGoesAbandonsWhatIsInside) {
  SimScheduler scheduler(1);
  Runtime& runtime = scheduler.AddNode("node").runtime();
  int live = 0;
  {
    Gate gate(runtime);
    gate.Spawn(Hold(runtime, Counted(&live)));
    EXPECT_TRUE(scheduler.RunUntilIdle().ok());
    gate.Spawn(Hold(runtime, Counted(&live)));
    EXPECT_EQ(live, 2);
  }
  EXPECT_EQ(live, 0);
  EXPECT_TRUE(scheduler.RunUntilIdle().ok());
}

TEST(GateThreadDeathTest, AGateThatGoesWithTasksInsideEndsTheProcess) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto abandon = [] {
    ThreadRuntime threads{ThreadRuntimeOptions()};
    Event never(threads.runtime().executor);
    Gate gate(threads.runtime());
    const auto wait = [](Event* event) -> Task<void> { co_await event->Wait(); };
    gate.Spawn(wait(&never));
  };
  EXPECT_DEATH(abandon(), "call its Stop first");
}

TEST(GateSimTest, AnAbandonedWhenAllLetsItsTasksGo) {
  SimScheduler scheduler(1);
  Runtime& runtime = scheduler.AddNode("node").runtime();
  int live = 0;
  std::vector<Task<int>> tasks;
  for (int i = 0; i < 3; ++i) tasks.push_back(HoldInt(runtime, Counted(&live)));
  EXPECT_FALSE(scheduler.RunUntilDone(WhenAll(runtime, std::move(tasks))).has_value());
  EXPECT_EQ(live, 0);
}

}  // namespace
}  // namespace lakestream
