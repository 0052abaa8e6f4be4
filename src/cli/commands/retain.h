#pragma once

#include <string>
#include <vector>

#include "cli/environment.h"

namespace lakestream {

struct RetainCommandOptions {
  std::vector<std::string> streams;  ///< none: all of the deployment
  bool watch = false;    ///< go on until a signal comes
  bool dry_run = false;  ///< say what would be done
  bool json = false;
};

/// Ends with 1, or 5 where that is damage, where a log failed; the others were done.
int RunRetain(Environment& environment, const RetainCommandOptions& options);

}  // namespace lakestream
