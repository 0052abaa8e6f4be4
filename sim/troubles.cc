#include "sim/troubles.h"

#include <algorithm>

#include "log/catalog/catalog_access.h"
#include "log/catalog/log_deletion.h"
#include "log/isolation/isolation.h"
#include "sim/world.h"

namespace lakestream::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// Whether something that happens so often per minute happens in so much time.
bool Happens(Random& random, double per_minute, Duration time) {
  const double per_step = per_minute * std::chrono::duration<double>(time).count() / 60;
  return static_cast<double>(random.Below(1'000'000)) < per_step * 1'000'000;
}

Duration Draw(Random& random, Duration most) {
  return milliseconds(1 + random.Below(static_cast<std::uint64_t>(ToMillis(most))));
}

Task<void> MendLater(World& world, std::string title, Duration after) {
  const Status slept = co_await SleepFor(world.far().runtime, OpContext(), after);
  if (!slept.ok()) co_return;
  for (Process* process : world.AliveProcesses()) {
    if (process->title() == title) process->Mend();
  }
}

/// All that may befall a process in one step.
Task<void> TroubleOne(World& world, Process& process, Random& random, Gate& gate) {
  if (!process.alive()) co_return;
  const ChaosRates& rates = world.plan().chaos;
  const Duration step = world.plan().trouble_step;
  if (Happens(random, rates.kills, step)) {
    const std::string name = process.name();
    world.Kill(process);
    const Status slept = co_await SleepFor(world.far().runtime, OpContext(), Draw(random, seconds(20)));
    if (slept.ok()) world.Start(name);
    co_return;
  }
  if (Happens(random, rates.freezes, step)) {
    world.Happened(Happening::Kind::kFrozen, process);
    process.node().Freeze(world.scheduler().Now() + Draw(random, seconds(90)));
  }
  if (Happens(random, rates.locks, step)) {
    world.Happened(Happening::Kind::kLockHeld, process);
    const MonotonicTime until = world.scheduler().Now() + Draw(random, seconds(40));
    world.far().lock.Hold(process.title(), until);
    process.node().Freeze(until);
  }
  if (Happens(random, rates.restarts, step)) {
    world.Happened(Happening::Kind::kRestarted, process);
    const Duration limit = Draw(random, random.Below(3) == 0 ? Duration(milliseconds(100)) : Duration(seconds(30)));
    process.node().Spawn(process.Restart(limit));
  }
  if (Happens(random, rates.suspends, step)) {
    world.Happened(Happening::Kind::kSuspended, process);
    process.node().Suspend(Draw(random, kLongestTrouble));
  }
  if (Happens(random, rates.clocks, step)) {
    world.Happened(Happening::Kind::kClockMoved, process);
    if (random.Below(2) == 0) {
      process.node().SetWallRate(static_cast<std::int64_t>(random.Below(400'000)) - 200'000);
    } else {
      const bool year = random.Below(4) == 0;
      const Duration by = year ? Duration(std::chrono::hours(24 * 365)) : Draw(random, std::chrono::hours(1));
      process.node().ShiftWall(random.Below(2) == 0 ? by : -by);
    }
  }
  if (Happens(random, rates.cuts, step)) {
    world.Happened(Happening::Kind::kCutOff, process);
    const std::uint64_t which = random.Below(3);
    process.CutOff(which != 0, which != 1);
    gate.Spawn(MendLater(world, process.title(), Draw(random, seconds(60))));
  }
  if (Happens(random, rates.sessions, step)) {
    world.Happened(Happening::Kind::kSessionsLost, process);
    process.LoseSessions();
  }
}

}  // namespace

Task<void> RunTroubles(World& world) {
  Random& random = world.scheduler().Stream("troubles");
  Gate gate(world.far().runtime);
  while (true) {
    const Status slept = co_await SleepFor(world.far().runtime, OpContext(), world.plan().trouble_step);
    if (!slept.ok()) co_return;
    for (Process* process : world.AliveProcesses()) {
      if (process->alive()) gate.Spawn(TroubleOne(world, *process, random, gate));
    }
  }
}

Task<void> DeleteLog(World& world, LogId log) {
  Random& random = world.scheduler().Stream("deletions");
  Runtime& runtime = world.far().runtime;
  const Status waited = co_await SleepFor(runtime, OpContext(), Draw(random, world.plan().time / 2));
  if (!waited.ok()) co_return;
  const std::size_t index = world.evidence().deletions.size();
  world.evidence().deletions.push_back(Deletion{log, world.NextPlace(), 0, 0, world.scheduler().Now()});
  LogDeletion deletion(CatalogAccess(runtime, world.far().meta), log);
  (void)co_await deletion.Fence(OpContext());
  DrainOptions patient;
  patient.timeout = std::chrono::hours(24);
  patient.poll = milliseconds(100);
  const Status drained = co_await deletion.Drain(OpContext(), patient);
  if (!drained.ok()) co_return;
  world.evidence().deletions[index].drained = world.NextPlace();
  (void)co_await SleepFor(runtime, OpContext(), Draw(random, seconds(5)));
  (void)co_await deletion.DeleteIndex(OpContext());
  world.evidence().deletions[index].deleted = world.NextPlace();
}

Task<void> IsolateLog(World& world, LogId log) {
  Random& random = world.scheduler().Stream("isolations");
  Runtime& runtime = world.far().runtime;
  const Status waited = co_await SleepFor(runtime, OpContext(), Draw(random, world.plan().time / 2));
  if (!waited.ok()) co_return;
  Task<Result<bool>> begin = Isolate(world.far().meta, OpContext(), log);
  (void)co_await begin;
  if (random.Below(2) == 0) co_return;
  (void)co_await SleepFor(runtime, OpContext(), Draw(random, world.plan().time / 2));
  Task<Result<bool>> end = EndIsolation(world.far().meta, OpContext(), log);
  (void)co_await end;
}

Task<void> IsolateStuckLog(World& world) {
  const Status waited = co_await SleepFor(world.far().runtime, OpContext(), world.plan().isolated_after);
  if (!waited.ok()) co_return;
  Task<Result<bool>> isolate = Isolate(world.far().meta, OpContext(), *world.plan().stuck_log);
  (void)co_await isolate;
}

}  // namespace lakestream::sim
