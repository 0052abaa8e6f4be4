#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/histogram.h"
#include "cli/append_window.h"
#include "lakestream/status.h"

namespace lakestream {

/// What an append command has done so far. Thread safety: none.
class AppendReport {
 public:
  void Count(const EndedAppend& ended);

  bool failed() const { return !first_failure_.ok(); }
  /// True when a record may have been appended without being acknowledged.
  bool unknown() const { return unknown_ > 0; }
  /// Records; of a raw stream each is an entry.
  std::int64_t acknowledged() const { return acknowledged_; }
  std::int64_t acknowledged_bytes() const { return acknowledged_bytes_; }
  /// The failure of the first line that failed, with the counts that say what became of all lines.
  Status Failure() const;

  struct Circumstances {
    std::string stream;
    Duration elapsed{};
    std::int64_t objects = 0;
    bool ended_in_lf = true;
    bool several_partitions = false;
    bool in_batches = false;  ///< entries hold several records
    Status input;  ///< why the input was not read to its end, if it was not
  };
  /// Several lines for people.
  std::string Text(const Circumstances& circumstances) const;
  /// One line with one JSON object.
  std::string Json(const Circumstances& circumstances) const;

 private:
  struct Range {
    std::int64_t records = 0;
    Offset first;
    Offset end;
  };

  Histogram latency_;
  std::map<int, Range> ranges_;  // by partition
  std::int64_t acknowledged_ = 0;
  std::int64_t acknowledged_entries_ = 0;
  std::int64_t acknowledged_bytes_ = 0;
  std::int64_t not_appended_ = 0;
  std::int64_t unknown_ = 0;
  std::int64_t first_failed_line_ = 0;
  Status first_failure_;
};

/// "950 us", "12.3 ms", "4.56 s".
std::string ShortDuration(Duration duration);
/// "812 B", "3.4 KiB", "1.2 GiB".
std::string ShortBytes(std::int64_t bytes);

}  // namespace lakestream
