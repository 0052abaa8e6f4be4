#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "format/compaction_record.h"
#include "format/file_index.h"
#include "lakestream/types.h"
#include "meta/memory/memory_metadata_backend.h"

namespace lakestream::sim {

/// What an index record says.
struct IndexRecord {
  Offset start;
  Offset end;
  std::int64_t cumulative_size = 0;
  std::int64_t size = 0;
  std::int64_t created_ms = 0;
  bool parquet = false;
  std::string object;                ///< RAW: the WAL object
  std::vector<CompactedFile> files;  ///< PARQUET; empty where its file index cannot be read
};

/// What a change of the metadata store is to the log whose record it is. Read once, for all who judge it.
struct LogChange {
  enum class Kind { kNone, kIndex, kMarker, kFence, kLease, kCursor, kCompaction, kClaim };

  Kind kind = Kind::kNone;
  LogId log;
  // Nothing where the value cannot be decoded.
  std::optional<IndexRecord> index;  ///< that was written, or that was removed
  std::optional<Offset> marker;      ///< that was written
  std::optional<CompactionRecord> compaction;  ///< that was written

  /// By the key alone.
  static LogChange OfKey(const std::string& key);
  static LogChange Of(const MetadataChange& change);
};

/// The session that a compaction record names; null where it names none.
const std::string* OwnerOf(const CompactionRecord& record);

}  // namespace lakestream::sim
