#include "sim/plan.h"

namespace lakestream::sim {
namespace {

/// Nothing but fences in the way of writers that keep their leases.
void Fill(Plan& plan, Random& random) {
  plan.guarded = random.Below(4) != 0;
  plan.logs = 4;
  plan.deleted_logs = 3;
  plan.operations = 1000;
  plan.pause = std::chrono::seconds(1);
  plan.time = std::chrono::seconds(100);
  plan.metadata.fail = plan.metadata.delay = plan.metadata.lose_answer = 300;
}

const ScenarioRegistration kRegistered(
    Scenario{"fences", "logs are fenced and deleted while processes hold leases on them, without other trouble", Fill});

}  // namespace
}  // namespace lakestream::sim
