#pragma once

#include <cstdint>
#include <string>

#include "format/json.h"

namespace lakestream {

/// A tree of named fields as text for people: a line for each value, deeper fields indented, lists of like objects
/// as tables. Nothing in it can control a terminal: control characters are escaped.
std::string TreeText(const JsonValue& tree);

/// "2026-11-30T02:56:27.123Z". The plain number where it is no time.
std::string UtcText(std::int64_t millis);

}  // namespace lakestream
