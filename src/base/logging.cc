#include "base/logging.h"

#include <cstdio>
#include <mutex>

namespace lakestream {
namespace {

void WriteToStandardError(LogLevel level, std::string_view message) {
  std::string line = "lakestream: ";
  line.append(message).append(" level=").append(LogLevelName(level)).append("\n");
  std::fwrite(line.data(), 1, line.size(), stderr);
}

struct Front {
  std::mutex mutex;
  LogLevel minimum = LogLevel::kWarning;
  LogSink sink = WriteToStandardError;
};

Front& TheFront() {
  static Front* const front = new Front;
  return *front;
}

}  // namespace

std::string_view LogLevelName(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug: return "debug";
    case LogLevel::kInfo: return "info";
    case LogLevel::kWarning: return "warning";
    case LogLevel::kError: return "error";
  }
  return "unknown";
}

std::optional<LogLevel> ParseLogLevel(std::string_view name) {
  for (const LogLevel level : {LogLevel::kDebug, LogLevel::kInfo, LogLevel::kWarning, LogLevel::kError}) {
    if (LogLevelName(level) == name) return level;
  }
  return std::nullopt;
}

void SetLogSink(LogLevel minimum, LogSink sink) {
  Front& front = TheFront();
  const std::lock_guard lock(front.mutex);
  front.minimum = minimum;
  front.sink = std::move(sink);
}

void Log(LogLevel level, std::string_view message) {
  Front& front = TheFront();
  LogSink sink;
  {
    const std::lock_guard lock(front.mutex);
    if (level < front.minimum) return;
    sink = front.sink;
  }
  sink(level, message);
}

void Log(LogLevel level, std::string_view message, const Status& why) {
  std::string text(message);
  text.append(": ").append(why.ToString());
  Log(level, text);
}

}  // namespace lakestream
