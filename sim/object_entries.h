#pragma once

#include <string>

#include "lakestream/buffer.h"
#include "sim/evidence.h"

namespace lakestream::sim {

// What objects hold, by the format's decoders and past the engine's reader and compactor.

/// The entries of all logs in a WAL object. Offsets count from 0 in each log; sums and times are the index record's.
ObjectEntries ReadWalObject(const std::string& name, const Buffer& object);

/// The rows of a compacted file of the log, with all that its companion says.
ObjectEntries ReadCompactedFile(LogId log, const std::string& name, const Buffer& parquet, const Buffer& companion);

}  // namespace lakestream::sim
