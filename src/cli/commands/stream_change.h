#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/environment.h"

namespace lakestream {

struct StreamGrowOptions {
  std::string name;
  int partitions = 0;  ///< 1 to 10000
  bool json = false;
};

struct StreamSetOptions {
  std::string name;
  std::vector<std::string> set;  ///< each "NAME=VALUE"
  std::vector<std::string> unset;
  std::optional<std::int64_t> revision;
  bool json = false;
};

struct StreamIsolateOptions {
  std::string name;
  std::optional<int> partition;  ///< without it all of them
  bool end = false;
  bool json = false;
};

struct StreamDropOptions {
  std::string name;
  bool json = false;
};

struct StreamPurgeOptions {
  std::string name;  ///< empty: all that were dropped
  bool json = false;
};

/// Adds partitions. Where there are as many already, it says so and ends well.
int RunStreamGrow(Environment& environment, const StreamGrowOptions& options);

/// Sets and removes properties.
int RunStreamSet(Environment& environment, const StreamSetOptions& options);

/// Has the entries that are appended from now on share no object with those of other logs, or ends that.
int RunStreamIsolate(Environment& environment, const StreamIsolateOptions& options);

/// Drops a stream with all that is in it. Nothing happens where there is none: a slip of the pen uses up no name.
int RunStreamDrop(Environment& environment, const StreamDropOptions& options);

/// Finishes drops and removes what came late.
int RunStreamPurge(Environment& environment, const StreamPurgeOptions& options);

}  // namespace lakestream
