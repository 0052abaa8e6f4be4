#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/time.h"
#include "sim/evidence.h"

namespace lakestream::sim {

/// Bytes that objects take, and how many of them are needed. These are *live*:
///
/// - of a WAL object, the payloads of entries that no compacted file replaces and that are not trimmed: what an index
///   record of type RAW is read for. Header, index region and other logs' entries in the object are not;
/// - of a compacted file and its companion, together, the share that untrimmed entries have in its payloads, as long as
///   an index record of type PARQUET names it: what replaces the WAL has to be paid for, with its format.
///
/// All else that is stored is not: entries that are trimmed, or that a PARQUET record has replaced, whatever keeps their
/// object; files that are not installed yet, or never will be; objects that nobody has got to name; those that wait to be
/// collected; and what other programs have put there. An entry counts once, though two index records may tell of it for
/// a moment.
struct Space {
  std::int64_t stored = 0;
  std::int64_t live = 0;
  std::int64_t sealed = 0;  ///< of what is live, the compacted part
};

struct SpaceSample {
  Duration at{};  ///< since the day began
  Space all;
  /// Of the objects that were written when every writer knew of the day's first isolated log; nothing before, and in a
  /// day without one.
  Space after_isolation;
};

/// Between two samples.
inline constexpr Duration kSpaceEvery = std::chrono::minutes(10);

/// Of the run's day; none where it has none. Requires: something is collected in the run.
std::vector<SpaceSample> SpaceOver(const Evidence& evidence);

/// A line for each, with its names in the first one: minutes, then bytes, separated by commas.
std::string ToText(const std::vector<SpaceSample>& samples);

}  // namespace lakestream::sim
