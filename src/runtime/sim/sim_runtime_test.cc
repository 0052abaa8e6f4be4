#include "runtime/sim/sim_runtime.h"

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "runtime/gate.h"
#include "runtime/semaphore.h"
#include "runtime/testing/world.h"
#include "runtime/when_all.h"

namespace lakestream {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

Task<void> Wander(SimScheduler& scheduler, Runtime& runtime, int steps, std::string* path, char name) {
  for (int i = 0; i < steps; ++i) {
    const std::uint64_t draw = runtime.random.Below(4);
    path->push_back(name);
    if (draw == 0) {
      co_await Yield(runtime);
    } else if (draw == 1) {
      (void)co_await SleepFor(runtime, OpContext(), milliseconds(runtime.random.Below(5)));
    } else if (draw == 2) {
      const auto blocking = [] { return 1; };
      (void)co_await RunBlocking(runtime, blocking);
    } else {
      scheduler.Note("wandered");
    }
  }
}

/// A fixed program; returns the hash of its trace.
std::uint64_t RunProgram(std::uint64_t seed, std::uint64_t altered_draw = 0, std::string* path_out = nullptr) {
  SimScheduler scheduler(seed);
  scheduler.AlterDraw(altered_draw);
  std::string path;
  for (const char name : {'a', 'b', 'c'}) {
    SimNode& node = scheduler.AddNode(std::string(1, name));
    node.Spawn(Wander(scheduler, node.runtime(), 30, &path, name));
  }
  EXPECT_TRUE(scheduler.RunUntilIdle().ok());
  EXPECT_EQ(path.size(), 90u);
  if (path_out != nullptr) *path_out = path;
  return scheduler.trace_hash();
}

TEST(SimTraceTest, TheSameSeedGivesTheSameTrace) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) EXPECT_EQ(RunProgram(seed), RunProgram(seed));
}

// The same numbers with every compiler and in every process. They stand for this program and this scheduler:
// whoever changes either computes them again, and says so in the change.
TEST(SimTraceTest, TheTraceIsTheSameWithEveryCompiler) {
  EXPECT_EQ(RunProgram(1), 14051181793517406790u);
  EXPECT_EQ(RunProgram(42), 8420065390572289546u);
}

TEST(SimTraceTest, SeedsGiveDifferentOrders) {
  std::set<std::uint64_t> hashes;
  std::set<std::string> paths;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    std::string path;
    hashes.insert(RunProgram(seed, 0, &path));
    paths.insert(path);
  }
  EXPECT_EQ(hashes.size(), 50u);
  EXPECT_EQ(paths.size(), 50u);
}

TEST(SimTraceTest, OneChangedDrawChangesTheHash) {
  std::set<std::uint64_t> hashes{RunProgram(1)};
  for (std::uint64_t draw = 1; draw <= 60; ++draw) hashes.insert(RunProgram(1, draw));
  EXPECT_EQ(hashes.size(), 61u);
}

// The draw is not used for anything: only the hash itself can show it.
TEST(SimTraceTest, ADrawThatDecidesNothingIsCoveredToo) {
  const auto hash = [](std::uint64_t altered, const char* stream) {
    SimScheduler scheduler(1);
    scheduler.AlterDraw(altered);
    (void)scheduler.Stream(stream).Next();
    return scheduler.trace_hash();
  };
  EXPECT_EQ(hash(0, "x"), hash(0, "x"));
  EXPECT_NE(hash(0, "x"), hash(1, "x"));
  EXPECT_NE(hash(0, "x"), hash(0, "y"));
}

TEST(SimTraceTest, NotesAreCovered) {
  const auto hash = [](std::vector<std::string> notes) {
    SimScheduler scheduler(1);
    for (const std::string& note : notes) scheduler.Note(note);
    return scheduler.trace_hash();
  };
  EXPECT_EQ(hash({"put a", "put b"}), hash({"put a", "put b"}));
  const std::set<std::uint64_t> hashes{hash({}),        hash({""}),         hash({"ab"}),
                                       hash({"a", "b"}), hash({"b", "a"}), hash({"ba"})};
  EXPECT_EQ(hashes.size(), 6u);
}

TEST(SimTraceTest, SchedulingChoicesAreCovered) {
  const auto hash = [](int tasks) {
    SimScheduler scheduler(1);
    for (int i = 0; i < tasks; ++i) scheduler.runtime().executor.Post([] {});
    EXPECT_TRUE(scheduler.RunUntilIdle().ok());
    return scheduler.trace_hash();
  };
  EXPECT_NE(hash(1), hash(2));
}

TEST(SimStreamTest, ADrawFromOneStreamDoesNotMoveAnother) {
  SimScheduler plain(9);
  SimScheduler more(9);
  std::vector<std::uint64_t> first;
  std::vector<std::uint64_t> second;
  for (int i = 0; i < 10; ++i) {
    first.push_back(plain.Stream("workload").Next());
    (void)more.Stream("faults").Next();
    second.push_back(more.Stream("workload").Next());
  }
  EXPECT_EQ(first, second);
  EXPECT_NE(plain.Stream("faults").Next(), plain.Stream("workload").Next());
  // Nor does a draw move the scheduler's choices.
  const auto order = [](bool draw) {
    SimScheduler scheduler(5);
    std::string ran;
    for (char c = 'a'; c <= 'z'; ++c) {
      scheduler.runtime().executor.Post([&ran, &scheduler, draw, c] {
        if (draw) (void)scheduler.Stream("faults").Next();
        ran.push_back(c);
      });
    }
    EXPECT_TRUE(scheduler.RunUntilIdle().ok());
    return ran;
  };
  EXPECT_EQ(order(false), order(true));
  EXPECT_NE(order(false), "abcdefghijklmnopqrstuvwxyz");
}

TEST(SimStreamTest, EachLifeOfANodeHasItsOwnStream) {
  SimScheduler scheduler(1);
  std::set<std::string> uuids;
  for (int life = 0; life < 3; ++life) {
    SimNode& node = scheduler.AddNode("writer");
    uuids.insert(node.runtime().random.Uuid());
    node.Kill();
  }
  EXPECT_EQ(uuids.size(), 3u);
}

Task<Status> WaitFor(Event& event) { co_return co_await event.WaitFor(OpContext()); }
Task<int> Five(Runtime& runtime) {
  co_await Yield(runtime);
  co_return 5;
}
Task<Result<std::string>> Text(Runtime& runtime, bool good) {
  co_await Yield(runtime);
  if (!good) co_return NotFound("no text");
  co_return std::string("text");
}
Task<void> Nap(Runtime& runtime, Duration duration) { (void)co_await SleepFor(runtime, OpContext(), duration); }
Task<void> SpinForever(Runtime& runtime) {
  while (true) co_await Yield(runtime);
}
Task<void> TickForever(Runtime& runtime, int* ticks) {
  while (true) {
    (void)co_await SleepFor(runtime, OpContext(), seconds(1));
    ++*ticks;
  }
}

TEST(SimRunTest, HandsOnEveryKindOfResult) {
  SimScheduler scheduler(1);
  Runtime& runtime = scheduler.AddNode("node").runtime();
  const Result<int> five = scheduler.Run(Five(runtime));
  EXPECT_EQ(*five, 5);
  const Result<std::string> text = scheduler.Run(Text(runtime, true));
  EXPECT_EQ(*text, "text");
  EXPECT_EQ(scheduler.Run(Text(runtime, false)).status().code(), StatusCode::kNotFound);
  const Status slept = scheduler.Run(SleepFor(runtime, OpContext(), seconds(1)));
  EXPECT_TRUE(slept.ok());
  const Status nothing = scheduler.Run(Nap(runtime, seconds(1)));
  EXPECT_TRUE(nothing.ok());
  EXPECT_EQ(*scheduler.RunUntilDone(Five(runtime)), 5);
  EXPECT_TRUE(scheduler.RunUntilDone(Nap(runtime, seconds(1))).has_value());
}

TEST(SimRunTest, ATaskThatNothingCanEndIsReported) {
  SimScheduler scheduler(1);
  Event never(scheduler.runtime().executor);
  const Status stuck = scheduler.Run(WaitFor(never));
  EXPECT_EQ(stuck.code(), StatusCode::kInternal);
  EXPECT_NE(stuck.message().find("nothing is left to run"), std::string_view::npos) << stuck.ToString();
  EXPECT_FALSE(scheduler.RunUntilDone(WaitFor(never)).has_value());
  EXPECT_FALSE(scheduler.why().ok());
}

TEST(SimRunTest, LimitsEndARun) {
  SimScheduler scheduler(1, SimLimits{.steps = 1000, .time = hours(1)});
  Runtime& runtime = scheduler.AddNode("node").runtime();
  const Status spun = scheduler.Run(SpinForever(runtime));
  EXPECT_NE(spun.message().find("limit of steps"), std::string_view::npos) << spun.ToString();
  const Status slept = scheduler.Run(Nap(runtime, hours(2)));
  EXPECT_NE(slept.message().find("limit of virtual time"), std::string_view::npos) << slept.ToString();
  EXPECT_TRUE(scheduler.Run(Nap(runtime, milliseconds(3'500'000))).ok());
  scheduler.runtime().executor.AddTimer(scheduler.Now() + hours(2), [] {});
  EXPECT_FALSE(scheduler.RunUntilIdle().ok());
}

TEST(SimRunTest, RunForStopsAtItsTime) {
  SimScheduler scheduler(1);
  SimNode& node = scheduler.AddNode("node");
  int ticks = 0;
  node.Spawn(TickForever(node.runtime(), &ticks));
  const MonotonicTime start = scheduler.Now();
  EXPECT_TRUE(scheduler.RunFor(milliseconds(10'500)).ok());
  EXPECT_EQ(ticks, 10);
  EXPECT_EQ(scheduler.Now() - start, milliseconds(10'500));
  node.Kill();
}

TEST(SimRunTest, VirtualTimeJumps) {
  SimScheduler scheduler(1);
  Runtime& runtime = scheduler.AddNode("node").runtime();
  EXPECT_TRUE(scheduler.Run(Nap(runtime, hours(24 * 300))).ok());
  EXPECT_LT(scheduler.steps(), 10u);
}

TEST(SimClockTest, ClocksBeginApartAndRunTogether) {
  SimScheduler scheduler(1);
  const Clock& clock = scheduler.AddNode("node").runtime().clock;
  EXPECT_NE(clock.Monotonic().time_since_epoch(), clock.Boot().time_since_epoch());
  const WallTime wall = clock.Wall();
  const MonotonicTime monotonic = clock.Monotonic();
  const BootTime boot = clock.Boot();
  EXPECT_EQ(ToMillis(wall), 1'767'225'600'000);
  EXPECT_TRUE(scheduler.RunFor(seconds(90)).ok());
  EXPECT_EQ(clock.Wall() - wall, seconds(90));
  EXPECT_EQ(clock.Monotonic() - monotonic, seconds(90));
  EXPECT_EQ(clock.Boot() - boot, seconds(90));
}

TEST(SimClockTest, EachNodeHasAWallClockOfItsOwn) {
  SimScheduler scheduler(1);
  SimNode& right = scheduler.AddNode("right");
  SimNode& wrong = scheduler.AddNode("wrong");
  const auto apart = [&] { return wrong.runtime().clock.Wall() - right.runtime().clock.Wall(); };
  EXPECT_EQ(apart(), Duration(0));
  wrong.ShiftWall(seconds(-5));
  EXPECT_EQ(apart(), seconds(-5));
  wrong.SetWallRate(1000);
  EXPECT_TRUE(scheduler.RunFor(seconds(1000)).ok());
  EXPECT_EQ(apart(), seconds(-4));
  wrong.SetWallRate(-1000);
  EXPECT_TRUE(scheduler.RunFor(seconds(2000)).ok());
  EXPECT_EQ(apart(), seconds(-6));
  EXPECT_EQ(wrong.runtime().Now(), right.runtime().Now());
}

TEST(SimClockTest, InSuspendBoottimeRunsAndTheMonotonicClockStands) {
  SimScheduler scheduler(1);
  SimNode& node = scheduler.AddNode("node");
  Runtime& runtime = node.runtime();
  int fired = 0;
  const MonotonicTime start = runtime.Now();
  const BootTime boot = runtime.clock.Boot();
  const WallTime wall = runtime.clock.Wall();
  runtime.executor.AddTimer(start + seconds(10), [&] { ++fired; });
  EXPECT_TRUE(scheduler.RunFor(seconds(4)).ok());
  node.Suspend(seconds(100));
  EXPECT_TRUE(scheduler.RunFor(seconds(60)).ok());
  EXPECT_EQ(runtime.Now() - start, seconds(4));
  EXPECT_EQ(runtime.clock.Boot() - boot, seconds(64));
  EXPECT_EQ(runtime.clock.Wall() - wall, seconds(64));
  // A longer one inside it prolongs it; a shorter one changes nothing.
  node.Suspend(seconds(50));
  node.Suspend(seconds(1));
  EXPECT_TRUE(scheduler.RunFor(seconds(49)).ok());
  EXPECT_EQ(runtime.Now() - start, seconds(4));
  EXPECT_TRUE(scheduler.RunFor(seconds(6)).ok());
  EXPECT_EQ(runtime.Now() - start, seconds(9));
  EXPECT_EQ(fired, 0);
  EXPECT_TRUE(scheduler.RunFor(seconds(1)).ok());
  EXPECT_EQ(fired, 1);
  EXPECT_EQ(runtime.clock.Boot() - boot, seconds(120));
}

TEST(SimNodeTest, AFrozenNodeRunsNothingUntilItThaws) {
  SimScheduler scheduler(1);
  SimNode& node = scheduler.AddNode("node");
  int ticks = 0;
  node.Spawn(TickForever(node.runtime(), &ticks));
  EXPECT_TRUE(scheduler.RunFor(milliseconds(2500)).ok());
  EXPECT_EQ(ticks, 2);
  node.Freeze(scheduler.Now() + seconds(10));
  node.runtime().executor.Post([&] { ticks += 100; });
  EXPECT_TRUE(scheduler.RunFor(milliseconds(9999)).ok());
  EXPECT_EQ(ticks, 2);
  EXPECT_TRUE(scheduler.RunFor(milliseconds(1)).ok());
  // One tick was due long ago: a stopped process does not catch up on the others.
  EXPECT_EQ(ticks, 103);
  node.Freeze();
  EXPECT_TRUE(scheduler.RunFor(hours(1)).ok());
  EXPECT_EQ(ticks, 103);
  node.Thaw();
  EXPECT_TRUE(scheduler.RunFor(seconds(3)).ok());
  EXPECT_EQ(ticks, 107);
  node.Kill();
}

TEST(SimNodeTest, AnEarlierThawDoesNotEndALaterFreeze) {
  SimScheduler scheduler(1);
  SimNode& node = scheduler.AddNode("node");
  int ran = 0;
  node.Freeze(scheduler.Now() + seconds(1));
  node.Thaw();
  node.Freeze(scheduler.Now() + seconds(5));
  node.runtime().executor.Post([&ran] { ++ran; });
  EXPECT_TRUE(scheduler.RunFor(seconds(3)).ok());
  EXPECT_EQ(ran, 0);
  EXPECT_TRUE(scheduler.RunFor(seconds(3)).ok());
  EXPECT_EQ(ran, 1);
}

Task<void> HoldUntil(Runtime& runtime, Counted counted, int* resumed) {
  (void)co_await SleepFor(runtime, OpContext(), seconds(1));
  *resumed += counted.value();
}

TEST(SimNodeTest, KillDropsEverythingQueued) {
  SimScheduler scheduler(1);
  SimNode& node = scheduler.AddNode("node");
  SimNode& other = scheduler.AddNode("other");
  Runtime& runtime = node.runtime();
  int live = 0;
  int ran = 0;
  int others = 0;
  node.Spawn(HoldUntil(runtime, Counted(&live), &ran));
  EXPECT_TRUE(scheduler.RunFor(milliseconds(1)).ok());
  node.Spawn(HoldUntil(runtime, Counted(&live), &ran));
  runtime.executor.Post([&ran, counted = Counted(&live)] { ++ran; });
  runtime.executor.AddTimer(scheduler.Now() + seconds(1), [&ran, counted = Counted(&live)] { ++ran; });
  runtime.blocking.Submit([&ran, counted = Counted(&live)] { ++ran; });
  other.runtime().executor.Post([&others] { ++others; });
  EXPECT_EQ(live, 5);
  node.Kill();
  EXPECT_FALSE(node.alive());
  EXPECT_EQ(live, 0);
  node.Kill();
  node.Spawn(HoldUntil(runtime, Counted(&live), &ran));
  runtime.executor.Post([&ran, counted = Counted(&live)] { ++ran; });
  const TimerId id = runtime.executor.AddTimer(scheduler.Now(), [&ran, counted = Counted(&live)] { ++ran; });
  EXPECT_FALSE(runtime.executor.CancelTimer(id));
  EXPECT_EQ(live, 0);
  EXPECT_TRUE(scheduler.RunUntilIdle().ok());
  EXPECT_EQ(ran, 0);
  EXPECT_EQ(others, 1);
}

TEST(SimNodeTest, AFrozenNodeMayBeKilled) {
  SimScheduler scheduler(1);
  SimNode& node = scheduler.AddNode("node");
  int live = 0;
  int ran = 0;
  node.Freeze(scheduler.Now() + seconds(1));
  node.Spawn(HoldUntil(node.runtime(), Counted(&live), &ran));
  node.Kill();
  EXPECT_EQ(live, 0);
  EXPECT_TRUE(scheduler.RunUntilIdle().ok());
  EXPECT_EQ(ran, 0);
}

/// Waits for an event three calls deep, at lines that it gives.
struct Depths {
  unsigned innermost = 0;
  unsigned middle = 0;
};

Task<void> WaitInnermost(Event& event, Depths* depths) {
  depths->innermost = __LINE__ + 1;
  co_await event.Wait();
}

Task<void> WaitMiddle(Runtime& runtime, Event& event, Depths* depths) {
  co_await Yield(runtime);
  depths->middle = __LINE__ + 1;
  co_await WaitInnermost(event, depths);
}

std::string Place(unsigned line) { return "sim_runtime_test.cc:" + std::to_string(line); }

TEST(SimNodeTest, WhatWaitsCanBeExplained) {
  SimScheduler scheduler(1);
  SimNode& node = scheduler.AddNode("node");
  SimNode& other = scheduler.AddNode("other");
  Event event(node.runtime().executor);
  Gate gate(node.runtime());
  Depths depths;
  EXPECT_TRUE(node.Waiting().empty());
  node.Spawn(WaitMiddle(node.runtime(), event, &depths));
  gate.Spawn(WaitMiddle(node.runtime(), event, &depths));
  EXPECT_TRUE(scheduler.RunUntilIdle().ok());
  const std::string chain = Place(depths.middle) + " > " + Place(depths.innermost);
  const std::vector<std::string> waiting = node.Waiting();
  ASSERT_EQ(waiting.size(), 1u);
  EXPECT_EQ(waiting[0], "2 x " + chain);
  EXPECT_TRUE(other.Waiting().empty());
  // What stands still is told apart by node, in the answer too.
  const Status stuck = scheduler.Run(WaitInnermost(event, &depths));
  EXPECT_NE(stuck.ToString().find("node=\"" + waiting[0] + "\""), std::string::npos) << stuck.ToString();
  EXPECT_NE(stuck.ToString().find("driver=" + Place(depths.innermost)), std::string::npos) << stuck.ToString();
  event.Set();
  EXPECT_TRUE(scheduler.RunUntilIdle().ok());
  EXPECT_TRUE(node.Waiting().empty());
}

TEST(SimNodeTest, WhatADeadNodeWaitedForIsForgotten) {
  SimScheduler scheduler(1);
  SimNode& node = scheduler.AddNode("node");
  Event event(node.runtime().executor);
  Depths depths;
  node.Spawn(WaitInnermost(event, &depths));
  EXPECT_TRUE(scheduler.RunUntilIdle().ok());
  EXPECT_EQ(node.Waiting().size(), 1u);
  node.Kill();
  EXPECT_TRUE(node.Waiting().empty());
}

Task<void> KillOwnNode(SimNode& node, Counted counted, bool* after) {
  co_await Yield(node.runtime());
  node.Kill();
  // Still running: the frame goes at the end of this step.
  *after = counted.value() == 1;
  co_await Yield(node.runtime());
  ADD_FAILURE() << "a dead node ran on";
}

TEST(SimNodeTest, ANodeMayBeKilledFromInside) {
  SimScheduler scheduler(1);
  SimNode& node = scheduler.AddNode("node");
  int live = 0;
  bool after = false;
  node.Spawn(KillOwnNode(node, Counted(&live), &after));
  EXPECT_TRUE(scheduler.RunUntilIdle().ok());
  EXPECT_TRUE(after);
  EXPECT_EQ(live, 0);
}

/// An object that lives on a node, with work of every kind going on.
class Service {
 public:
  Service(Runtime& runtime, int* live) : runtime_(runtime), mutex_(runtime), gate_(runtime) {
    for (int i = 0; i < 5; ++i) gate_.Spawn(Work(Counted(live)));
  }

 private:
  Task<void> Work(Counted counted) {
    while (counted.value() == 1) {
      Result<AsyncMutex::Lock> lock = co_await mutex_.Acquire(OpContext());
      const auto blocking = [] { return 1; };
      total_ += co_await RunBlocking(runtime_, blocking);
      (void)co_await SleepFor(runtime_, OpContext(), milliseconds(runtime_.random.Below(3)));
    }
  }

  Runtime& runtime_;
  AsyncMutex mutex_;
  int total_ = 0;
  Gate gate_;
};

// At whatever await the frames are: the object goes with its gate, and nothing of it is ever resumed.
TEST(SimNodeTest, ObjectsOfAKilledNodeGoAtAnyMoment) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SimScheduler scheduler(seed);
    SimNode& node = scheduler.AddNode("node");
    int live = 0;
    auto service = std::make_unique<Service>(node.runtime(), &live);
    for (std::uint64_t step = 0; step < seed; ++step) ASSERT_TRUE(scheduler.Step());
    ASSERT_EQ(live, 5);
    node.Kill();
    service.reset();
    ASSERT_EQ(live, 0);
    ASSERT_TRUE(scheduler.RunUntilIdle().ok());
  }
}

TEST(SimNodeTest, ATaskOfAKilledNodeIsReportedAsStuck) {
  SimScheduler scheduler(1);
  SimNode& node = scheduler.AddNode("node");
  scheduler.runtime().executor.AddTimer(scheduler.Now() + seconds(1), [&node] { node.Kill(); });
  EXPECT_FALSE(scheduler.Run(Nap(node.runtime(), seconds(2))).ok());
}

}  // namespace
}  // namespace lakestream
