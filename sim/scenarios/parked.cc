#include "sim/plan.h"

namespace lakestream::sim {
namespace {

/// Index puts that arrive when nobody waits for their answers any more, with much queued behind them.
void Fill(Plan& plan, Random& random) {
  plan.guarded = random.Below(8) == 0;
  plan.logs = 2;
  plan.pause = std::chrono::milliseconds(200);
  plan.writer.times.index_deadline = std::chrono::milliseconds(300);
  plan.metadata.lose_answer = 300;
  plan.metadata.apply_late = 1000;
  plan.metadata.max_late = std::chrono::seconds(3);
}

const ScenarioRegistration kRegistered(
    Scenario{"parked", "logs are parked, and what was sent for them arrives late", Fill});

}  // namespace
}  // namespace lakestream::sim
