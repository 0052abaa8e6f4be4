#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace lakestream::kafka {

struct RecordHeader {
  std::string_view key;
  std::optional<std::string_view> value;  ///< nothing: null
  friend bool operator==(const RecordHeader&, const RecordHeader&) = default;
};

/// A record, as a view of the bytes that it was read from.
struct Record {
  std::int64_t offset = 0;         ///< assigned, not as stored
  std::int64_t timestamp_ms = -1;  ///< since the Unix epoch, -1: none
  std::optional<std::string_view> key;
  std::optional<std::string_view> value;
  std::vector<RecordHeader> headers;
};

}  // namespace lakestream::kafka
