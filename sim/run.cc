#include "sim/run.h"

#include "base/logging.h"
#include "runtime/sim/sim_runtime.h"
#include "sim/probes/probe.h"
#include "sim/properties/property.h"
#include "sim/world.h"

namespace lakestream::sim {

std::optional<Failure> Judge(const Evidence& evidence) {
  for (const Property& property : AllProperties()) {
    if (!CanBeJudged(property, evidence)) continue;
    if (Contradiction contradiction = property.check(evidence)) return Failure{property.name, *std::move(contradiction)};
  }
  return std::nullopt;
}

Outcome RunSeed(const Scenario& scenario, std::uint64_t seed, const RunOptions& options) {
  Outcome outcome;
  SimScheduler scheduler(seed);
  if (options.altered_draw != 0) scheduler.AlterDraw(options.altered_draw);
  {
    Plan plan = MakePlan(scenario, scheduler.Stream("plan"), options.troubles);
    if (options.operations) plan.operations = *options.operations;
    World world(scheduler, plan);
    world.Run();
    outcome.evidence = std::move(world.evidence());
  }
  outcome.trace_hash = scheduler.trace_hash();
  outcome.steps = scheduler.steps();
  outcome.draws = scheduler.draws();
  outcome.time = scheduler.Now().time_since_epoch();
  outcome.failure = Judge(outcome.evidence);
  for (const Probe& probe : AllProbes()) {
    if (probe.hit(outcome.evidence)) outcome.probes.insert(probe.name);
  }
  return outcome;
}

}  // namespace lakestream::sim
