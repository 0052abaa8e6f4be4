#include "sim/plan.h"

namespace lakestream::sim {
namespace {

void Fill(Plan& plan, Random& random) {
  plan.guarded = random.Below(2) == 0;
  plan.processes = 3;
  plan.logs = 40;
  plan.window = 20;
  plan.operations = 800;
  plan.pause = std::chrono::milliseconds(5);
  plan.writer.lease_idle = std::chrono::seconds(2);
  plan.chaos = ChaosRates{2, 0.5, 0, 0, 0.5, 2, 0.3, 0.5};
  plan.metadata.fail = plan.metadata.lose_answer = plan.metadata.apply_late = plan.metadata.delay = 300;
  plan.objects.fail = plan.objects.delay = 200;
}

const ScenarioRegistration kRegistered(
    Scenario{"many_logs", "many logs share objects, and one of them going wrong is no other one's trouble", Fill});

}  // namespace
}  // namespace lakestream::sim
