#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "lakestream/status.h"

namespace lakestream {

enum class LogLevel { kDebug, kInfo, kWarning, kError };

/// "debug", "info", "warning" or "error".
std::string_view LogLevelName(LogLevel level);
std::optional<LogLevel> ParseLogLevel(std::string_view name);

/// Receives each message that is at or above the level. A sink may be called from any thread.
using LogSink = std::function<void(LogLevel, std::string_view message)>;

/// Replaces the sink of this process (default: warnings and errors, a line each, on standard error).
/// Thread safety: call it before other threads log.
void SetLogSink(LogLevel minimum, LogSink sink);

/// Logs a fixed sentence with key=value pairs, built like a Status message.
void Log(LogLevel level, std::string_view message);
/// Logs the sentence followed by the status.
void Log(LogLevel level, std::string_view message, const Status& why);

}  // namespace lakestream
