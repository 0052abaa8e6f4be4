#include "sim/collection_clients.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "log/holds/holds.h"
#include "sim/client_chance.h"
#include "sim/world.h"

namespace lakestream::sim {
namespace {

using std::chrono::milliseconds;

/// What has just become garbage is a candidate of the first, and deleted by the second; the third finds none.
constexpr int kPassesForAll = 3;
/// A pass ends half-way.
constexpr Duration kNear = milliseconds(500);
constexpr Duration kOnePass = std::chrono::minutes(5);

Task<void> OnePass(World& world, Process& process, OpContext context) {
  const std::size_t number = world.BeginCollection(process);
  CollectionObserver observer = [&world, &process](const CollectedObject& object) {
    if (object.outcome == CollectedOutcome::kDeleting) world.Collected(process, object.object);
  };
  const Result<CollectionReport> report = co_await process.Collect(std::move(context), std::move(observer));
  world.EndCollection(number, report);
}

Task<Status> ReleaseAll(MetadataStore& meta) {
  Task<Result<std::vector<CollectionHold>>> list = ListHolds(meta, OpContext());
  const Result<std::vector<CollectionHold>> holds = co_await list;
  if (!holds.ok()) co_return holds.status();
  for (const CollectionHold& hold : *holds) {
    const Status released = co_await ReleaseHold(meta, OpContext(), hold.name);
    if (!released.ok()) co_return released;
  }
  co_return OkStatus();
}

}  // namespace

Task<void> RunCollector(World& world, Process& process, int client) {
  Random& random = ChanceOf(world, process, "collection client", client);
  while (world.TakeOperation()) {
    const Status slept = co_await PauseUpTo(process, random, world.plan().collection_pause);
    if (!slept.ok()) co_return;
    OpContext context = DrawContext(process, random, kNear);
    Task<void> pass = OnePass(world, process, std::move(context));
    co_await pass;
  }
}

Task<void> RunRetainer(World& world, Process& process, int client) {
  Random& random = ChanceOf(world, process, "collection client", client);
  while (world.TakeOperation()) {
    const Status slept = co_await PauseUpTo(process, random, world.plan().pause);
    if (!slept.ok()) co_return;
    OpContext context = DrawContext(process, random, kNear);
    Task<Status> retain = process.Retain(std::move(context), world.logs());
    (void)co_await retain;
  }
}

Task<void> RunHolder(World& world, Process& process, int client) {
  Random& random = ChanceOf(world, process, "collection client", client);
  const std::string name = "hold-" + std::to_string(random.Below(1'000'000));
  while (world.TakeOperation()) {
    const Duration grace = world.plan().collector.grace;
    const Status slept = co_await PauseUpTo(process, random, 8 * grace);
    if (!slept.ok() || !world.goes_on()) co_return;
    Task<Status> add = AddHold(process.node().runtime(), process.meta(), OpContext(), name, "a copy is made");
    (void)co_await add;
    (void)co_await PauseUpTo(process, random, 2 * grace);
    Task<Status> release = ReleaseHold(process.meta(), OpContext(), name);
    (void)co_await release;
  }
}

void CollectAll(World& world) {
  Evidence& evidence = world.evidence();
  SimScheduler& scheduler = world.scheduler();
  const std::vector<Process*> processes = world.AliveProcesses();
  const Status released = scheduler.Run(ReleaseAll(processes.front()->meta()));
  if (!released.ok()) evidence.stuck.push_back("holds cannot be released when all is well: " + released.ToString());
  // A clock that was ahead stops collections until then.
  const bool clocks_agree = world.plan().chaos.clocks == 0;
  for (int i = 0; i < kPassesForAll; ++i) {
    const Status waited = scheduler.RunFor(world.plan().collector.grace + milliseconds(2));
    if (!waited.ok()) evidence.stuck.push_back("no rest between two collections: " + waited.ToString());
    Process& process = *processes[static_cast<std::size_t>(i) % processes.size()];
    const OpContext soon = OpContext().WithDeadline(process.node().runtime().Now() + kOnePass);
    const std::size_t number = evidence.collections.size();
    const Status ran = scheduler.Run(OnePass(world, process, soon));
    const Status& passed = evidence.collections[number].status;
    if (ran.ok() && (passed.ok() || !clocks_agree)) continue;
    evidence.stuck.push_back(fmt::format("a collection of {} fails when all is well: {} {}", process.title(),
                                         ran.ToString(), passed.ToString()));
  }
  evidence.all_collected = clocks_agree;
}

}  // namespace lakestream::sim
