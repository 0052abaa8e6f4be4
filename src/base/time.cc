#include "base/time.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <limits>

namespace lakestream {
namespace {

struct Unit {
  std::string_view name;
  std::int64_t nanos;
};

constexpr std::array<Unit, 7> kUnits = {{{"d", 86'400'000'000'000},
                                         {"h", 3'600'000'000'000},
                                         {"m", 60'000'000'000},
                                         {"s", 1'000'000'000},
                                         {"ms", 1'000'000},
                                         {"us", 1'000},
                                         {"ns", 1}}};

}  // namespace

CivilTime ToCivil(WallTime t) {
  using namespace std::chrono;
  const sys_time<Duration> sys(t.time_since_epoch());
  const auto day_start = floor<days>(sys);
  const year_month_day date(day_start);
  const hh_mm_ss clock(floor<seconds>(sys - day_start));
  return CivilTime{static_cast<int>(date.year()),
                   static_cast<int>(static_cast<unsigned>(date.month())),
                   static_cast<int>(static_cast<unsigned>(date.day())),
                   static_cast<int>(clock.hours().count()),
                   static_cast<int>(clock.minutes().count()),
                   static_cast<int>(clock.seconds().count())};
}

Result<Duration> ParseDuration(std::string_view text) {
  std::int64_t count = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, count);
  const std::string_view unit_name(rest, static_cast<std::size_t>(end - rest));
  for (const Unit& unit : kUnits) {
    if (error != std::errc() || count < 0 || unit_name != unit.name) continue;
    if (count > std::numeric_limits<std::int64_t>::max() / unit.nanos) break;
    return Duration(count * unit.nanos);
  }
  return InvalidArgument("not a duration; write a number and a unit such as 250ms, 30s or 24h").With("got", text);
}

std::string FormatDuration(Duration d) {
  for (const Unit& unit : kUnits) {
    if (d.count() % unit.nanos == 0 && (d.count() != 0 || unit.name == "s")) {
      return fmt::format("{}{}", d.count() / unit.nanos, unit.name);
    }
  }
  return fmt::format("{}ns", d.count());
}

}  // namespace lakestream
