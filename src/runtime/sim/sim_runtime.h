#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "runtime/root.h"
#include "runtime/runtime.h"
#include "runtime/timer_queue.h"
#include "runtime/wait.h"

namespace lakestream {

/// All boottimes of a run are so much ahead of the scheduler's clock: they go on where a machine is suspended, and no trouble
/// changes them.
inline constexpr Duration kSimBootAhead = std::chrono::hours(1);

class SimScheduler;

/// One simulated process: a set of tasks with a Runtime of their own. It belongs to its scheduler and stays
/// valid until the scheduler goes, also when it is dead. Thread safety: none; one thread drives a simulation.
class SimNode {
 public:
  ~SimNode();
  SimNode(const SimNode&) = delete;
  SimNode& operator=(const SimNode&) = delete;

  const std::string& name() const { return name_; }
  bool alive() const { return alive_; }
  Runtime& runtime();

  /// Starts the task as a step of its own. The node holds it until it ends or until Kill, so what it uses must
  /// live that long. On a dead node the task is dropped.
  void Spawn(Task<void> task);

  /// What kill -9 does. Posted work, timers and blocking work are dropped, whatever is posted from now on
  /// is dropped too, and the frames of spawned tasks are destroyed: at once, or, when the node's own work is
  /// running, after that step. Objects that lived on the node may go after that. The process that takes the
  /// place of a dead one is another AddNode with the same name.
  void Kill();

  /// What SIGSTOP does: nothing of this node runs before `until`, in the scheduler's time, or before Thaw.
  void Freeze(MonotonicTime until = MonotonicTime::max());
  void Thaw();
  /// Suspends the node's machine: nothing runs, boottime and wall clock go on, the monotonic clock and with
  /// it every timer of the node stand still.
  void Suspend(Duration duration);

  /// Where its coroutines stand, each from the outermost co_await to what it waits for: "2 x a.cc:12 > b.cc:34".
  std::vector<std::string> Waiting() const;

  /// Moves the wall clock by this much, from now on.
  void ShiftWall(Duration by);
  /// Lets the wall clock run faster (or slower) by this many millionths, from now on.
  void SetWallRate(std::int64_t millionths);

 private:
  friend class SimScheduler;
  struct Parts;

  SimNode(SimScheduler& scheduler, std::string name, std::uint64_t number);
  bool Held() const;
  void HoldWork();
  WallTime WallNow() const;
  MonotonicTime MonotonicNow() const;
  BootTime BootNow() const;

  SimScheduler& scheduler_;
  const std::string name_;
  const std::uint64_t number_;
  bool alive_ = true;
  MonotonicTime frozen_until_ = MonotonicTime::min();
  MonotonicTime suspended_until_ = MonotonicTime::min();
  MonotonicTime monotonic_at_suspend_ = MonotonicTime::min();
  Duration suspended_{0};
  MonotonicTime wall_anchor_;
  WallTime wall_at_anchor_;
  std::int64_t wall_rate_ = 0;
  std::vector<Work> held_;
  std::map<std::uint64_t, internal::Root> spawned_;
  std::uint64_t next_spawned_ = 0;
  std::unique_ptr<Parts> parts_;
};

/// How far one call of Run, RunUntilDone or RunUntilIdle may go.
struct SimLimits {
  std::uint64_t steps = 2'000'000;
  Duration time = std::chrono::hours(366 * 24);
};

/// A seeded world in one thread: many nodes, one list of ready work from which each step takes one at random,
/// and a virtual clock that jumps to the next timer when nothing is ready (so a loop that only yields until a
/// time has come never ends: let it sleep). The same seed and program give the same steps with every compiler.
/// Objects that use a node's runtime must go before the scheduler.
class SimScheduler {
 public:
  explicit SimScheduler(std::uint64_t seed, SimLimits limits = SimLimits());
  ~SimScheduler();
  SimScheduler(const SimScheduler&) = delete;
  SimScheduler& operator=(const SimScheduler&) = delete;

  /// A new node. A name that was used before means the next life of that process: it gets random streams of
  /// its own, and a true clock.
  SimNode& AddNode(std::string_view name);
  /// For the driver of a test: a node of its own that nobody kills.
  Runtime& runtime();

  /// The stream of this name, independent of all others: a draw added to one does not move another. The
  /// reference stays valid.
  Random& Stream(std::string_view name);

  /// Steps until the task has ended. A Status or Result is handed on, any other T comes as Result<T>, void as
  /// Status. internal when the world stands still or a limit was reached while the task was pending; its
  /// frames are then destroyed.
  template <class T>
  auto Run(Task<T> task);
  /// The same with nothing instead of the status; why() then says what was wrong.
  template <class T>
  auto RunUntilDone(Task<T> task);
  const Status& why() const { return why_; }

  /// Steps until nothing is ready and no timer is left. internal when a limit was reached first.
  Status RunUntilIdle();
  /// Steps through this much virtual time. internal when the limit of steps was reached first.
  Status RunFor(Duration duration);
  /// One step; false when nothing is ready and no timer is left.
  bool Step();

  /// Virtual time since the start, as a node that was never suspended sees it.
  MonotonicTime Now() const { return now_; }
  std::uint64_t seed() const { return seed_; }
  std::uint64_t steps() const { return steps_; }
  std::uint64_t draws() const { return draws_; }
  /// Covers every scheduling choice, every draw with the name of its stream, and every note.
  std::uint64_t trace_hash() const { return trace_; }
  void Note(std::string_view what);
  /// For tests of the hash: the draw with this number, counted from 1 over all streams, gets another value.
  void AlterDraw(std::uint64_t number) { altered_draw_ = number; }

 private:
  friend class SimNode;
  class StreamRandom;
  struct Ready {
    SimNode* node;
    Work work;
  };
  struct Timer {
    SimNode* node;  ///< none: the scheduler's own, it runs between steps
    Work work;
  };

  void Mix(std::uint64_t value);
  void MakeReady(SimNode& node, Work work);
  /// Moves the clock until something is ready; false when that would take longer than `limit`.
  bool AdvanceTime(MonotonicTime limit);
  Status RunUntil(const bool& ended);

  Status StandsStill() const;

  internal::RootWatch watch_;
  const std::uint64_t seed_;
  const SimLimits limits_;
  MonotonicTime now_;
  std::uint64_t steps_ = 0;
  std::uint64_t draws_ = 0;
  std::uint64_t altered_draw_ = 0;
  std::uint64_t trace_;
  Status why_;
  bool stepping_ = false;
  SimNode* running_ = nullptr;
  std::map<std::string, std::unique_ptr<StreamRandom>, std::less<>> streams_;
  std::map<std::string, std::uint64_t, std::less<>> lives_;
  Random* choices_ = nullptr;
  std::vector<Ready> ready_;
  internal::TimerQueue<Timer> timers_;
  std::vector<std::map<std::uint64_t, internal::Root>> graveyard_;
  std::vector<std::unique_ptr<SimNode>> nodes_;
};

namespace internal {

template <class T>
struct SimOutcome {
  using Type = Result<T>;
};
template <>
struct SimOutcome<void> {
  using Type = Status;
};
template <>
struct SimOutcome<Status> {
  using Type = Status;
};
template <class U>
struct SimOutcome<Result<U>> {
  using Type = Result<U>;
};

}  // namespace internal

template <class T>
auto SimScheduler::RunUntilDone(Task<T> task) {
  using Slot = std::conditional_t<std::is_void_v<T>, std::monostate, T>;
  std::optional<Slot> slot;
  bool ended = false;
  internal::Root root = [&] {
    if constexpr (std::is_void_v<T>) {
      return internal::MakeRoot(std::move(task));
    } else {
      return internal::MakeRoot(internal::RunInto(std::move(task), &slot));
    }
  }();
  root.Start([&ended] { ended = true; });
  why_ = RunUntil(ended);
  if constexpr (std::is_void_v<T>) {
    if (ended) slot.emplace();
  }
  return slot;
}

template <class T>
auto SimScheduler::Run(Task<T> task) {
  using Outcome = typename internal::SimOutcome<T>::Type;
  auto slot = RunUntilDone(std::move(task));
  if constexpr (std::is_void_v<T>) {
    return why_;
  } else {
    return slot ? Outcome(std::move(*slot)) : Outcome(why_);
  }
}

}  // namespace lakestream
