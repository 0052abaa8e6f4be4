#include "sim/plan.h"

namespace lakestream::sim {
namespace {

void Fill(Plan& plan, Random& random) {
  plan.guarded = random.Below(2) == 0;
  plan.logs = 2;
  plan.window = 12;
  plan.pause = std::chrono::milliseconds(10);
  plan.writer.max_queued_bytes = 400 + static_cast<std::int64_t>(random.Below(1000));
  plan.chaos = ChaosRates{1, 0.5, 0, 0, 0.5, 1, 0.3, 1};
  plan.objects.delay = plan.objects.fail = 500;
  plan.objects.throttle = 200;
  plan.metadata.fail = plan.metadata.lose_answer = plan.metadata.delay = 200;
}

const ScenarioRegistration kRegistered(
    Scenario{"tight_memory", "appends wait for the memory that others hold", Fill});

}  // namespace
}  // namespace lakestream::sim
