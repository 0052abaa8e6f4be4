#include "sim/plan.h"

namespace lakestream::sim {
namespace {

/// Much is given up and taken over.
void Fill(Plan& plan, Random& random) {
  DrawCompaction(plan, random);
  plan.guarded = random.Below(3) != 0;
  plan.processes = 3;
  plan.logs = 1 + static_cast<int>(random.Below(2));
  plan.compactors = 2;
  plan.appenders = 1;
  plan.operations = 500;
  plan.pause = std::chrono::milliseconds(100);
  plan.compaction_pause = std::chrono::milliseconds(300);
  plan.writer.settle_time = std::chrono::milliseconds(100 + random.Below(500));
  plan.compactor.work_deadline = std::chrono::milliseconds(200 + random.Below(3000));
  plan.compactor.retry_first = std::chrono::milliseconds(50);
  plan.compactor.retry_most = std::chrono::milliseconds(500);
  plan.compactor.session_timeout = std::chrono::seconds(2);
  plan.chaos = ChaosRates{8, 1, 0, 0, 0.5, 4, 0.5, 1};
  plan.metadata.delay = 4000;
  plan.metadata.max_delay = std::chrono::milliseconds(500);
  plan.metadata.lose_answer = plan.metadata.apply_late = plan.metadata.fail = 200;
  plan.compacted.delay = plan.compacted.lose_answer = 200;
}

const ScenarioRegistration kRegistered(
    Scenario{"two_compactors", "compactors fight for the same logs, and their sessions end", Fill});

}  // namespace
}  // namespace lakestream::sim
