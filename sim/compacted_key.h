#pragma once

#include <string>

#include "lakestream/types.h"

namespace lakestream::sim {

/// The key of a log's compacted object below the compacted root.
inline std::string CompactedKey(LogId log, const std::string& name) {
  return "default/log-" + std::to_string(log.value()) + "/" + name;
}

}  // namespace lakestream::sim
