#include "sim/plan.h"

namespace lakestream::sim {
namespace {

void Fill(Plan& plan, Random& random) {
  DrawCompaction(plan, random);
  plan.guarded = random.Below(3) != 0;
  plan.processes = 3;
  plan.logs = 2;
  plan.compactors = 1;
  plan.trimmers = static_cast<int>(random.Below(2));
  plan.hard_trims = random.Below(2) == 0;
  plan.deleted_logs = static_cast<int>(random.Below(2));
  plan.operations = 600;
  plan.chaos = ChaosRates{0.3, 3, 1, 0, 0, 1, 1, 0.2};
  plan.metadata.delay = 1000;
  plan.metadata.max_delay = std::chrono::seconds(2);
  plan.metadata.apply_late = plan.metadata.lose_answer = 300;
  plan.metadata.max_late = std::chrono::seconds(20);
  plan.compacted.delay = plan.compacted.apply_late = 1000;
  plan.compacted.max_delay = std::chrono::seconds(10);
  DrawCollection(plan, random);
  plan.compactor.work_deadline = plan.collector.grace * static_cast<int>(1 + random.Below(4));
}

const ScenarioRegistration kRegistered(Scenario{
    "gc_paused_compactor", "compactors stand still while they work and install, and garbage is collected", Fill});

}  // namespace
}  // namespace lakestream::sim
