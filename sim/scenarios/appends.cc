#include "sim/plan.h"

namespace lakestream::sim {
namespace {

void Fill(Plan& plan, Random& random) {
  plan.guarded = random.Below(2) == 0;
  plan.chaos = ChaosRates{2, 1, 0.3, 1, 1, 1, 0.5, 1};
  plan.objects.fail = plan.objects.lose_answer = plan.objects.delay = 200;
  plan.objects.throttle = plan.objects.apply_late = plan.objects.short_body = 100;
  plan.objects.flip_byte = 300;
  plan.metadata.fail = plan.metadata.lose_answer = plan.metadata.delay = plan.metadata.apply_late = 200;
  plan.metadata.short_page = plan.metadata.cut_pages = plan.metadata.tear_scan = 100;
  plan.metadata.watch_late = plan.metadata.watch_missed = plan.metadata.watch_twice = 500;
  plan.metadata.lose_sessions = 20;
}

const ScenarioRegistration kRegistered(
    Scenario{"appends", "processes append to a few logs and read them, with every kind of trouble", Fill});

}  // namespace
}  // namespace lakestream::sim
