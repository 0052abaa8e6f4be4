#include "sim/plan.h"

namespace lakestream::sim {
namespace {

/// Sessions are lost all the time while puts are on their way, and logs are deleted behind their backs.
void Fill(Plan& plan, Random&) {
  plan.guarded = false;
  plan.processes = 3;
  plan.logs = 24;
  plan.deleted_logs = 24;
  plan.operations = 900;
  plan.window = 8;
  plan.pause = std::chrono::milliseconds(100);
  plan.time = std::chrono::seconds(40);
  // A put is given up, lands later all the same, and is found.
  plan.writer.times.index_deadline = std::chrono::milliseconds(500);
  plan.writer.settle_time = std::chrono::seconds(20);
  plan.chaos.sessions = 20;
  plan.metadata.apply_late = 1500;
  plan.metadata.max_late = std::chrono::seconds(6);
}

const ScenarioRegistration kRegistered(
    Scenario{"lost_sessions", "sessions are lost with puts on their way to logs that are deleted", Fill});

}  // namespace
}  // namespace lakestream::sim
