#include "sim/plan.h"

namespace lakestream::sim {
namespace {

void Fill(Plan& plan, Random& random) {
  plan.guarded = random.Below(4) != 0;
  plan.logs = 4;
  plan.isolated_logs = 2;
  plan.operations = 2000;
  plan.appenders = 4;
  plan.pause = std::chrono::milliseconds(500);
  plan.time = std::chrono::seconds(200);
  plan.writer.put_deadline = std::chrono::seconds(5);
  // So slow that appends wait for each other.
  plan.writer.put_budget_per_second = 2;
  plan.writer.linger_max = plan.writer.linger_max_busy = std::chrono::seconds(1);
  plan.metadata.fail = plan.metadata.delay = plan.metadata.lose_answer = 300;
}

const ScenarioRegistration kRegistered(
    Scenario{"isolated_logs", "logs are isolated, and some of them share objects again, while processes append", Fill});

}  // namespace
}  // namespace lakestream::sim
