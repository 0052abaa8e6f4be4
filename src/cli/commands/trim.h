#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/environment.h"

namespace lakestream {

struct TrimOptions {
  std::string stream;
  std::optional<int> partition;
  std::int64_t before = 0;  ///< the first offset to keep; 1 or more
  bool json = false;
};

/// Moves the trim marker of one partition and prints what really happened.
int RunTrim(Environment& environment, const TrimOptions& options);

}  // namespace lakestream
