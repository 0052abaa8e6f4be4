#include "runtime/event.h"

#include <atomic>
#include <set>
#include <vector>

#include "runtime/gate.h"
#include "runtime/testing/world.h"

namespace lakestream {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

class EventTest : public WorldTest {};

Task<void> CountAfter(Event& event, std::atomic<int>* resumed) {
  co_await event.Wait();
  ++*resumed;
}

Task<void> SetSoon(Runtime& runtime, Event& event) {
  co_await Yield(runtime);
  event.Set();
}

Task<void> CancelSoon(Runtime& runtime, std::stop_source source) {
  co_await Yield(runtime);
  source.request_stop();
}

Task<void> WaitInto(Event& event, OpContext context, std::vector<Status>* ends) {
  ends->push_back(co_await event.WaitFor(std::move(context)));
}

TEST_P(EventTest, WhatHappenedBeforeIsNotWaitedFor) {
  const auto body = [](Runtime& runtime) -> Task<void> {
    Event event(runtime.executor);
    CO_ASSERT_TRUE(!event.IsSet());
    event.Set();
    event.Set();
    CO_ASSERT_TRUE(event.IsSet());
    co_await event.Wait();
    CO_ASSERT_OK(co_await event.WaitFor(OpContext()));
  };
  Run(body(runtime()));
}

TEST_P(EventTest, SetResumesEveryWaiter) {
  const auto body = [](Runtime& runtime) -> Task<void> {
    Event event(runtime.executor);
    std::atomic<int> resumed = 0;
    Gate gate(runtime);
    for (int i = 0; i < 100; ++i) gate.Spawn(CountAfter(event, &resumed));
    gate.Spawn(SetSoon(runtime, event));
    co_await gate.Close();
    CO_ASSERT_EQ(resumed.load(), 100);
  };
  Run(body(runtime()));
}

TEST_P(EventTest, AWaitEndsAtItsDeadlineAndNotBefore) {
  const auto body = [](Runtime& runtime) -> Task<void> {
    Event event(runtime.executor);
    const MonotonicTime deadline = runtime.Now() + milliseconds(3);
    CO_ASSERT_CODE(co_await event.WaitFor(OpContext().WithDeadline(deadline)), kDeadlineExceeded);
    CO_ASSERT_TRUE(runtime.Now() >= deadline);
    CO_ASSERT_CODE(co_await event.WaitFor(OpContext().WithDeadline(MonotonicTime::min())), kDeadlineExceeded);
    event.Set();
    CO_ASSERT_OK(co_await event.WaitFor(OpContext().WithDeadline(MonotonicTime::min())));
  };
  Run(body(runtime()));
}

TEST_P(EventTest, AWaitEndsByCancellation) {
  const auto body = [](Runtime& runtime) -> Task<void> {
    Event event(runtime.executor);
    std::stop_source source;
    const OpContext context = OpContext().WithCancel(source.get_token()).WithDeadline(runtime.Now() + hours(1));
    Gate gate(runtime);
    gate.Spawn(CancelSoon(runtime, source));
    CO_ASSERT_CODE(co_await event.WaitFor(context), kCancelled);
    CO_ASSERT_CODE(co_await event.WaitFor(context), kCancelled);
    co_await gate.Close();
    event.Set();
    CO_ASSERT_OK(co_await event.WaitFor(context));
  };
  Run(body(runtime()));
}

TEST_P(EventTest, ALateSetResumesNobodyTwice) {
  const auto body = [](Runtime& runtime) -> Task<void> {
    Event event(runtime.executor);
    for (int i = 0; i < 20; ++i) {
      const MonotonicTime deadline = runtime.Now() + std::chrono::microseconds(50);
      CO_ASSERT_CODE(co_await event.WaitFor(OpContext().WithDeadline(deadline)), kDeadlineExceeded);
    }
    event.Set();
    co_await Yield(runtime);
  };
  Run(body(runtime()));
}

TEST_P(EventTest, ADestroyedEventWakesNobody) {
  const auto body = [](Runtime& runtime) -> Task<void> {
    auto event = std::make_unique<Event>(runtime.executor);
    std::vector<Status> ends;
    Gate gate(runtime);
    gate.Spawn(WaitInto(*event, OpContext().WithDeadline(runtime.Now() + milliseconds(30)), &ends));
    CO_ASSERT_OK(co_await SleepFor(runtime, OpContext(), milliseconds(10)));
    event.reset();
    co_await gate.Close();
    CO_ASSERT_EQ(ends.size(), 1u);
    CO_ASSERT_CODE(ends[0], kDeadlineExceeded);
  };
  Run(body(runtime()));
}

// Each round: the event goes while the thread that set it may still be inside Set.
TEST_P(EventTest, TheEventMayGoAsSoonAsItIsSet) {
  const auto body = [](Runtime& runtime) -> Task<void> {
    for (int i = 0; i < 2000; ++i) {
      auto event = std::make_unique<Event>(runtime.executor);
      Event* const raw = event.get();
      runtime.executor.Post([raw] { raw->Set(); });
      if (i % 2 == 0) {
        co_await event->Wait();
      } else {
        while (!event->IsSet()) co_await Yield(runtime);
      }
    }
  };
  Run(body(runtime()));
}

TEST_P(EventTest, AFutureHandsOverItsValue) {
  const auto body = [](Runtime& runtime) -> Task<void> {
    Future<std::unique_ptr<int>> future(runtime.executor);
    const Future<std::unique_ptr<int>> same = future;
    CO_ASSERT_TRUE(!future.IsSet());
    const MonotonicTime deadline = runtime.Now() + milliseconds(1);
    CO_ASSERT_CODE(co_await future.Ready(OpContext().WithDeadline(deadline)), kDeadlineExceeded);
    runtime.executor.Post([same] { same.Set(std::make_unique<int>(5)); });
    co_await future.Ready();
    CO_ASSERT_TRUE(same.IsSet());
    CO_ASSERT_EQ(*future.value(), 5);
    const std::unique_ptr<int> taken = std::move(same.value());
    CO_ASSERT_EQ(*taken, 5);
  };
  Run(body(runtime()));
}

TEST_P(EventTest, SleepTakesItsTimeAndNoMore) {
  const auto body = [](Runtime& runtime) -> Task<void> {
    const MonotonicTime start = runtime.Now();
    CO_ASSERT_OK(co_await SleepFor(runtime, OpContext(), milliseconds(5)));
    CO_ASSERT_TRUE(runtime.Now() - start >= milliseconds(5));
    CO_ASSERT_OK(co_await SleepUntil(runtime, OpContext(), start));
    CO_ASSERT_OK(co_await SleepFor(runtime, OpContext(), milliseconds(-5)));
  };
  Run(body(runtime()));
}

TEST_P(EventTest, SleepEndsEarlyByDeadlineOrCancellation) {
  const auto body = [](Runtime& runtime) -> Task<void> {
    const MonotonicTime deadline = runtime.Now() + milliseconds(2);
    CO_ASSERT_CODE(co_await SleepFor(runtime, OpContext().WithDeadline(deadline), hours(1)), kDeadlineExceeded);
    // The deadline has passed, so not even a sleep of no length succeeds.
    CO_ASSERT_CODE(co_await SleepFor(runtime, OpContext().WithDeadline(deadline), seconds(0)), kDeadlineExceeded);
    std::stop_source source;
    Gate gate(runtime);
    gate.Spawn(CancelSoon(runtime, source));
    // A length that no clock can hold must not overflow.
    const OpContext context = OpContext().WithCancel(source.get_token());
    CO_ASSERT_CODE(co_await SleepFor(runtime, context, Duration::max()), kCancelled);
    CO_ASSERT_CODE(co_await SleepFor(runtime, context, seconds(0)), kCancelled);
    co_await gate.Close();
  };
  Run(body(runtime()));
}

TEST_P(EventTest, ASleepThatEndsExactlyAtTheDeadlineIsOk) {
  const auto body = [](Runtime& runtime) -> Task<void> {
    const MonotonicTime until = runtime.Now() + milliseconds(2);
    CO_ASSERT_OK(co_await SleepUntil(runtime, OpContext().WithDeadline(until), until));
  };
  Run(body(runtime()));
}

LS_INSTANTIATE_WORLDS(EventTest);

TEST(EventSimTest, SetNeverResumesInsideItself) {
  SimScheduler scheduler(1);
  Runtime& runtime = scheduler.AddNode("node").runtime();
  Event event(runtime.executor);
  std::atomic<int> resumed = 0;
  internal::Root root = internal::MakeRoot(CountAfter(event, &resumed));
  root.Start([] {});
  event.Set();
  EXPECT_EQ(resumed, 0);
  EXPECT_TRUE(scheduler.RunUntilIdle().ok());
  EXPECT_EQ(resumed, 1);
}

TEST(EventSimTest, AFrameDestroyedWhileItWaitsIsNeverResumed) {
  for (const bool set_before : {false, true}) {
    SimScheduler scheduler(1);
    Runtime& runtime = scheduler.AddNode("node").runtime();
    Event event(runtime.executor);
    std::stop_source source;
    std::vector<Status> ends;
    {
      const OpContext context = OpContext().WithCancel(source.get_token()).WithDeadline(scheduler.Now() + seconds(1));
      internal::Root root = internal::MakeRoot(WaitInto(event, context, &ends));
      root.Start([] {});
      if (set_before) event.Set();
    }
    event.Set();
    source.request_stop();
    EXPECT_TRUE(scheduler.RunUntilIdle().ok());
    EXPECT_TRUE(ends.empty());
  }
}

TEST(EventSimTest, AFrameMayOutliveItsEvent) {
  SimScheduler scheduler(1);
  Runtime& runtime = scheduler.AddNode("node").runtime();
  auto event = std::make_unique<Event>(runtime.executor);
  std::vector<Status> ends;
  internal::Root root =
      internal::MakeRoot(WaitInto(*event, OpContext().WithDeadline(scheduler.Now() + seconds(1)), &ends));
  root.Start([] {});
  event.reset();
}

// Set, deadline and cancellation fall on one instant: the wait ends once, with any of the three, and over
// enough seeds with each.
TEST(EventSimTest, ARaceOfSetDeadlineAndCancelEndsTheWaitOnce) {
  std::set<StatusCode> seen;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    SimScheduler scheduler(seed);
    Runtime& runtime = scheduler.AddNode("node").runtime();
    Event event(runtime.executor);
    std::stop_source source;
    std::vector<Status> ends;
    const MonotonicTime instant = scheduler.Now() + seconds(1);
    runtime.executor.AddTimer(instant, [&event] { event.Set(); });
    runtime.executor.AddTimer(instant, [&source] { source.request_stop(); });
    const OpContext context = OpContext().WithCancel(source.get_token()).WithDeadline(instant);
    ASSERT_TRUE(scheduler.Run(WaitInto(event, context, &ends)).ok());
    ASSERT_TRUE(scheduler.RunUntilIdle().ok());
    ASSERT_EQ(ends.size(), 1u);
    seen.insert(ends[0].code());
  }
  EXPECT_EQ(seen, (std::set<StatusCode>{StatusCode::kOk, StatusCode::kDeadlineExceeded, StatusCode::kCancelled}));
}

}  // namespace
}  // namespace lakestream
