#include "sim/plan.h"

namespace lakestream::sim {
namespace {

/// Streams come and go under writers whose leases are late, kept or lost, and which hear nothing of a fence.
void Fill(Plan& plan, Random& random) {
  plan.guarded = random.Below(2) == 0;
  plan.processes = 3;
  plan.logs = 1;
  plan.appenders = 2;
  plan.readers = plan.tailers = 0;
  plan.catalogers = 1;
  plan.names = 3;
  plan.topics = true;
  plan.catalog = CatalogRates{4, 3, 0, 1, 0, 4, 2};
  plan.catalog_options.drain_timeout = std::chrono::seconds(random.Below(2) == 0 ? 1 : 30);
  plan.operations = 700;
  plan.window = 8;
  plan.pause = std::chrono::milliseconds(300);
  plan.time = std::chrono::minutes(2);
  plan.writer.settle_time = std::chrono::seconds(3);
  plan.writer.times.index_deadline = std::chrono::seconds(3);
  plan.writer.session_timeout = std::chrono::seconds(2);
  plan.chaos = ChaosRates{4, 2, 0, 0, 1, 4, 0.5, 0.5};
  plan.metadata.fail = plan.metadata.lose_answer = plan.metadata.apply_late = 300;
  plan.metadata.delay = 1500;
  plan.metadata.max_late = std::chrono::seconds(60);
  plan.metadata.watch_missed = plan.metadata.watch_late = 3000;
}

const ScenarioRegistration kRegistered(
    Scenario{"drops", "streams are dropped under writers that hold leases and hear of nothing", Fill});

}  // namespace
}  // namespace lakestream::sim
