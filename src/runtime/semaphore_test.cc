#include "runtime/semaphore.h"

#include <algorithm>
#include <atomic>
#include <vector>

#include "runtime/gate.h"
#include "runtime/testing/world.h"

namespace lakestream {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

class SemaphoreTest : public WorldTest {};

struct Crowd {
  std::atomic<int> inside = 0;
  std::atomic<int> most = 0;
  std::atomic<int> served = 0;
};

Task<void> PassThrough(Runtime& runtime, AsyncSemaphore& semaphore, int count, Crowd* crowd) {
  CO_ASSERT_OK(co_await semaphore.Acquire(OpContext(), count));
  const int inside = crowd->inside += count;
  int most = crowd->most;
  while (inside > most && !crowd->most.compare_exchange_weak(most, inside)) {
  }
  co_await Yield(runtime);
  crowd->inside -= count;
  ++crowd->served;
  semaphore.Release(count);
}

Task<void> TakeInto(AsyncSemaphore& semaphore, OpContext context, int count, int name, std::vector<int>* order) {
  const Status granted = co_await semaphore.Acquire(std::move(context), count);
  order->push_back(granted.ok() ? name : -name);
}

TEST_P(SemaphoreTest, NeverGivesOutMoreThanItHas) {
  const auto body = [](Runtime& runtime) -> Task<void> {
    AsyncSemaphore semaphore(runtime, 5);
    Crowd crowd;
    Gate gate(runtime);
    for (int i = 0; i < 200; ++i) gate.Spawn(PassThrough(runtime, semaphore, 1 + i % 5, &crowd));
    co_await gate.Close();
    CO_ASSERT_EQ(crowd.served.load(), 200);
    CO_ASSERT_TRUE(crowd.most <= 5);
    CO_ASSERT_TRUE(semaphore.TryAcquire(5));
    CO_ASSERT_TRUE(!semaphore.TryAcquire(1));
  };
  Run(body(runtime()));
}

TEST_P(SemaphoreTest, AWaitThatEndsEarlyHoldsNothing) {
  const auto body = [](Runtime& runtime) -> Task<void> {
    AsyncSemaphore semaphore(runtime, 1);
    CO_ASSERT_TRUE(semaphore.TryAcquire(1));
    const OpContext soon = OpContext().WithDeadline(runtime.Now() + milliseconds(2));
    CO_ASSERT_CODE(co_await semaphore.Acquire(soon, 1), kDeadlineExceeded);
    std::stop_source source;
    source.request_stop();
    CO_ASSERT_CODE(co_await semaphore.Acquire(OpContext().WithCancel(source.get_token()), 1), kCancelled);
    semaphore.Release(1);
    CO_ASSERT_TRUE(semaphore.TryAcquire(1));
    CO_ASSERT_TRUE(!semaphore.TryAcquire(1));
    CO_ASSERT_OK(co_await semaphore.Acquire(OpContext(), 0));
  };
  Run(body(runtime()));
}

Task<void> AddUnderLock(Runtime& runtime, AsyncMutex& mutex, int* sum) {
  Result<AsyncMutex::Lock> lock = co_await mutex.Acquire(OpContext());
  CO_ASSERT_OK(lock);
  const int before = *sum;
  co_await Yield(runtime);
  *sum = before + 1;
}

// TSan sees here that the mutex orders its holders; the sum shows that they exclude each other.
TEST_P(SemaphoreTest, AMutexExcludesAcrossSuspension) {
  const auto body = [](Runtime& runtime) -> Task<void> {
    AsyncMutex mutex(runtime);
    int sum = 0;
    Gate gate(runtime);
    for (int i = 0; i < 200; ++i) gate.Spawn(AddUnderLock(runtime, mutex, &sum));
    co_await gate.Close();
    CO_ASSERT_EQ(sum, 200);
  };
  Run(body(runtime()));
}

TEST_P(SemaphoreTest, AMutexGivesUpAtTheDeadline) {
  const auto body = [](Runtime& runtime) -> Task<void> {
    auto mutex = std::make_unique<AsyncMutex>(runtime);
    Result<AsyncMutex::Lock> held = co_await mutex->Acquire(OpContext());
    CO_ASSERT_OK(held);
    const OpContext soon = OpContext().WithDeadline(runtime.Now() + milliseconds(2));
    CO_ASSERT_CODE(co_await mutex->Acquire(soon), kDeadlineExceeded);
    // A lock may outlive its mutex.
    mutex.reset();
  };
  Run(body(runtime()));
}

LS_INSTANTIATE_WORLDS(SemaphoreTest);

/// The simulator, and one semaphore of which all permits are taken.
class SemaphoreSimTest : public testing::TestWithParam<int> {
 protected:
  SemaphoreSimTest() { EXPECT_TRUE(semaphore_.TryAcquire(4)); }

  internal::Root Ask(OpContext context, int count, int name) {
    internal::Root root = internal::MakeRoot(TakeInto(semaphore_, std::move(context), count, name, &order_));
    root.Start([] {});
    return root;
  }
  void Idle() { EXPECT_TRUE(scheduler_.RunUntilIdle().ok()); }

  SimScheduler scheduler_{static_cast<std::uint64_t>(GetParam())};
  Runtime& runtime_ = scheduler_.AddNode("node").runtime();
  AsyncSemaphore semaphore_{runtime_, 4};
  std::vector<int> order_;
};

TEST_P(SemaphoreSimTest, GrantsInTheOrderOfAsking) {
  std::vector<internal::Root> roots;
  for (int i = 1; i <= 20; ++i) roots.push_back(Ask(OpContext(), 1, i));
  std::vector<int> wanted;
  for (int i = 1; i <= 20; ++i) {
    semaphore_.Release(1);
    Idle();
    wanted.push_back(i);
    ASSERT_EQ(order_, wanted);
  }
}

TEST_P(SemaphoreSimTest, ALargeRequestIsNotOvertaken) {
  const internal::Root large = Ask(OpContext(), 3, 1);
  const internal::Root small = Ask(OpContext(), 1, 2);
  semaphore_.Release(2);
  Idle();
  EXPECT_TRUE(order_.empty());
  EXPECT_FALSE(semaphore_.TryAcquire(1));
  semaphore_.Release(1);
  Idle();
  EXPECT_EQ(order_, (std::vector<int>{1}));
  semaphore_.Release(1);
  Idle();
  EXPECT_EQ(order_, (std::vector<int>{1, 2}));
}

TEST_P(SemaphoreSimTest, WhenTheFirstGivesUpTheNextIsServed) {
  std::stop_source source;
  const internal::Root cancelled = Ask(OpContext().WithCancel(source.get_token()), 3, 1);
  const internal::Root late = Ask(OpContext().WithDeadline(scheduler_.Now() + seconds(1)), 3, 2);
  const internal::Root small = Ask(OpContext(), 1, 3);
  semaphore_.Release(1);
  source.request_stop();
  EXPECT_TRUE(scheduler_.RunFor(milliseconds(500)).ok());
  EXPECT_EQ(order_, (std::vector<int>{-1}));
  Idle();
  EXPECT_EQ(order_.size(), 3u);
  EXPECT_TRUE(std::find(order_.begin(), order_.end(), -2) != order_.end());
  EXPECT_TRUE(std::find(order_.begin(), order_.end(), 3) != order_.end());
  EXPECT_FALSE(semaphore_.TryAcquire(1));
}

TEST_P(SemaphoreSimTest, AFrameThatGoesWhileItWaitsAsksNoMore) {
  {
    const internal::Root abandoned = Ask(OpContext(), 1, 1);
    const internal::Root large = Ask(OpContext(), 4, 2);
    Idle();
  }
  const internal::Root next = Ask(OpContext(), 1, 3);
  semaphore_.Release(1);
  Idle();
  EXPECT_EQ(order_, (std::vector<int>{3}));
}

TEST_P(SemaphoreSimTest, AFrameThatGoesAfterTheGrantGivesBack) {
  {
    const internal::Root abandoned = Ask(OpContext(), 2, 1);
    semaphore_.Release(2);
    EXPECT_FALSE(semaphore_.TryAcquire(1));
  }
  Idle();
  EXPECT_TRUE(order_.empty());
  EXPECT_TRUE(semaphore_.TryAcquire(2));
  EXPECT_FALSE(semaphore_.TryAcquire(1));
}

TEST_P(SemaphoreSimTest, AGrantAndADeadlineAtOneInstantLoseNoPermit) {
  const MonotonicTime instant = scheduler_.Now() + seconds(1);
  runtime_.executor.AddTimer(instant, [this] { semaphore_.Release(1); });
  const internal::Root asking = Ask(OpContext().WithDeadline(instant), 1, 1);
  Idle();
  ASSERT_EQ(order_.size(), 1u);
  EXPECT_EQ(semaphore_.TryAcquire(1), order_[0] == -1);
  EXPECT_FALSE(semaphore_.TryAcquire(1));
}

INSTANTIATE_TEST_SUITE_P(, SemaphoreSimTest, testing::Range(1, 21));

}  // namespace
}  // namespace lakestream
