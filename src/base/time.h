#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "lakestream/status.h"

namespace lakestream {

using Duration = std::chrono::nanoseconds;

struct WallTag {};
struct MonotonicTag {};
struct BootTag {};

/// Nanoseconds since the Unix epoch, as the machine's clock says; may jump either way.
using WallTime = std::chrono::time_point<WallTag, Duration>;
/// Never goes back; stands still while the machine is suspended. Deadlines and timers are in it.
using MonotonicTime = std::chrono::time_point<MonotonicTag, Duration>;
/// Never goes back; runs on while the machine is suspended.
using BootTime = std::chrono::time_point<BootTag, Duration>;

inline constexpr std::int64_t ToMillis(WallTime t) {
  return std::chrono::floor<std::chrono::milliseconds>(t).time_since_epoch().count();
}
inline constexpr std::int64_t ToMillis(Duration d) {
  return std::chrono::floor<std::chrono::milliseconds>(d).count();
}
inline constexpr WallTime WallTimeFromMillis(std::int64_t millis) {
  return WallTime(std::chrono::milliseconds(millis));
}

/// UTC calendar fields of a wall time.
struct CivilTime {
  int year;
  int month;   ///< 1 to 12
  int day;     ///< 1 to 31
  int hour;    ///< 0 to 23
  int minute;  ///< 0 to 59
  int second;  ///< 0 to 59
};
CivilTime ToCivil(WallTime t);

/// Reads "500us", "250ms", "30s", "5m", "24h", "7d". Errors: invalid_argument.
Result<Duration> ParseDuration(std::string_view text);
/// The shortest of those forms that says it exactly, for example "1500ms".
std::string FormatDuration(Duration d);

}  // namespace lakestream
