#include "sim/plan.h"

namespace lakestream::sim {
namespace {

/// As on one machine after the other: what sleeps is longer away than every grace.
void Fill(Plan& plan, Random& random) {
  DrawCompaction(plan, random);
  plan.guarded = true;
  plan.processes = 3;
  plan.logs = 2;
  plan.compactors = 1;
  plan.appenders = 1;
  plan.readers = 4;
  plan.trimmers = static_cast<int>(random.Below(2));
  plan.operations = 700;
  plan.chaos = ChaosRates{0.1, 1, 1.5, 0, 0, 0, 0, 0};
  plan.objects.delay = plan.compacted.delay = 2000;
  plan.objects.max_delay = plan.compacted.max_delay = std::chrono::seconds(5);
  plan.metadata.delay = 2000;
  DrawCollection(plan, random);
  plan.collection_pause = plan.collector.grace / 2;
  plan.pause = plan.collector.grace / 8;
}

const ScenarioRegistration kRegistered(Scenario{
    "suspend_gc", "collectors and readers sleep for longer than every grace, at every step", Fill});

}  // namespace
}  // namespace lakestream::sim
