#include "sim/plan.h"

namespace lakestream::sim {
namespace {

void Fill(Plan& plan, Random& random) {
  DrawCompaction(plan, random);
  plan.guarded = random.Below(2) == 0;
  plan.logs = 6;
  plan.deleted_logs = 5;
  plan.compactors = 2;
  plan.time = std::chrono::seconds(60);
  plan.operations = 600;
  plan.pause = std::chrono::milliseconds(500);
  plan.compaction_pause = std::chrono::milliseconds(300);
  plan.writer.settle_time = std::chrono::milliseconds(50 + random.Below(500));
  plan.compactor.retry_first = std::chrono::milliseconds(100);
  plan.compactor.session_timeout = std::chrono::seconds(2 + random.Below(5));
  plan.chaos = ChaosRates{1, 1, 0.2, 0, 0.5, 2, 0.5, 0.5};
  plan.metadata.fail = plan.metadata.lose_answer = plan.metadata.apply_late = 300;
  plan.metadata.delay = 1500;
  plan.metadata.lose_sessions = 50;
}

const ScenarioRegistration kRegistered(
    Scenario{"delete_during_install", "logs are deleted while they are compacted", Fill});

}  // namespace
}  // namespace lakestream::sim
