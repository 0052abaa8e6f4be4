#pragma once

#include <CLI/CLI.hpp>

#include <charconv>
#include <chrono>
#include <cstdint>
#include <limits>
#include <string>
#include <system_error>

#include "base/time.h"

// What options take; each says it in its error.

namespace lakestream {

/// Takes a share of the whole.
inline CLI::Validator Share() {
  const auto check = [](const std::string& text) -> std::string {
    double value = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, value);
    if (error == std::errc() && rest == end && value > 0 && value <= 1) return "";
    return "takes a number above 0, to 1, not \"" + text + "\"";
  };
  return CLI::Validator(check, "");
}

/// Takes what something costs.
inline CLI::Validator Price() {
  const auto check = [](const std::string& text) -> std::string {
    double value = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, value);
    if (error == std::errc() && rest == end && value >= 0 && value <= 1e6) return "";
    return "takes US dollars, from 0 to 1000000, not \"" + text + "\"";
  };
  return CLI::Validator(check, "");
}

/// Takes whole numbers; the option's own text describes it.
inline CLI::Validator Within(std::int64_t min, std::int64_t max = std::numeric_limits<std::int64_t>::max()) {
  const bool open = max >= std::numeric_limits<std::int64_t>::max() - 1;
  const std::string range =
      open ? std::to_string(min) + " or more" : "from " + std::to_string(min) + " to " + std::to_string(max);
  const auto check = [min, max, range](const std::string& text) -> std::string {
    std::int64_t value = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, value);
    if (error == std::errc() && rest == end && value >= min && value <= max) return "";
    return "takes a whole number, " + range + ", not \"" + text + "\"";
  };
  return CLI::Validator(check, "");
}

/// Takes how long something is to be, within what a timer can tell.
inline CLI::Validator Period() {
  const auto check = [](const std::string& text) -> std::string {
    const Result<Duration> given = ParseDuration(text);
    const bool fits = given.ok() && *given >= std::chrono::milliseconds(1) && *given <= std::chrono::hours(365 * 24);
    return fits ? "" : "takes a time from 1ms to 365d, such as 30s, not \"" + text + "\"";
  };
  return CLI::Validator(check, "");
}

inline CLI::Validator NameAndValue() {
  const auto check = [](const std::string& text) -> std::string {
    return text.find('=') == std::string::npos ? "takes NAME=VALUE, not \"" + text + "\"" : "";
  };
  return CLI::Validator(check, "");
}

}  // namespace lakestream
