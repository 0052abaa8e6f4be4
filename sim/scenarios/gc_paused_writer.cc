#include "sim/plan.h"

namespace lakestream::sim {
namespace {

void Fill(Plan& plan, Random& random) {
  DrawCompaction(plan, random);
  plan.guarded = random.Below(3) != 0;
  plan.processes = 3;
  plan.compactors = 1;
  plan.trimmers = static_cast<int>(random.Below(2));
  plan.operations = 600;
  plan.chaos = ChaosRates{0.3, 3, 1, 0, 0.5, 0.5, 1, 0.2};
  plan.objects.delay = 2000;
  plan.objects.lose_answer = plan.objects.apply_late = 1000;
  plan.metadata.delay = 2000;
  plan.metadata.max_delay = std::chrono::seconds(2);
  plan.metadata.max_late = std::chrono::seconds(20);
  plan.metadata.apply_late = plan.metadata.lose_answer = 300;
  DrawCollection(plan, random);
}

const ScenarioRegistration kRegistered(
    Scenario{"gc_paused_writer", "writers stand still between PUT and index put while garbage is collected", Fill});

}  // namespace
}  // namespace lakestream::sim
