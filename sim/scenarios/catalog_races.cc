#include "sim/plan.h"

namespace lakestream::sim {
namespace {

/// Names are created and dropped by several at once, over a store that takes its time.
void Fill(Plan& plan, Random& random) {
  plan.guarded = random.Below(2) == 0;
  plan.processes = 3;
  plan.logs = 1;
  plan.appenders = plan.readers = plan.tailers = 0;
  plan.catalogers = 3;
  plan.names = 3;
  plan.topics = true;
  plan.catalog = CatalogRates{6, 2, 0, 1, 0, 6, 1};
  plan.operations = 500;
  plan.pause = std::chrono::milliseconds(50);
  plan.time = std::chrono::minutes(1);
  plan.chaos = ChaosRates{1, 0.3, 0, 0, 0, 0, 0, 0};
  plan.metadata.fail = plan.metadata.lose_answer = plan.metadata.apply_late = 100;
  plan.metadata.delay = 5000;
}

const ScenarioRegistration kRegistered(
    Scenario{"catalog_races", "the same names are created and dropped by several at once", Fill});

}  // namespace
}  // namespace lakestream::sim
