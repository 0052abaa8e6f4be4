#include "base/logging.h"

#include <cstdio>
#include <mutex>

namespace lakestream {
namespace {

std::string_view LevelName(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug: return "debug";
    case LogLevel::kInfo: return "info";
    case LogLevel::kWarning: return "warning";
    case LogLevel::kError: return "error";
  }
  return "unknown";
}

void WriteToStandardError(LogLevel level, std::string_view message) {
  std::string line = "lakestream: ";
  line.append(LevelName(level)).append(": ").append(message).append("\n");
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
