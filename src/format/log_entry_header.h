#pragma once

#include <cstdint>

#include "lakestream/types.h"

namespace lakestream {

/// What the log knows of an entry without its payload (specification, "Logs, entries and offsets").
struct LogEntryHeader {
  Offset offset;                       ///< of the entry's first record
  std::int32_t number_of_records = 0;  ///< 1 or more
  std::int64_t timestamp_ms = 0;       ///< milliseconds since the Unix epoch, by the metadata store
  std::int32_t entry_size = 0;         ///< payload bytes
  std::int64_t cumulative_size = 0;    ///< payload bytes of the log up to and including this entry

  Offset end() const { return offset + number_of_records; }
  friend bool operator==(const LogEntryHeader&, const LogEntryHeader&) = default;
};

}  // namespace lakestream
