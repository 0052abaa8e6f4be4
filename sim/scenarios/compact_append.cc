#include "sim/plan.h"

namespace lakestream::sim {
namespace {

void Fill(Plan& plan, Random& random) {
  DrawCompaction(plan, random);
  plan.guarded = random.Below(2) == 0;
  plan.logs = 2;
  plan.compactors = 1;
  plan.appenders = 3;
  plan.readers = 2;
  plan.tailers = 2;
  plan.operations = 600;
  plan.pause = std::chrono::milliseconds(100);
  plan.compaction_pause = std::chrono::milliseconds(200);
  plan.writer.settle_time = std::chrono::milliseconds(50 + random.Below(500));
  plan.chaos = ChaosRates{0.3, 0.3, 0, 0, 0, 0.5, 0, 0.3};
  plan.metadata.delay = plan.metadata.lose_answer = 100;
  plan.metadata.max_delay = std::chrono::milliseconds(200);
  plan.compacted.delay = plan.compacted.lose_answer = 100;
}

const ScenarioRegistration kRegistered(
    Scenario{"compact_append", "busy logs are compacted, and clients see what they saw before", Fill});

}  // namespace
}  // namespace lakestream::sim
