#include "sim/plan.h"

namespace lakestream::sim {
namespace {

void Fill(Plan& plan, Random& random) {
  plan.guarded = random.Below(2) == 0;
  plan.logs = 3;
  plan.deleted_logs = 2;
  plan.time = std::chrono::seconds(60);
  plan.operations = 600;
  plan.pause = std::chrono::seconds(1);
  plan.trimmers = static_cast<int>(random.Below(2));
  plan.chaos = ChaosRates{1, 1, 0.2, 0.5, 1, 2, 0.5, 1};
  plan.metadata.fail = plan.metadata.lose_answer = plan.metadata.delay = plan.metadata.apply_late = 300;
  plan.metadata.lose_sessions = 50;
  plan.objects.delay = plan.objects.apply_late = 300;
}

const ScenarioRegistration kRegistered(
    Scenario{"deletions", "logs are fenced, drained and deleted while they are written to", Fill});

}  // namespace
}  // namespace lakestream::sim
