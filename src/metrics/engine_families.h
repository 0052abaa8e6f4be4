#pragma once

#include "base/time.h"
#include "log/deployment/deployment.h"
#include "log/upkeep/upkeep.h"
#include "metrics/family_list.h"

// The names and help texts of all that is exposed. docs/metrics.md has the same names, and a test compares the two.

namespace lakestream {

void AddDeployment(const DeploymentStats& stats, FamilyList* families);
/// `now`: the ages of successes are told by it.
void AddUpkeep(const UpkeepStats& stats, MonotonicTime now, FamilyList* families);

}  // namespace lakestream
