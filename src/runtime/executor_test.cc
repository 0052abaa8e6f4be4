#include "runtime/executor.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include "runtime/gate.h"
#include "runtime/testing/world.h"
#include "runtime/timer_queue.h"

namespace lakestream {
namespace {

using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(WorkTest, HoldsSmallAndLargeCallablesAndLetsThemGoOnce) {
  int live = 0;
  int calls = 0;
  {
    Work small = [counted = Counted(&live), &calls] { calls += counted.value(); };
    Work large = [counted = Counted(&live), padding = std::array<char, 200>{}, &calls] {
      calls += counted.value() + padding[7];
    };
    EXPECT_EQ(live, 2);
    Work moved = std::move(small);
    EXPECT_FALSE(small);
    EXPECT_TRUE(moved);
    moved();
    moved();
    moved = std::move(large);
    EXPECT_EQ(live, 1);
    moved();
    EXPECT_EQ(calls, 3);
    moved = nullptr;
    EXPECT_EQ(live, 0);
    moved = [counted = Counted(&live)] {};
    EXPECT_EQ(live, 1);
  }
  EXPECT_EQ(live, 0);
}

TEST(WorkTest, ATypeThatMayThrowOnMoveGoesToTheHeap) {
  struct Throwing {
    Throwing() = default;
    Throwing(const Throwing&) {}
    void operator()() const {}
  };
  Work work = Throwing();
  Work moved = std::move(work);
  moved();
}

// Against a plain sorted map, with adds, cancels, pops and reschedules in a fixed pseudo-random order.
TEST(TimerQueueTest, AgreesWithASortedMap) {
  std::mt19937 random(7);
  internal::TimerQueue<int> queue;
  std::map<std::pair<MonotonicTime, int>, TimerId> model;
  std::vector<TimerId> gone;
  for (int i = 0; i < 20'000; ++i) {
    const unsigned choice = random() % 10;
    if (choice < 5) {
      const MonotonicTime at(Duration(random() % 50));
      model.emplace(std::pair(at, i), queue.Add(at, i));
    } else if (choice < 7 && !model.empty()) {
      const auto victim = std::next(model.begin(), static_cast<long>(random() % model.size()));
      ASSERT_EQ(queue.Cancel(victim->second), victim->first.second);
      gone.push_back(victim->second);
      model.erase(victim);
    } else if (choice < 9 && !model.empty()) {
      ASSERT_EQ(queue.NextTime(), model.begin()->first.first);
      ASSERT_EQ(queue.PopNext(), model.begin()->first.second);
      gone.push_back(model.begin()->second);
      model.erase(model.begin());
    } else if (!gone.empty()) {
      ASSERT_FALSE(queue.Cancel(gone[random() % gone.size()]).has_value());
    }
    ASSERT_EQ(queue.size(), model.size());
  }
  queue.Reschedule([](int value, MonotonicTime) { return MonotonicTime(Duration(-value)); });
  const std::vector<int> even = queue.RemoveIf([](int value) { return value % 2 == 0; });
  int last = 1 << 30;
  std::size_t odd = 0;
  for (; !queue.empty(); ++odd) {
    const int value = queue.PopNext();
    EXPECT_EQ(value % 2, 1);
    EXPECT_LT(value, last);
    last = value;
  }
  EXPECT_EQ(even.size() + odd, model.size());
  EXPECT_GT(odd, 100u);
}

class ExecutorTest : public WorldTest {};

Task<void> Nap(Runtime& runtime) { (void)co_await SleepFor(runtime, OpContext(), microseconds(100)); }

TEST_P(ExecutorTest, PostedWorkRunsAndNeverInsidePost) {
  const auto body = [](Runtime& runtime) -> Task<void> {
    Event done(runtime.executor);
    std::mutex mutex;
    Work work = [&] {
      // Would not come back if Post ran it on the thread that holds the mutex.
      mutex.lock();
      mutex.unlock();
      done.Set();
    };
    mutex.lock();
    runtime.executor.Post(std::move(work));
    mutex.unlock();
    co_await done.Wait();
  };
  Run(body(runtime()));
}

TEST_P(ExecutorTest, TimersFireOnceNotEarlyAndNotWhenCancelled) {
  const auto body = [](Runtime& runtime) -> Task<void> {
    constexpr int kTimers = 500;
    std::vector<std::atomic<int>> fired(kTimers);
    std::atomic<int> early = 0;
    std::vector<TimerId> ids;
    for (int i = 0; i < kTimers; ++i) {
      const MonotonicTime at = runtime.Now() + microseconds(i * 37 % 5000);
      ids.push_back(runtime.executor.AddTimer(at, [&, i, at] {
        ++fired[i];
        if (runtime.Now() < at) ++early;
      }));
    }
    std::vector<bool> cancelled(kTimers);
    for (int i = 0; i < kTimers; i += 2) {
      cancelled[i] = runtime.executor.CancelTimer(ids[i]);
      CO_ASSERT_TRUE(!cancelled[i] || !runtime.executor.CancelTimer(ids[i]));
    }
    for (int i = 0; i < kTimers; ++i) {
      while (!cancelled[i] && fired[i] == 0) co_await Nap(runtime);
      CO_ASSERT_EQ(fired[i].load(), cancelled[i] ? 0 : 1);
      CO_ASSERT_TRUE(!runtime.executor.CancelTimer(ids[i]));
    }
    CO_ASSERT_EQ(early.load(), 0);
  };
  Run(body(runtime()));
}

TEST_P(ExecutorTest, ANearTimerIsNotHeldUpByAFarOne) {
  const auto body = [](Runtime& runtime) -> Task<void> {
    const TimerId never = runtime.executor.AddTimer(MonotonicTime::max(), [] {});
    const TimerId far = runtime.executor.AddTimer(runtime.Now() + hours(10), [] {});
    CO_ASSERT_OK(co_await SleepFor(runtime, OpContext(), milliseconds(1)));
    Event past(runtime.executor);
    runtime.executor.AddTimer(MonotonicTime::min(), [&past] { past.Set(); });
    co_await past.Wait();
    CO_ASSERT_TRUE(runtime.executor.CancelTimer(far));
    CO_ASSERT_TRUE(runtime.executor.CancelTimer(never));
  };
  Run(body(runtime()));
}

// What a cancelled timer held goes inside CancelTimer, and may itself cancel.
TEST_P(ExecutorTest, CancellingMayCancel) {
  struct Nested {
    Executor& executor;
    TimerId inner;
    bool* done;
    ~Nested() { *done = executor.CancelTimer(inner); }
  };
  const auto body = [](Runtime& runtime) -> Task<void> {
    bool done = false;
    const TimerId inner = runtime.executor.AddTimer(runtime.Now() + hours(1), [] {});
    auto nested = std::make_unique<Nested>(runtime.executor, inner, &done);
    Work work = [nested = std::move(nested)] {};
    const TimerId outer = runtime.executor.AddTimer(runtime.Now() + hours(1), std::move(work));
    CO_ASSERT_TRUE(runtime.executor.CancelTimer(outer));
    CO_ASSERT_TRUE(done);
  };
  Run(body(runtime()));
}

LS_INSTANTIATE_WORLDS(ExecutorTest);

TEST(ThreadShutdownTest, WhatIsQueuedRunsAndWhatThatQueuesToo) {
  std::atomic<int> ran = 0;
  {
    ThreadRuntime threads(ThreadRuntimeOptions{.executor_threads = 1, .blocking_threads = 1});
    Runtime& runtime = threads.runtime();
    // Long enough that the shutdown begins with everything still queued.
    runtime.blocking.Submit([] { std::this_thread::sleep_for(milliseconds(100)); });
    for (int i = 0; i < 100; ++i) {
      runtime.blocking.Submit([&runtime, &ran] {
        ++ran;
        runtime.executor.Post([&runtime, &ran] {
          ++ran;
          runtime.executor.Post([&ran] { ++ran; });
        });
      });
    }
  }
  EXPECT_EQ(ran, 300);
}

TEST(ThreadShutdownTest, ATimerThatIsNotDueIsDroppedAndWorkMayStillUseTheRuntime) {
  int live = 0;
  std::atomic<int> ran = 0;
  {
    ThreadRuntime threads(ThreadRuntimeOptions{});
    Runtime& runtime = threads.runtime();
    runtime.executor.AddTimer(runtime.Now() + hours(1), [counted = Counted(&live)] {});
    for (int i = 0; i < 100; ++i) {
      runtime.executor.Post([&runtime, &ran] {
        const TimerId id = runtime.executor.AddTimer(runtime.Now() + hours(1), [] {});
        EXPECT_TRUE(runtime.executor.CancelTimer(id));
        runtime.blocking.Submit([&ran] { ++ran; });
      });
    }
  }
  EXPECT_EQ(live, 0);
}

TEST(ThreadShutdownTest, AnUnusedRuntimeEnds) {
  for (int i = 0; i < 50; ++i) ThreadRuntime threads(ThreadRuntimeOptions{});
}

TEST(ThreadPoolTest, BlockingWorkRunsOnAsManyThreadsAsItNeeds) {
  ThreadRuntime threads(ThreadRuntimeOptions{.executor_threads = 1, .blocking_threads = 4});
  std::mutex mutex;
  std::condition_variable all_here;
  int here = 0;
  std::atomic<int> passed = 0;
  // Each blocks until all four are in: with fewer threads than that this would never end.
  for (int i = 0; i < 4; ++i) {
    threads.runtime().blocking.Submit([&] {
      std::unique_lock lock(mutex);
      ++here;
      all_here.notify_all();
      all_here.wait(lock, [&] { return here == 4; });
      ++passed;
    });
  }
  std::unique_lock lock(mutex);
  all_here.wait(lock, [&] { return here == 4; });
  lock.unlock();
  while (passed != 4) std::this_thread::yield();
}

}  // namespace
}  // namespace lakestream
