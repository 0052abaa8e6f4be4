#pragma once

#include <cstdint>
#include <string_view>

#include "base/time.h"
#include "lakestream/status.h"

namespace lakestream {

/// A time as a command line gives it: a moment, or how long ago.
struct TimeArgument {
  bool is_age = false;
  std::int64_t ms = 0;  ///< since the Unix epoch, or of the age; 0 or more

  /// In milliseconds since the Unix epoch, for someone who asks at `now`.
  std::int64_t At(WallTime now) const { return is_age ? ToMillis(now) - ms : ms; }
  friend bool operator==(const TimeArgument&, const TimeArgument&) = default;
};

/// Reads "2026-11-30T12:00:00Z" (RFC 3339 in UTC, with up to three decimals of a second, from 1970 to 9999),
/// "1796040000000" (milliseconds since the Unix epoch), or an age like "10m", "2h" and "1d" (ParseDuration).
/// Errors: invalid_argument.
Result<TimeArgument> ParseTimeArgument(std::string_view text);

}  // namespace lakestream
