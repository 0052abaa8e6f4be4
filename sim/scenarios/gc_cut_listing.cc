#include "sim/plan.h"

namespace lakestream::sim {
namespace {

/// Hard trims and compactions make the garbage.
void Fill(Plan& plan, Random& random) {
  DrawCompaction(plan, random);
  plan.guarded = random.Below(2) == 0;
  plan.shards = 1 + static_cast<int>(random.Below(2));
  plan.logs = 2;
  plan.compactors = 1;
  plan.trimmers = 1;
  plan.hard_trims = true;
  plan.operations = 500;
  plan.chaos.kills = 0.2;
  plan.objects.lose_answer = 1000;
  plan.objects.cut_list = plan.objects.stale_list = 500;
  plan.objects.short_page = 2000;
  plan.compacted.cut_list = plan.compacted.short_page = 500;
  plan.metadata.cut_pages = 1500;
  plan.metadata.short_page = plan.metadata.tear_scan = 1500;
  plan.metadata.fail = 500;
  DrawCollection(plan, random);
}

const ScenarioRegistration kRegistered(Scenario{
    "gc_cut_listing", "listings and scans of collections are cut short, torn, or fail", Fill});

}  // namespace
}  // namespace lakestream::sim
