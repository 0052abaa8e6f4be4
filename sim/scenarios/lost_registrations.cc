#include "sim/plan.h"

namespace lakestream::sim {
namespace {

void Fill(Plan& plan, Random& random) {
  plan.guarded = random.Below(2) == 0;
  plan.logs = 1;
  plan.appenders = 1;
  plan.readers = plan.tailers = 0;
  plan.catalogers = 2;
  plan.names = 3;
  plan.lost_registrations = true;
  plan.catalog = CatalogRates{4, 3, 1, 1, 1, 3, 2};
  plan.operations = 300;
  plan.pause = std::chrono::milliseconds(300);
  plan.time = std::chrono::minutes(1);
  plan.chaos = ChaosRates{2, 0, 0, 0, 0, 1, 0, 0};
  plan.metadata.fail = plan.metadata.lose_answer = 200;
}

const ScenarioRegistration kRegistered(Scenario{
    "lost_registrations", "the records that say which log a partition has, and that it is one, get lost", Fill});

}  // namespace
}  // namespace lakestream::sim
