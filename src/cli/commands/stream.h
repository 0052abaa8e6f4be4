#pragma once

#include <string>

#include "cli/environment.h"

namespace lakestream {

struct StreamCreateOptions {
  std::string name;
  int partitions = 1;  ///< 1 to 10000
  bool json = false;
};

struct StreamListOptions {
  bool json = false;
};

/// Creates a stream, and the deployment where there is none.
int RunStreamCreate(Environment& environment, const StreamCreateOptions& options);

/// Prints every stream of the deployment.
int RunStreamList(Environment& environment, const StreamListOptions& options);

}  // namespace lakestream
