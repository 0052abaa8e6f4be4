#include "sim/plan.h"

namespace lakestream::sim {
namespace {

/// One rule at a time, so that nothing that goes has two reasons.
void Fill(Plan& plan, Random& random) {
  DrawCompaction(plan, random);
  plan.guarded = random.Below(2) == 0;
  plan.logs = 2;
  plan.compactors = 1;
  plan.retainers = 1;
  plan.readers = 2;
  plan.operations = 700;
  plan.chaos = ChaosRates{0.5, 1, 0.3, 0, 0, 0.5, 0.3, 0.3};
  plan.metadata.delay = 1000;
  plan.metadata.lose_answer = 200;
  plan.metadata.max_late = std::chrono::seconds(20);
  plan.compacted.delay = plan.compacted.lose_answer = 500;
  DrawCollection(plan, random);
  const std::uint64_t rule = random.Below(3);
  if (rule == 0) plan.retention.bytes = static_cast<std::int64_t>(random.Below(3000));
  if (rule == 1) plan.retention.records = static_cast<std::int64_t>(random.Below(30));
  if (rule == 2) plan.retention.ms = static_cast<std::int64_t>(random.Below(120'000));
  if (rule == 2 && random.Below(2) == 0) plan.chaos.clocks = 0.5;
}

const ScenarioRegistration kRegistered(Scenario{
    "retention_compact", "retention lets entries go that are compacted and collected at the same time", Fill});

}  // namespace
}  // namespace lakestream::sim
