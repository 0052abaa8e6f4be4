#include "sim/plan.h"

namespace lakestream::sim {
namespace {

/// Nothing but hints wakes the tails.
void Fill(Plan& plan, Random& random) {
  plan.guarded = random.Below(2) == 0;
  plan.logs = 6;
  plan.readers = 0;
  plan.appenders = 1;
  plan.tailers = 6;
  plan.pause = std::chrono::milliseconds(500);
  plan.reader.tail_poll = std::chrono::hours(1);
  plan.chaos.kills = 0.5;
  plan.metadata.watch_twice = 2000;
  // A read whose answer is on its way while something is written.
  plan.metadata.delay = 3000;
  plan.metadata.max_delay = std::chrono::milliseconds(300);
}

const ScenarioRegistration kRegistered(Scenario{"tails", "tails follow logs in which little happens", Fill});

}  // namespace
}  // namespace lakestream::sim
