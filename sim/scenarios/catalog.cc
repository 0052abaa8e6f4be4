#include "sim/plan.h"

namespace lakestream::sim {
namespace {

void Fill(Plan& plan, Random& random) {
  plan.guarded = random.Below(2) == 0;
  plan.processes = 3;
  plan.logs = 1;
  plan.appenders = 1;
  plan.catalogers = 2;
  plan.names = 4;
  plan.topics = true;
  plan.stranger = random.Below(2) == 0;
  plan.operations = 500;
  plan.pause = std::chrono::milliseconds(500);
  plan.time = std::chrono::minutes(2);
  plan.chaos = ChaosRates{2, 0.5, 0.1, 0.5, 1, 2, 0.3, 0.5};
  plan.metadata.fail = plan.metadata.lose_answer = plan.metadata.apply_late = plan.metadata.delay = 200;
  plan.metadata.tear_scan = plan.metadata.short_page = 300;
}

const ScenarioRegistration kRegistered(Scenario{
    "catalog", "processes create, grow, change and drop streams under the same names, and append to them", Fill});

}  // namespace
}  // namespace lakestream::sim
