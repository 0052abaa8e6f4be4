#include "runtime/sim/sim_runtime.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "base/invariant.h"

namespace lakestream {
namespace {

// The clocks begin at different values, so that a time of one taken for a time of another shows.
constexpr MonotonicTime kMonotonicStart(std::chrono::hours(1));
constexpr BootTime kBootStart(kMonotonicStart.time_since_epoch() + kSimBootAhead);
constexpr WallTime kWallStart(std::chrono::seconds(1'767'225'600));  // 2026-01-01T00:00:00Z

constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15;

/// The finalizer of splitmix64: a bijection in which every bit moves half of all bits.
std::uint64_t Scramble(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

std::uint64_t HashText(std::uint64_t hash, std::string_view text) {
  for (const char c : text) hash = Scramble(hash ^ static_cast<unsigned char>(c)) + kGolden;
  return Scramble(hash ^ text.size());
}

enum TraceMark : std::uint64_t { kMarkStep = 1, kMarkDraw, kMarkNote };

}  // namespace

/// splitmix64, with each draw in the trace.
class SimScheduler::StreamRandom final : public Random {
 public:
  StreamRandom(SimScheduler& scheduler, std::string_view name)
      : scheduler_(scheduler), name_hash_(HashText(0, name)), state_(HashText(scheduler.seed_, name)) {}

  std::uint64_t Next() override {
    state_ += kGolden;
    std::uint64_t value = Scramble(state_);
    if (++scheduler_.draws_ == scheduler_.altered_draw_) value = ~value;
    scheduler_.Mix(kMarkDraw);
    scheduler_.Mix(name_hash_);
    scheduler_.Mix(value);
    return value;
  }

 private:
  SimScheduler& scheduler_;
  const std::uint64_t name_hash_;
  std::uint64_t state_;
};

struct SimNode::Parts {
  class NodeExecutor final : public Executor {
   public:
    explicit NodeExecutor(SimNode& node) : node_(node) {}
    void Post(Work work) override {
      if (node_.alive_) node_.scheduler_.MakeReady(node_, std::move(work));
    }
    TimerId AddTimer(MonotonicTime at, Work work) override {
      // A dead node's timer gets an id that names nothing.
      if (!node_.alive_) return 0;
      return node_.scheduler_.timers_.Add(Due(at), SimScheduler::Timer{&node_, std::move(work)});
    }
    bool CancelTimer(TimerId id) override { return node_.scheduler_.timers_.Cancel(id).has_value(); }
    bool AllowsAbandonedFrames() const override { return true; }

   private:
    MonotonicTime Due(MonotonicTime at) const {
      return at > MonotonicTime::max() - node_.suspended_ ? MonotonicTime::max() : at + node_.suspended_;
    }
    SimNode& node_;
  };

  class NodeClock final : public Clock {
   public:
    explicit NodeClock(const SimNode& node) : node_(node) {}
    WallTime Wall() const override { return node_.WallNow(); }
    MonotonicTime Monotonic() const override { return node_.MonotonicNow(); }
    BootTime Boot() const override { return node_.BootNow(); }

   private:
    const SimNode& node_;
  };

  class NodeBlocking final : public BlockingPool {
   public:
    explicit NodeBlocking(Executor& executor) : executor_(executor) {}
    void Submit(Work work) override { executor_.Post(std::move(work)); }

   private:
    Executor& executor_;
  };

  Parts(SimNode& node, Random& random)
      : executor(node), clock(node), blocking(executor), runtime{executor, clock, random, blocking} {}

  NodeExecutor executor;
  NodeClock clock;
  NodeBlocking blocking;
  Runtime runtime;
};

SimNode::SimNode(SimScheduler& scheduler, std::string name, std::uint64_t number)
    : scheduler_(scheduler),
      name_(std::move(name)),
      number_(number),
      wall_anchor_(scheduler.now_),
      wall_at_anchor_(kWallStart + (scheduler.now_ - kMonotonicStart)) {
  const std::uint64_t life = ++scheduler.lives_[name_];
  parts_ = std::make_unique<Parts>(*this, scheduler.Stream("node/" + name_ + "/" + std::to_string(life)));
}

SimNode::~SimNode() = default;

Runtime& SimNode::runtime() { return parts_->runtime; }

void SimNode::Spawn(Task<void> task) {
  if (!alive_) return;
  const std::uint64_t id = next_spawned_++;
  spawned_.emplace(id, internal::MakeRoot(std::move(task)));
  parts_->executor.Post([this, id] {
    // Reaped by a step of its own: a frame cannot go while it still runs.
    spawned_.at(id).Start([this, id] { parts_->executor.Post([this, id] { spawned_.extract(id); }); });
  });
}

void SimNode::Kill() {
  if (!alive_) return;
  alive_ = false;
  scheduler_.Note("kill");
  scheduler_.Note(name_);
  // Everything is taken out before anything is destroyed: destructors may post, to this node or to others.
  std::vector<Work> dropped = std::exchange(held_, {});
  const auto ours = [this](const SimScheduler::Ready& ready) { return ready.node == this; };
  const auto first = std::stable_partition(scheduler_.ready_.begin(), scheduler_.ready_.end(), std::not_fn(ours));
  for (auto it = first; it != scheduler_.ready_.end(); ++it) dropped.push_back(std::move(it->work));
  scheduler_.ready_.erase(first, scheduler_.ready_.end());
  const auto timers =
      scheduler_.timers_.RemoveIf([this](const SimScheduler::Timer& timer) { return timer.node == this; });
  auto frames = std::exchange(spawned_, {});
  if (scheduler_.running_ == this) scheduler_.graveyard_.push_back(std::move(frames));
}

bool SimNode::Held() const { return scheduler_.now_ < frozen_until_ || scheduler_.now_ < suspended_until_; }

void SimNode::HoldWork() {
  std::vector<SimScheduler::Ready> others;
  for (SimScheduler::Ready& ready : scheduler_.ready_) {
    if (ready.node == this) {
      held_.push_back(std::move(ready.work));
    } else {
      others.push_back(std::move(ready));
    }
  }
  scheduler_.ready_ = std::move(others);
}

void SimNode::Freeze(MonotonicTime until) {
  frozen_until_ = until;
  if (!Held()) return;
  HoldWork();
  if (until != MonotonicTime::max()) {
    scheduler_.timers_.Add(until, SimScheduler::Timer{nullptr, [this] {
      if (!Held()) Thaw();
    }});
  }
}

void SimNode::Thaw() {
  frozen_until_ = MonotonicTime::min();
  if (Held()) return;
  for (Work& work : std::exchange(held_, {})) scheduler_.MakeReady(*this, std::move(work));
}

void SimNode::Suspend(Duration duration) {
  if (duration <= Duration::zero()) return;
  const MonotonicTime now = scheduler_.now_;
  const bool already = now < suspended_until_;
  const MonotonicTime until = already ? std::max(suspended_until_, now + duration) : now + duration;
  const Duration longer = until - (already ? suspended_until_ : now);
  if (!already) monotonic_at_suspend_ = MonotonicNow();
  suspended_until_ = until;
  suspended_ += longer;
  scheduler_.timers_.Reschedule([this, longer](const SimScheduler::Timer& timer, MonotonicTime at) {
    if (timer.node != this || at > MonotonicTime::max() - longer) return at;
    return at + longer;
  });
  HoldWork();
  scheduler_.timers_.Add(until, SimScheduler::Timer{nullptr, [this] {
    // A freeze that outlasts the suspension stays.
    if (!Held()) Thaw();
  }});
}

std::vector<std::string> SimNode::Waiting() const {
  std::vector<std::string> lines;
  const std::vector<std::string> chains = scheduler_.watch_.Describe(this);
  for (auto chain = chains.begin(); chain != chains.end();) {
    const auto next = std::upper_bound(chain, chains.end(), *chain);
    const std::string times = next - chain > 1 ? std::to_string(next - chain) + " x " : std::string();
    lines.push_back(times + *chain);
    chain = next;
  }
  return lines;
}

void SimNode::ShiftWall(Duration by) {
  wall_at_anchor_ = WallNow() + by;
  wall_anchor_ = scheduler_.now_;
}

void SimNode::SetWallRate(std::int64_t millionths) {
  ShiftWall(Duration::zero());
  wall_rate_ = millionths;
}

WallTime SimNode::WallNow() const {
  const Duration passed = scheduler_.now_ - wall_anchor_;
  const auto drift = static_cast<__int128>(passed.count()) * wall_rate_ / 1'000'000;
  return wall_at_anchor_ + passed + Duration(static_cast<std::int64_t>(drift));
}

MonotonicTime SimNode::MonotonicNow() const {
  if (scheduler_.now_ < suspended_until_) return monotonic_at_suspend_;
  return scheduler_.now_ - suspended_;
}

BootTime SimNode::BootNow() const { return kBootStart + (scheduler_.now_ - kMonotonicStart); }

SimScheduler::SimScheduler(std::uint64_t seed, SimLimits limits)
    : seed_(seed), limits_(limits), now_(kMonotonicStart), trace_(Scramble(seed)) {
  choices_ = &Stream("scheduler");
  AddNode("driver");
}

SimScheduler::~SimScheduler() {
  for (auto node = nodes_.rbegin(); node != nodes_.rend(); ++node) (*node)->Kill();
}

SimNode& SimScheduler::AddNode(std::string_view name) {
  nodes_.push_back(std::unique_ptr<SimNode>(new SimNode(*this, std::string(name), nodes_.size())));
  return *nodes_.back();
}

Runtime& SimScheduler::runtime() { return nodes_.front()->runtime(); }

Random& SimScheduler::Stream(std::string_view name) {
  const auto found = streams_.find(name);
  if (found != streams_.end()) return *found->second;
  return *streams_.emplace(name, std::make_unique<StreamRandom>(*this, name)).first->second;
}

void SimScheduler::Note(std::string_view what) {
  Mix(kMarkNote);
  trace_ = HashText(trace_, what);
}

void SimScheduler::Mix(std::uint64_t value) { trace_ = Scramble(trace_ ^ value) + kGolden; }

void SimScheduler::MakeReady(SimNode& node, Work work) {
  if (node.Held()) {
    node.held_.push_back(std::move(work));
  } else {
    ready_.push_back(Ready{&node, std::move(work)});
  }
}

bool SimScheduler::AdvanceTime(MonotonicTime limit) {
  while (ready_.empty()) {
    if (timers_.empty() || timers_.NextTime() > limit) return false;
    now_ = std::max(now_, timers_.NextTime());
    while (!timers_.empty() && timers_.NextTime() <= now_) {
      Timer due = timers_.PopNext();
      if (due.node == nullptr) {
        due.work();
      } else {
        MakeReady(*due.node, std::move(due.work));
      }
    }
  }
  return true;
}

bool SimScheduler::Step() {
  LS_INVARIANT(!stepping_, "a simulation is not driven from inside itself");
  if (!AdvanceTime(MonotonicTime::max() - Duration(1))) return false;
  const std::size_t index = static_cast<std::size_t>(choices_->Below(ready_.size()));
  Ready chosen = std::move(ready_[index]);
  if (index + 1 != ready_.size()) ready_[index] = std::move(ready_.back());
  ready_.pop_back();
  ++steps_;
  Mix(kMarkStep);
  Mix(index);
  Mix(chosen.node->number_);
  Mix(static_cast<std::uint64_t>(now_.time_since_epoch().count()));
  stepping_ = true;
  running_ = chosen.node;
  watch_.SetOwner(running_);
  chosen.work();
  chosen.work = nullptr;
  running_ = nullptr;
  watch_.SetOwner(nullptr);
  graveyard_.clear();
  stepping_ = false;
  return true;
}

Status SimScheduler::StandsStill() const {
  Status status = Internal("nothing is left to run while the task waits").With("steps", steps_);
  for (const std::string& chain : watch_.Describe(nullptr)) status = std::move(status).With("driver", chain);
  for (const std::unique_ptr<SimNode>& node : nodes_) {
    if (!node->alive()) continue;
    for (const std::string& chain : node->Waiting()) status = std::move(status).With(node->name(), chain);
  }
  return status;
}

Status SimScheduler::RunUntil(const bool& ended) {
  const std::uint64_t last_step = steps_ + limits_.steps;
  const MonotonicTime last_time = now_ + limits_.time;
  while (!ended) {
    if (steps_ >= last_step) return Internal("the simulation reached its limit of steps").With("steps", steps_);
    if (!AdvanceTime(last_time)) {
      if (timers_.empty()) return StandsStill();
      return Internal("the simulation reached its limit of virtual time").With("steps", steps_);
    }
    Step();
  }
  return OkStatus();
}

Status SimScheduler::RunUntilIdle() {
  const std::uint64_t last_step = steps_ + limits_.steps;
  const MonotonicTime last_time = now_ + limits_.time;
  while (AdvanceTime(last_time)) {
    if (steps_ >= last_step) return Internal("the simulation reached its limit of steps").With("steps", steps_);
    Step();
  }
  if (timers_.empty()) return OkStatus();
  return Internal("the simulation reached its limit of virtual time").With("steps", steps_);
}

Status SimScheduler::RunFor(Duration duration) {
  const std::uint64_t last_step = steps_ + limits_.steps;
  const MonotonicTime until = now_ + duration;
  while (AdvanceTime(until)) {
    if (steps_ >= last_step) return Internal("the simulation reached its limit of steps").With("steps", steps_);
    Step();
  }
  now_ = std::max(now_, until);
  return OkStatus();
}

}  // namespace lakestream
