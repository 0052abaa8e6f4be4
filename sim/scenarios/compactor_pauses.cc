#include "sim/plan.h"

namespace lakestream::sim {
namespace {

void Fill(Plan& plan, Random& random) {
  DrawCompaction(plan, random);
  plan.guarded = random.Below(2) == 0;
  plan.processes = 3;
  plan.logs = 2;
  plan.compactors = 1;
  plan.trimmers = static_cast<int>(random.Below(2));
  plan.time = std::chrono::minutes(8);
  plan.operations = 400;
  plan.pause = std::chrono::milliseconds(300);
  plan.compaction_pause = std::chrono::milliseconds(500);
  plan.writer.settle_time = std::chrono::milliseconds(200 + random.Below(2000));
  plan.writer.session_timeout = std::chrono::seconds(2 + random.Below(5));
  plan.compactor.work_deadline = std::chrono::milliseconds(500 + random.Below(5000));
  plan.compactor.session_timeout = std::chrono::seconds(2 + random.Below(5));
  plan.compactor.retry_first = std::chrono::milliseconds(200);
  plan.compactor.retry_most = std::chrono::seconds(1);
  plan.chaos = ChaosRates{0.5, 6, 2, 1, 1, 2, 2, 0.3};
  plan.metadata.delay = 3000;
  plan.metadata.max_delay = std::chrono::seconds(2);
  plan.metadata.apply_late = plan.metadata.lose_answer = 500;
  plan.metadata.lose_sessions = 50;
  plan.metadata.max_late = std::chrono::seconds(20);
  plan.compacted.delay = plan.compacted.apply_late = 500;
}

const ScenarioRegistration kRegistered(
    Scenario{"compactor_pauses", "compactors stand still before and after each of their steps, for longer than any deadline", Fill});

}  // namespace
}  // namespace lakestream::sim
