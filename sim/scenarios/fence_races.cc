#include "sim/plan.h"

namespace lakestream::sim {
namespace {

/// Leases come and go all the time, and so do sessions, while one log after the other is fenced and deleted.
void Fill(Plan& plan, Random& random) {
  plan.guarded = random.Below(2) == 0;
  plan.processes = 3;
  plan.logs = 24;
  plan.deleted_logs = 24;
  plan.operations = 900;
  plan.window = 8;
  plan.pause = std::chrono::milliseconds(100);
  plan.time = std::chrono::seconds(60);
  plan.trimmers = 1;
  plan.writer.lease_idle = std::chrono::milliseconds(200);
  plan.writer.settle_time = std::chrono::seconds(3);
  plan.writer.times.index_deadline = std::chrono::seconds(3);
  plan.chaos = ChaosRates{1, 0.5, 0, 0, 0, 6, 0.3, 0.5};
  plan.metadata.fail = plan.metadata.lose_answer = plan.metadata.apply_late = 500;
  plan.metadata.delay = 3000;
  plan.metadata.max_late = std::chrono::seconds(20);
}

const ScenarioRegistration kRegistered(
    Scenario{"fence_races", "logs are fenced while leases and sessions come and go", Fill});

}  // namespace
}  // namespace lakestream::sim
