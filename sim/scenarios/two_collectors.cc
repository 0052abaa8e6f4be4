#include "sim/plan.h"

namespace lakestream::sim {
namespace {

void Fill(Plan& plan, Random& random) {
  DrawCompaction(plan, random);
  plan.guarded = random.Below(3) != 0;
  plan.processes = 3;
  plan.compactors = 1;
  plan.appenders = 1;
  plan.holders = static_cast<int>(random.Below(2));
  plan.operations = 600;
  plan.chaos = ChaosRates{1, 2, 0, 0, 0.3, 0.3, 0.5, 0};
  if (random.Below(2) == 0) plan.chaos.clocks = 0.3;
  plan.objects.delay = plan.compacted.delay = 1000;
  plan.objects.lose_answer = plan.compacted.lose_answer = 300;
  plan.metadata.delay = 3000;
  plan.metadata.max_delay = std::chrono::seconds(1);
  plan.metadata.lose_answer = 200;
  plan.metadata.max_late = std::chrono::seconds(20);
  DrawCollection(plan, random);
  plan.collection_pause = plan.collector.grace / static_cast<int>(1 + random.Below(4));
}

const ScenarioRegistration kRegistered(Scenario{
    "two_collectors", "several collectors are at it at once, die half done, and are held up", Fill});

}  // namespace
}  // namespace lakestream::sim
