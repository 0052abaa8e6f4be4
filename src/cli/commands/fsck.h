#pragma once

#include "cli/environment.h"

namespace lakestream {

struct FsckCommandOptions {
  bool deep = false;
  bool json = false;
};

/// Ends with 0 where nothing is damaged, with 5 where something is.
int RunFsck(Environment& environment, const FsckCommandOptions& options);

}  // namespace lakestream
