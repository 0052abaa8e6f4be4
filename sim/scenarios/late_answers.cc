#include "sim/plan.h"

namespace lakestream::sim {
namespace {

/// A grace that is shorter than what the metadata store may take to answer.
void Fill(Plan& plan, Random& random) {
  plan.guarded = random.Below(2) == 0;
  plan.writer.times.publish_deadline = std::chrono::milliseconds(1500);
  plan.writer.times.index_deadline = std::chrono::milliseconds(500);
  plan.writer.times.grace = std::chrono::seconds(20);
  plan.writer.settle_time = std::chrono::seconds(40);
  plan.objects.delay = 2000;
  plan.metadata.fail = 1500;
  plan.metadata.delay = plan.metadata.lose_answer = plan.metadata.apply_late = 1000;
  plan.metadata.max_delay = std::chrono::seconds(6);
  plan.metadata.max_late = std::chrono::seconds(30);
}

const ScenarioRegistration kRegistered(
    Scenario{"late_answers", "index puts are answered when their objects may be candidates for deletion", Fill});

}  // namespace
}  // namespace lakestream::sim
