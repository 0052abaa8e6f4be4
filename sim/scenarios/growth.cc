#include "sim/plan.h"

namespace lakestream::sim {
namespace {

/// A few streams that all grow all the time, while the processes that grow them die.
void Fill(Plan& plan, Random& random) {
  plan.guarded = random.Below(2) == 0;
  plan.processes = 3;
  plan.logs = 1;
  plan.appenders = plan.readers = plan.tailers = 0;
  plan.catalogers = 3;
  plan.names = 2;
  plan.topics = true;
  plan.stranger = true;
  plan.catalog = CatalogRates{3, 6, 0, 8, 4, 1, 1};
  plan.operations = 400;
  plan.pause = std::chrono::milliseconds(200);
  plan.time = std::chrono::minutes(1);
  plan.chaos = ChaosRates{6, 0.5, 0, 0, 1, 0, 0.3, 0};
  plan.metadata.fail = plan.metadata.lose_answer = plan.metadata.apply_late = 300;
  plan.metadata.delay = 2000;
}

const ScenarioRegistration kRegistered(
    Scenario{"growth", "streams grow in many hands, and are read, changed and dropped meanwhile", Fill});

}  // namespace
}  // namespace lakestream::sim
