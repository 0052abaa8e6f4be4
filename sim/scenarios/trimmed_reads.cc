#include "sim/plan.h"

namespace lakestream::sim {
namespace {

/// Reads of compacted files are slow, and trims quick.
void Fill(Plan& plan, Random& random) {
  DrawCompaction(plan, random);
  plan.guarded = random.Below(2) == 0;
  plan.logs = 1;
  plan.compactors = 1;
  plan.appenders = 2;
  plan.readers = 4;
  plan.trimmers = 1;
  plan.hard_trims = true;
  plan.operations = 1200;
  plan.pause = std::chrono::milliseconds(400);
  plan.compaction_pause = std::chrono::milliseconds(50);
  plan.writer.settle_time = std::chrono::milliseconds(20 + random.Below(100));
  plan.compactor.plan.old_after = plan.compactor.plan.idle_close = std::chrono::milliseconds(100);
  plan.compactor.plan.decent_bytes = 1;
  plan.compactor.plan.small_range_cost = 0;
  plan.compactor.retry_first = plan.compactor.retry_most = std::chrono::milliseconds(10);
  plan.chaos.restarts = 0.5;
  plan.compacted.delay = 3000;
  plan.compacted.max_delay = std::chrono::seconds(2);
}

const ScenarioRegistration kRegistered(
    Scenario{"trimmed_reads", "compacted records and their files are trimmed while they are read", Fill});

}  // namespace
}  // namespace lakestream::sim
