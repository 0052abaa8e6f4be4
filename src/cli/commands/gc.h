#pragma once

#include <string>

#include "cli/environment.h"

namespace lakestream {

struct GcCommandOptions {
  bool dry_run = false;  ///< say what a pass would do
  std::string explain;   ///< say of this object alone what holds it; empty: none
  bool watch = false;    ///< go on until a signal comes
  bool json = false;
};

/// One pass, or with `watch` one after another. Ends as its pass did; with `watch` a pass that fails is told of, and the
/// next one is made.
int RunGc(Environment& environment, const GcCommandOptions& options);

}  // namespace lakestream
