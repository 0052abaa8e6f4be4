#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "format/log_records.h"

namespace lakestream {

// Logs that stand alone: their entries share no WAL object with those of other logs (docs/format/log-isolation.md). All
// these records lie in one partition, so that a writer learns of every isolated log with one scan.

inline constexpr std::string_view kLogIsolationPartition = "/lakestream/isolated";
/// Their presence counts; the value does not.
inline constexpr std::string_view kLogIsolationValue("\x01", 1);

/// /lakestream/isolated/{L}. Requires: not negative.
std::string LogIsolationKey(LogId log);
/// All of a deployment.
KeyBounds LogIsolationKeys();
/// Nothing where the key is none of these.
std::optional<LogId> LogOfIsolationKey(std::string_view key);

}  // namespace lakestream
