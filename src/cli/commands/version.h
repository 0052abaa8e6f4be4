#pragma once

#include "cli/output.h"

namespace lakestream {

struct VersionOptions {
  bool json = false;
};

/// Prints the version, the format version and the compiler.
int RunVersion(Output& out, const VersionOptions& options);

}  // namespace lakestream
