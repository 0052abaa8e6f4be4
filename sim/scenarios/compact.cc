#include "sim/plan.h"

namespace lakestream::sim {
namespace {

void Fill(Plan& plan, Random& random) {
  DrawCompaction(plan, random);
  plan.guarded = random.Below(2) == 0;
  plan.compactors = 1;
  plan.readers = 2;
  plan.trimmers = static_cast<int>(random.Below(2));
  plan.operations = 400;
  plan.pause = std::chrono::milliseconds(200);
  plan.compaction_pause = std::chrono::milliseconds(500);
  plan.writer.settle_time = std::chrono::milliseconds(100 + random.Below(2000));
  plan.chaos = ChaosRates{0.5, 0.5, 0.2, 0.5, 0.5, 1, 0.3, 0.5};
  plan.metadata.fail = plan.metadata.lose_answer = plan.metadata.delay = plan.metadata.apply_late = 100;
  plan.objects.fail = plan.objects.lose_answer = plan.objects.delay = 100;
  plan.objects.flip_byte = 300;
  plan.compacted.fail = plan.compacted.throttle = plan.compacted.lose_answer = 200;
  plan.compacted.apply_late = plan.compacted.delay = 200;
}

const ScenarioRegistration kRegistered(
    Scenario{"compact", "logs are compacted and trimmed while they are written to and read", Fill});

}  // namespace
}  // namespace lakestream::sim
