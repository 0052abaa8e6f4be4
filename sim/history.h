#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "lakestream/status.h"
#include "lakestream/types.h"
#include "log/writer/log_writer.h"
#include "sim/payload.h"

namespace lakestream::sim {

/// A place in the one order of all that happened in a run.
using Place = std::int64_t;

/// An entry as somebody saw it.
struct SeenEntry {
  Offset offset;
  std::int32_t records = 1;
  AppendNumber number = -1;  ///< -1: bytes that nobody appended
  std::int64_t cumulative_size = 0;
  std::int64_t timestamp_ms = 0;
  std::int64_t size = 0;
};

/// One call of a client.
struct Operation {
  enum class Kind { kAppend, kRead, kTail, kExtent, kTrim };

  Kind kind = Kind::kAppend;
  std::string process;       ///< name and life
  int client = 0;            ///< those of one client follow one another, except appends
  LogId log;
  MonotonicTime at;          ///< when it began
  Place began = 0;
  std::optional<Place> ended;  ///< none: its process died first, or the run ended
  MonotonicTime ended_at;      ///< once ended
  Status status;             ///< once ended

  // Append: what was asked, and the answer where the status is ok.
  AppendNumber number = -1;
  CallerId caller = 0;
  std::int32_t records = 1;
  std::int64_t size = 0;
  std::optional<SeenEntry> acknowledged;

  // Read and tail.
  Offset from;
  std::int64_t max_records = 0;
  std::int64_t max_bytes = 0;
  std::vector<SeenEntry> entries;
  Offset next;

  // Extent: first and end. Trim: the marker before and after.
  Offset low;
  Offset high;
  Offset asked;  ///< trim: everything up to here

  bool done() const { return ended.has_value() && status.ok(); }
  /// For an append: it may be in the log, now or later.
  bool may_have_happened() const {
    return !ended || status.ok() || status.code() == StatusCode::kIndeterminate;
  }
};

const char* KindName(Operation::Kind kind);
/// One line for people.
std::string ToString(const Operation& operation);
std::string ToString(const SeenEntry& entry);

}  // namespace lakestream::sim
