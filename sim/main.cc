#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>
#include <vector>

#include "base/logging.h"
#include "runtime/thread_runtime.h"
#include "sim/arguments.h"
#include "sim/judge_history.h"
#include "sim/mutants/mutant.h"
#include "sim/probes/probe.h"
#include "sim/properties/property.h"
#include "sim/run.h"
#include "sim/space.h"

namespace lakestream::sim {
namespace {

/// What all runs of a call add up to.
struct Totals {
  std::uint64_t runs = 0;
  std::uint64_t steps = 0;
  std::uint64_t operations = 0;
  Duration time{};
  std::uint64_t failures = 0;
  std::map<std::string, std::uint64_t> probes;  ///< in how many runs it was hit
};

void PrintList() {
  fmt::print("Scenarios\n");
  for (const Scenario& scenario : AllScenarios()) {
    fmt::print("  {:28} {}{}\n", scenario.name, scenario.says, scenario.by_name ? " (only by its name)" : "");
  }
  fmt::print("Properties\n");
  for (const Property& property : AllProperties()) fmt::print("  {:28} {}\n", property.name, property.says);
  fmt::print("Properties that --judge judges\n");
  for (const Property& property : AllProperties()) {
    if (property.needs == Needs::kClients) fmt::print("  {}\n", property.name);
  }
  fmt::print("Probes\n");
  for (const Probe& probe : AllProbes()) fmt::print("  {:28} {}\n", probe.name, probe.says);
  fmt::print("Mutants\n");
  for (const Mutant& mutant : AllMutants()) fmt::print("  {:28} {}\n", mutant.name, mutant.says);
}

bool Print(const Mutant& mutant, const Verdict& verdict) {
  const bool killed = verdict.killed_by_seed > 0;
  const std::string how = killed ? fmt::format("killed, {} seeds", verdict.killed_by_seed) : "SURVIVED";
  fmt::print("{:28} {:18} {:14} {}\n", mutant.name, how, mutant.scenario, verdict.text);
  std::fflush(stdout);
  return killed;
}

/// Before any thread begins: each mutant gets a process of its own.
int RunMutants() {
  int survived = 0;
  std::map<std::string, std::uint64_t> passed;  // of each scenario the seeds that a mutant before has run whole
  for (const Mutant& mutant : AllMutants()) {
    std::uint64_t& known = passed[mutant.scenario];
    const Verdict verdict = TryApart(mutant, known);
    if (!Print(mutant, verdict)) ++survived;
    known = std::max(known, verdict.killed_by_seed);
  }
  fmt::print("{} mutants, {} survived\n", AllMutants().size(), survived);
  return survived > 0 ? 1 : 0;
}

void WriteTrace(const std::string& path, const Outcome& outcome) {
  std::ofstream file(path);
  std::multimap<Place, std::string> lines;
  for (const Operation& operation : outcome.evidence.operations) {
    lines.emplace(operation.began, "began  " + ToString(operation));
    if (operation.ended) lines.emplace(*operation.ended, "ended  " + ToString(operation));
  }
  for (const StoreEvent& event : outcome.evidence.store) {
    lines.emplace(event.place, fmt::format("store  {} {} in {} {}", event.change.removed ? "removed" : "wrote",
                                           event.change.record.key, event.change.partition,
                                           event.change.record.session) +
                                   (event.of_log.compaction ? ' ' + std::string(event.change.record.value.text()) : ""));
  }
  for (const PutEvent& put : outcome.evidence.puts) lines.emplace(put.place, "put    " + put.name + " by " + put.process);
  for (const Happening& happening : outcome.evidence.happenings) {
    lines.emplace(happening.place, fmt::format("chaos  {} {}", HappeningName(happening.kind), happening.process));
  }
  for (const CompactionPass& pass : outcome.evidence.passes) {
    lines.emplace(pass.began, "began  a pass of " + pass.process);
    if (!pass.ended) continue;
    for (const CompactionOutcome& one : pass.outcomes) {
      lines.emplace(*pass.ended, fmt::format("pass   of {} log {}: {} {} {}", pass.process, one.log.value(),
                                             CompactionOutcomeName(one.kind), model::Explain(one.decision),
                                             one.status.ToString()));
    }
    lines.emplace(*pass.ended, fmt::format("ended  a pass of {}: {}", pass.process, pass.status.ToString()));
  }
  for (const CompactedEvent& event : outcome.evidence.compacted) {
    const char* const names[] = {"asked for", "wrote", "removed"};
    lines.emplace(event.place, fmt::format("files  {} {}", names[static_cast<int>(event.kind)], event.key));
  }
  for (const auto& [place, line] : lines) file << place << ' ' << line << '\n';
}

std::string Describe(const Scenario& scenario, std::uint64_t seed, const RunOptions& options, const Outcome& outcome) {
  return fmt::format("FAILED scenario={} seed={} faults={} time={} property={}: {}", scenario.name, seed,
                     TroubleNames(options.troubles), FormatDuration(outcome.time), outcome.failure->property,
                     outcome.failure->text);
}

void RunOne(const Scenario& scenario, std::uint64_t seed, const Arguments& arguments, Totals& totals) {
  Outcome outcome = RunSeed(scenario, seed, arguments.run);
  if (arguments.twice && !outcome.failure) {
    const Outcome again = RunSeed(scenario, seed, arguments.run);
    if (again.trace_hash != outcome.trace_hash) {
      outcome.failure = Failure{"same_seed_same_trace", fmt::format("{:016x} after {} steps, then {:016x} after {}",
                                                                    outcome.trace_hash, outcome.steps, again.trace_hash,
                                                                    again.steps)};
    }
  }
  ++totals.runs;
  totals.steps += outcome.steps;
  totals.operations += outcome.evidence.operations.size();
  totals.time += outcome.time;
  for (const std::string& probe : outcome.probes) ++totals.probes[probe];
  if (arguments.hashes) fmt::print("{} {} {:016x}\n", scenario.name, seed, outcome.trace_hash);
  if (!arguments.trace.empty() && totals.runs == 1) WriteTrace(arguments.trace, outcome);
  if (!arguments.space.empty() && totals.runs == 1) std::ofstream(arguments.space) << ToText(SpaceOver(outcome.evidence));
  if (outcome.failure) {
    ++totals.failures;
    fmt::print("{}\n", Describe(scenario, seed, arguments.run, outcome));
    std::fflush(stdout);
  }
}

bool HitsEveryProbe(const Totals& totals) {
  const std::vector<Probe>& all = AllProbes();
  return std::all_of(all.begin(), all.end(), [&](const Probe& probe) { return totals.probes.contains(probe.name); });
}

int Finish(const Arguments& arguments, const Totals& totals, Duration real) {
  const double seconds = std::chrono::duration<double>(real).count();
  fmt::print("{} runs, {} calls, {} steps, {} of virtual time in {:.1f} s: {:.0f} runs/min, {:.2f} M steps/s, "
             "{:.1f} virtual hours/min\n",
             totals.runs, totals.operations, totals.steps, FormatDuration(totals.time), seconds,
             static_cast<double>(totals.runs) * 60 / seconds, static_cast<double>(totals.steps) / 1e6 / seconds,
             std::chrono::duration<double>(totals.time).count() / 60 / seconds);
  const bool missing = arguments.require_probes && !HitsEveryProbe(totals);
  fmt::print("Probes, and in how many runs each was hit\n");
  for (const Probe& probe : AllProbes()) {
    const auto found = totals.probes.find(probe.name);
    const std::uint64_t hits = found == totals.probes.end() ? 0 : found->second;
    fmt::print("  {:32} {}\n", probe.name, hits);
  }
  if (totals.failures > 0) fmt::print("{} runs failed\n", totals.failures);
  if (missing) fmt::print("a probe was never hit\n");
  return totals.failures > 0 || missing ? 1 : 0;
}

int Main(int argc, const char* const* argv) {
  const Result<std::optional<Arguments>> parsed = ParseArguments(argc, argv);
  if (!parsed.ok()) {
    fmt::print(stderr, "lakestream-sim: {}\n", parsed.status().message());
    return 2;
  }
  if (!*parsed) return 0;
  const Arguments& arguments = **parsed;
  if (arguments.list) {
    PrintList();
    return 0;
  }
  if (!arguments.judge.empty()) return JudgeHistory(arguments.judge);
  // The engine reports damage and lost sessions, which are everyday here.
  SetLogSink(LogLevel::kError, [](LogLevel, std::string_view) {});
  if (arguments.mutants) return RunMutants();
  if (!arguments.mutant.empty()) {
    const Mutant& mutant = *FindMutant(arguments.mutant);
    return Print(mutant, Try(mutant)) ? 0 : 1;
  }
  std::vector<const Scenario*> scenarios;
  for (const Scenario& scenario : AllScenarios()) {
    const bool asked = arguments.scenario.empty() ? !scenario.by_name : arguments.scenario == scenario.name;
    if (asked) scenarios.push_back(&scenario);
  }
  ThreadRuntime threads{ThreadRuntimeOptions()};
  const Clock& clock = threads.runtime().clock;
  const MonotonicTime begun = clock.Monotonic();
  Totals totals;
  const auto goes_on = [&](std::uint64_t seed) {
    if (arguments.minutes) return clock.Monotonic() - begun < std::chrono::minutes(*arguments.minutes);
    if (seed <= arguments.last) return true;
    // Every change of the engine moves the rare states to other seeds.
    const std::uint64_t asked = arguments.last - arguments.first + 1;
    return arguments.require_probes && !HitsEveryProbe(totals) && seed - arguments.last <= 3 * asked;
  };
  for (std::uint64_t seed = arguments.first; goes_on(seed); ++seed) {
    for (const Scenario* scenario : scenarios) RunOne(*scenario, seed, arguments, totals);
  }
  return Finish(arguments, totals, clock.Monotonic() - begun);
}

}  // namespace
}  // namespace lakestream::sim

int main(int argc, char** argv) { return lakestream::sim::Main(argc, argv); }
