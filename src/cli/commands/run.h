#pragma once

#include "cli/environment.h"
#include "log/upkeep/upkeep.h"

namespace lakestream {

struct RunCommandOptions {
  UpkeepOptions upkeep;
};

/// Goes on until a signal comes, and then ends with 0.
int RunUpkeep(Environment& environment, const RunCommandOptions& options);

}  // namespace lakestream
