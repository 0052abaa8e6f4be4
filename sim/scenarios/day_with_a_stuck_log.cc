#include "sim/plan.h"

namespace lakestream::sim {
namespace {

/// Its entries are few and small, and lie in nearly every object.
void Fill(Plan& plan, Random& random) {
  DrawDay(plan, random);
  plan.stuck_log = LogId(4);
  plan.isolated_after = std::chrono::hours(4);
}

const ScenarioRegistration kRegistered(Scenario{
    "day_with_a_stuck_log", "the same, with a log that is never compacted, and isolated after four hours", Fill, true});

}  // namespace
}  // namespace lakestream::sim
