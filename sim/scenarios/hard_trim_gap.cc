#include "sim/plan.h"

namespace lakestream::sim {
namespace {

/// Trims follow the end of the logs closely, and calls are slow.
void Fill(Plan& plan, Random& random) {
  DrawCompaction(plan, random);
  plan.guarded = random.Below(2) == 0;
  plan.processes = 3;
  plan.logs = 2;
  plan.compactors = 1;
  plan.trimmers = 2;
  plan.hard_trims = true;
  plan.appenders = 1;
  plan.readers = 3;
  plan.operations = 500;
  plan.pause = std::chrono::milliseconds(100);
  plan.compaction_pause = std::chrono::milliseconds(200);
  plan.writer.settle_time = std::chrono::milliseconds(20 + random.Below(200));
  plan.compactor.retry_first = std::chrono::milliseconds(50);
  plan.compactor.retry_most = std::chrono::milliseconds(500);
  plan.compactor.session_timeout = std::chrono::seconds(2);
  plan.chaos = ChaosRates{0.5, 1, 0, 0, 0, 2, 0.3, 0.3};
  plan.metadata.delay = 3000;
  plan.metadata.max_delay = std::chrono::milliseconds(800);
  plan.metadata.apply_late = plan.metadata.lose_answer = 200;
  plan.compacted.lose_answer = plan.compacted.apply_late = 200;
  plan.compacted.delay = 2000;
  plan.compacted.max_delay = std::chrono::seconds(10);
}

const ScenarioRegistration kRegistered(
    Scenario{"hard_trim_gap", "logs are trimmed between the Get and the Put of an installation", Fill});

}  // namespace
}  // namespace lakestream::sim
