#pragma once

#include <string>

#include "cli/environment.h"

namespace lakestream {

struct StreamCreateOptions {
  std::string name;
  int partitions = 1;  ///< 1 to 10000
  std::string binding = "kafka";
  bool json = false;
};

struct StreamListOptions {
  bool json = false;
};

struct StreamDescribeOptions {
  std::string name;
  bool json = false;
};

/// Creates a stream, and the deployment where there is none.
int RunStreamCreate(Environment& environment, const StreamCreateOptions& options);

/// Prints every stream of the deployment.
int RunStreamList(Environment& environment, const StreamListOptions& options);

/// Prints what the metadata store knows of a stream and of each of its logs. Damaged records are counted and named.
int RunStreamDescribe(Environment& environment, const StreamDescribeOptions& options);

}  // namespace lakestream
