#pragma once

#include <string>
#include <vector>

#include "cli/environment.h"
#include "model/cost.h"

namespace lakestream {

struct CostOptions {
  std::vector<std::string> metrics;  ///< files with what processes serve, "-": standard input; none: look at what is stored
  model::StorePrices prices;
  bool json = false;
};

/// Says what the objects of a deployment cost, or the requests of running processes.
int RunCost(Environment& environment, const CostOptions& options);

}  // namespace lakestream
