// Every public method of the runtime from four executor threads at once. Says most under ThreadSanitizer, and
// something under AddressSanitizer.

#include <atomic>
#include <memory>
#include <stop_token>
#include <thread>
#include <vector>

#include "runtime/semaphore.h"
#include "runtime/testing/hammer.h"
#include "runtime/when_all.h"

namespace lakestream {
namespace {

using std::chrono::hours;
using std::chrono::microseconds;

constexpr int kRounds = 150;

using ThreadHammerTest = HammerTest;

OpContext Within(Runtime& runtime, Duration duration) {
  return OpContext().WithDeadline(runtime.Now() + duration);
}

Task<void> WaitOrSet(Runtime& runtime, std::shared_ptr<Event> event, int number) {
  if (number == 0) {
    for (int i = 0; i < 3; ++i) co_await Yield(runtime);
    event->Set();
  } else if (number % 3 == 0) {
    while (!event->IsSet()) (void)co_await event->WaitFor(Within(runtime, microseconds(number)));
  } else {
    co_await event->Wait();
  }
}

Task<void> EnterAndLeave(Runtime& runtime, std::atomic<int>* ran) {
  co_await Yield(runtime);
  ++*ran;
}

Task<void> SpawnUntilClosed(Runtime& runtime, Gate& gate, std::atomic<int>* entered, std::atomic<int>* ran) {
  while (gate.Spawn(EnterAndLeave(runtime, ran))) {
    ++*entered;
    co_await Yield(runtime);
  }
}

Task<void> CloseOne(Gate& gate) { co_await gate.Close(); }

Task<void> Compete(Runtime& runtime, AsyncSemaphore& semaphore, AsyncMutex& mutex, int number, int* under_mutex,
                   std::atomic<int>* inside) {
  for (int i = 0; i < kRounds; ++i) {
    const int count = 1 + (number + i) % 3;
    const Status status = co_await semaphore.Acquire(Within(runtime, microseconds(i % 2 == 0 ? 30 : 1'000'000'000)), count);
    if (status.ok()) {
      EXPECT_LE(*inside += count, 3);
      co_await Yield(runtime);
      *inside -= count;
      semaphore.Release(count);
    }
    if (semaphore.TryAcquire(1)) semaphore.Release(1);
    const Result<AsyncMutex::Lock> lock = co_await mutex.Acquire(OpContext());
    EXPECT_TRUE(lock.ok());
    ++*under_mutex;
  }
}

Task<int> SomewhereElse(Runtime& runtime, int number) {
  const auto blocking = [number] { return number; };
  if (number % 4 == 0) co_return co_await RunBlocking(runtime, blocking);
  if (number % 4 == 1) co_await Yield(runtime);
  if (number % 4 == 2) (void)co_await SleepFor(runtime, OpContext(), microseconds(number));
  co_return number;
}

Task<void> Draw(Runtime& runtime, std::shared_ptr<RetryBudget> budget, std::shared_ptr<std::atomic<int>> taken) {
  for (int i = 0; i < kRounds; ++i) {
    const MonotonicTime before = runtime.clock.Monotonic();
    EXPECT_LT(runtime.random.Below(10), 10u);
    EXPECT_EQ(runtime.random.Uuid().size(), 36u);
    EXPECT_GT(runtime.clock.Wall(), WallTime(hours(1)));
    EXPECT_GT(runtime.clock.Boot(), BootTime(Duration(0)));
    if (budget->TryTake()) ++*taken;
    co_await Yield(runtime);
    EXPECT_GE(runtime.clock.Monotonic(), before);
  }
}

TEST_F(ThreadHammerTest, ExecutorAndTimers) {
  Hammer([](Runtime& runtime, int number) -> Task<void> {
    for (int i = 0; i < kRounds; ++i) {
      Event posted(runtime.executor);
      runtime.executor.Post([&posted] { posted.Set(); });
      co_await posted.Wait();
      auto fired = std::make_shared<std::atomic<int>>(0);
      std::vector<TimerId> ids;
      for (int k = 0; k < 4; ++k) {
        ids.push_back(runtime.executor.AddTimer(runtime.Now() + microseconds((number + k) * 20),
                                                [fired] { ++*fired; }));
      }
      co_await Yield(runtime);
      int cancelled = 0;
      for (const TimerId id : ids) cancelled += runtime.executor.CancelTimer(id) ? 1 : 0;
      while (*fired + cancelled < 4) co_await Yield(runtime);
      EXPECT_EQ(*fired + cancelled, 4);
    }
  });
}

TEST_F(ThreadHammerTest, EventsThatAreSetLateAndCancelledAtOnce) {
  Hammer([](Runtime& runtime, int number) -> Task<void> {
    for (int i = 0; i < kRounds; ++i) {
      auto event = std::make_unique<Event>(runtime.executor);
      std::stop_source source;
      const auto shared = std::make_shared<Future<int>>(runtime.executor);
      // Set, cancellation and deadline come as close together as they can.
      Event* const raw = event.get();
      Event set_done(runtime.executor);
      runtime.executor.Post([raw, &set_done] {
        raw->Set();
        set_done.Set();
      });
      runtime.executor.Post([source]() mutable { source.request_stop(); });
      const OpContext context = Within(runtime, microseconds((number * 7 + i) % 60)).WithCancel(source.get_token());
      const Status status = co_await event->WaitFor(context);
      EXPECT_TRUE(status.ok() || status.code() == StatusCode::kCancelled ||
                  status.code() == StatusCode::kDeadlineExceeded);
      co_await set_done.Wait();
      EXPECT_TRUE(event->IsSet());
      event.reset();
      runtime.executor.Post([shared] { shared->Set(3); });
      const Status ready = co_await shared->Ready(Within(runtime, microseconds(i % 40)));
      co_await shared->Ready();
      EXPECT_TRUE(shared->IsSet());
      EXPECT_EQ(shared->value(), 3) << ready.ToString();
    }
  });
}

TEST_F(ThreadHammerTest, OneEventWithManyWaiters) {
  for (int round = 0; round < 30; ++round) {
    auto event = std::make_shared<Event>(runtime().executor);
    Hammer([event](Runtime& runtime, int number) { return WaitOrSet(runtime, event, number); });
  }
}

TEST_F(ThreadHammerTest, GatesThatCloseWhileTasksEnter) {
  Hammer([](Runtime& runtime, int) -> Task<void> {
    for (int i = 0; i < kRounds / 5; ++i) {
      std::atomic<int> entered = 0;
      std::atomic<int> ran = 0;
      Gate gate(runtime);
      Gate helpers(runtime);
      for (int k = 0; k < 3; ++k) helpers.Spawn(SpawnUntilClosed(runtime, gate, &entered, &ran));
      co_await Yield(runtime);
      helpers.Spawn(CloseOne(gate));
      co_await gate.Close();
      EXPECT_TRUE(gate.closing());
      co_await helpers.Close();
      EXPECT_EQ(entered, ran);
    }
  });
}

TEST_F(ThreadHammerTest, SemaphoreAndMutex) {
  AsyncSemaphore semaphore(runtime(), 3);
  AsyncMutex mutex(runtime());
  int under_mutex = 0;
  std::atomic<int> inside = 0;
  Hammer([&](Runtime& runtime, int number) { return Compete(runtime, semaphore, mutex, number, &under_mutex, &inside); });
  EXPECT_EQ(under_mutex, kTasks * kRounds);
  EXPECT_TRUE(semaphore.TryAcquire(3));
}

TEST_F(ThreadHammerTest, WhenAllAndBlocking) {
  Hammer([](Runtime& runtime, int) -> Task<void> {
    for (int i = 0; i < kRounds / 3; ++i) {
      std::vector<Task<int>> tasks;
      for (int k = 0; k < 8; ++k) tasks.push_back(SomewhereElse(runtime, k));
      const std::vector<int> results = co_await WhenAll(runtime, std::move(tasks));
      for (int k = 0; k < 8; ++k) EXPECT_EQ(results[k], k);
    }
  });
}

TEST_F(ThreadHammerTest, ClocksRandomAndBudget) {
  auto budget = std::make_shared<RetryBudget>(kTasks * kRounds / 2);
  auto taken = std::make_shared<std::atomic<int>>(0);
  Hammer([budget, taken](Runtime& runtime, int) { return Draw(runtime, budget, taken); });
  EXPECT_EQ(*taken, kTasks * kRounds / 2);
}

TEST_F(ThreadHammerTest, WaitFromManyThreads) {
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([this] {
      for (int k = 0; k < kRounds; ++k) EXPECT_EQ(Wait(SomewhereElse(runtime(), k)), k);
    });
  }
}

}  // namespace
}  // namespace lakestream
