#pragma once

#include <vector>

#include "format/json.h"
#include "log/inspect/space_summary.h"
#include "model/cost.h"

// What the command cost prints: US dollars, with the prices that they come of.

namespace lakestream {

/// What is stored: by kind of object, the requests that wrote it, and each stream's share.
JsonValue SpaceCostTree(const SpaceSummary& space, const model::StorePrices& prices);

/// What processes have asked for, and what that costs at their rates.
JsonValue RequestCostTree(const std::vector<model::ProcessRequests>& processes, const model::StorePrices& prices);

}  // namespace lakestream
