#pragma once

#include <string>

#include "log/plain_log_homes.h"

namespace lakestream::sim {

/// The key of a log's compacted object below the compacted root.
inline std::string CompactedKey(LogId log, const std::string& name) {
  return PlainLogHomes::Of(log).directory + "/" + name;
}

}  // namespace lakestream::sim
