#include "cli/time_argument.h"

#include <charconv>
#include <optional>

namespace lakestream {
namespace {

/// All of the text as a number of decimal digits.
std::optional<std::int64_t> Digits(std::string_view text) {
  std::int64_t value = 0;
  if (text.empty() || text[0] == '-') return std::nullopt;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || rest != text.data() + text.size()) return std::nullopt;
  return value;
}

/// "2026-11-30T12:00:00Z" in milliseconds since the Unix epoch.
std::optional<std::int64_t> ReadMoment(std::string_view text) {
  constexpr std::string_view kForm = "0000-00-00T00:00:00";
  if (text.size() <= kForm.size() || text.back() != 'Z') return std::nullopt;
  for (std::size_t i = 0; i < kForm.size(); ++i) {
    const bool digit = text[i] >= '0' && text[i] <= '9';
    if (kForm[i] == '0' ? !digit : text[i] != kForm[i]) return std::nullopt;
  }
  const auto number = [&](std::size_t at, std::size_t digits) { return *Digits(text.substr(at, digits)); };
  const std::chrono::year_month_day date(std::chrono::year(static_cast<int>(number(0, 4))),
                                         std::chrono::month(static_cast<unsigned>(number(5, 2))),
                                         std::chrono::day(static_cast<unsigned>(number(8, 2))));
  const std::int64_t hour = number(11, 2);
  const std::int64_t minute = number(14, 2);
  const std::int64_t second = number(17, 2);
  if (!date.ok() || hour > 23 || minute > 59 || second > 59) return std::nullopt;
  std::int64_t millis = 0;
  const std::string_view decimals = text.substr(kForm.size(), text.size() - kForm.size() - 1);
  if (!decimals.empty()) {
    const std::optional<std::int64_t> value = Digits(decimals.substr(1));
    if (decimals[0] != '.' || decimals.size() > 4 || !value) return std::nullopt;
    millis = *value;
    for (std::size_t i = decimals.size(); i < 4; ++i) millis *= 10;
  }
  const std::int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  const std::int64_t since = (((days * 24 + hour) * 60 + minute) * 60 + second) * 1000 + millis;
  if (since < 0) return std::nullopt;
  return since;
}

}  // namespace

Result<TimeArgument> ParseTimeArgument(std::string_view text) {
  if (const auto ms = Digits(text)) return TimeArgument{false, *ms};
  if (const auto ms = ReadMoment(text)) return TimeArgument{false, *ms};
  if (const Result<Duration> age = ParseDuration(text); age.ok()) return TimeArgument{true, ToMillis(*age)};
  return InvalidArgument("not a time; write 2026-11-30T12:00:00Z, milliseconds since 1970, or an age such as 10m, 2h or 1d")
      .With("got", text);
}

}  // namespace lakestream
