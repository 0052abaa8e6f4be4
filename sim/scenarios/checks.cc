#include "sim/plan.h"

namespace lakestream::sim {
namespace {

void Fill(Plan& plan, Random& random) {
  plan.guarded = random.Below(2) == 0;
  plan.logs = 4;
  plan.deleted_logs = 1;
  plan.trimmers = 1;
  plan.checkers = 2;
  plan.chaos = ChaosRates{1, 0.5, 0.3, 0.5, 0.5, 0.5, 0.3, 0.5};
  plan.objects.fail = plan.objects.delay = plan.objects.lose_answer = plan.objects.apply_late = 200;
  plan.objects.cut_list = plan.objects.stale_list = plan.objects.short_page = 2000;
  plan.metadata.fail = plan.metadata.delay = plan.metadata.lose_answer = plan.metadata.apply_late = 200;
  plan.metadata.tear_scan = plan.metadata.short_page = 2000;
  plan.metadata.cut_pages = 500;
}

const ScenarioRegistration kRegistered(
    Scenario{"checks", "metadata and objects are compared again and again while they change", Fill});

}  // namespace
}  // namespace lakestream::sim
