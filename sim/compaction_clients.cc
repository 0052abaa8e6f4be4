#include "sim/compaction_clients.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "sim/client_chance.h"
#include "sim/world.h"

namespace lakestream::sim {
namespace {

/// More than the ranges that a log can have.
constexpr int kMostPasses = 2000;
/// A pass ends half-way.
constexpr Duration kNear = std::chrono::milliseconds(500);
constexpr Duration kOnePass = std::chrono::minutes(5);

Task<void> OnePass(World& world, Process& process, OpContext context, std::vector<LogId> logs) {
  const std::size_t number = world.BeginPass(process);
  CompactionObserver observer = [&world, number](const CompactionOutcome& outcome) {
    world.PassOf(number).outcomes.push_back(outcome);
  };
  const Result<CompactionTotals> totals =
      co_await process.Compact(std::move(context), std::move(logs), std::move(observer));
  world.EndPass(number, totals);
}

std::vector<LogId> DrawLogs(World& world, Random& random) {
  std::vector<LogId> logs;
  for (const LogId log : world.logs()) {
    if (random.Below(4) != 0) logs.push_back(log);
  }
  return logs;
}

/// Whether the pass found anything to do; nothing it did may have failed.
bool Advance(World& world, Process& process) {
  Runtime& runtime = process.node().runtime();
  const OpContext soon = OpContext().WithDeadline(runtime.Now() + kOnePass);
  const std::size_t number = world.evidence().passes.size();
  const Status ran = world.scheduler().Run(OnePass(world, process, soon, world.logs()));
  const CompactionPass& pass = world.PassOf(number);
  if (!ran.ok() || !pass.status.ok()) {
    world.evidence().stuck.push_back(
        fmt::format("a pass of {} fails when all is well: {} {}", process.title(), ran.ToString(), pass.status.ToString()));
    return false;
  }
  return std::any_of(pass.outcomes.begin(), pass.outcomes.end(), [](const CompactionOutcome& outcome) {
    return outcome.kind == CompactionOutcome::Kind::kCompacted || outcome.kind == CompactionOutcome::Kind::kTrimmed;
  });
}

}  // namespace

Task<void> RunCompactor(World& world, Process& process, int client) {
  Random& random = ChanceOf(world, process, "compactor", client);
  while (world.TakeOperation()) {
    const Status slept = co_await PauseUpTo(process, random, world.plan().compaction_pause);
    if (!slept.ok()) co_return;
    OpContext context = DrawContext(process, random, kNear);
    std::vector<LogId> logs = DrawLogs(world, random);
    Task<void> pass = OnePass(world, process, std::move(context), std::move(logs));
    co_await pass;
  }
}

void CompactAll(World& world) {
  Evidence& evidence = world.evidence();
  for (const MetadataRecord& record : world.far().backend->Dump()) {
    const Result<IndexKey> key = IndexKey::Decode(record.key);
    if (!key.ok()) continue;
    Offset& compactable = evidence.compactable[key->log];
    // A record from the future is young until then.
    if (world.plan().chaos.clocks == 0) compactable = std::max(compactable, key->end);
  }
  for (Process* process : world.AliveProcesses()) {
    int passes = 0;
    while (passes < kMostPasses && Advance(world, *process)) ++passes;
    if (passes < kMostPasses) continue;
    evidence.stuck.push_back(fmt::format("{} compacts without an end", process->title()));
  }
}

}  // namespace lakestream::sim
