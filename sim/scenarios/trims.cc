#include "sim/plan.h"

namespace lakestream::sim {
namespace {

void Fill(Plan& plan, Random& random) {
  plan.guarded = random.Below(2) == 0;
  plan.logs = 2;
  plan.trimmers = 2;
  plan.readers = 2;
  plan.chaos = ChaosRates{1, 0.5, 0, 0.5, 0.5, 1, 0.3, 0.5};
  plan.metadata.fail = plan.metadata.lose_answer = plan.metadata.delay = plan.metadata.apply_late = 300;
  plan.metadata.lose_sessions = 20;
  plan.metadata.tear_scan = plan.metadata.short_page = 500;
  plan.objects.flip_byte = 200;
}

const ScenarioRegistration kRegistered(
    Scenario{"trims", "several processes trim the same logs while others read and append", Fill});

}  // namespace
}  // namespace lakestream::sim
