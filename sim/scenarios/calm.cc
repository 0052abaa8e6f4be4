#include "sim/plan.h"

namespace lakestream::sim {
namespace {

void Fill(Plan& plan, Random& random) {
  plan.guarded = random.Below(2) == 0;
  plan.processes = 1 + static_cast<int>(random.Below(3));
  plan.trimmers = 1;
}

const ScenarioRegistration kRegistered(
    Scenario{"calm", "all well: processes append, read, tail and trim without any trouble", Fill});

}  // namespace
}  // namespace lakestream::sim
