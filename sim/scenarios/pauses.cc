#include "sim/plan.h"

namespace lakestream::sim {
namespace {

/// Short deadlines and long pauses: the age rule, late answers and lost sessions are everyday here.
void Fill(Plan& plan, Random& random) {
  plan.guarded = random.Below(3) == 0;
  plan.time = std::chrono::minutes(8);
  plan.operations = 400;
  plan.pause = std::chrono::milliseconds(300);
  plan.writer.times.publish_deadline = std::chrono::seconds(2);
  plan.writer.times.index_deadline = std::chrono::seconds(2);
  plan.writer.times.grace = std::chrono::seconds(40 + random.Below(40));
  plan.writer.settle_time = std::chrono::seconds(5);
  plan.writer.session_timeout = std::chrono::seconds(2 + random.Below(10));
  plan.chaos = ChaosRates{0.3, 6, 2, 3, 2, 2, 2, 0.3};
  plan.objects.delay = plan.objects.apply_late = 500;
  plan.metadata.delay = 3000;
  plan.metadata.apply_late = plan.metadata.lose_answer = 500;
  plan.metadata.lose_sessions = 100;
  plan.metadata.max_delay = std::chrono::seconds(2);
}

const ScenarioRegistration kRegistered(
    Scenario{"pauses", "processes stop and machines sleep for longer than any deadline", Fill});

}  // namespace
}  // namespace lakestream::sim
