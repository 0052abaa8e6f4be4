#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "format/compaction_record.h"
#include "format/entry_index.h"
#include "format/file_index.h"
#include "lakestream/status.h"
#include "log/log_homes.h"
#include "model/read_plan.h"

namespace lakestream {

/// A RAW record that a range replaces.
struct RangeRecord {
  std::string key;
  EntryIndex index;
  model::IndexSpan span;
  std::int64_t created_ms = 0;  ///< the time of its entries
};

/// Files to write: those of one log's range.
struct RangeWork {
  LogId log;
  LogHome home;
  CompactionRange range;
  Offset trim_marker;                ///< entries that end at or below it are left out
  std::vector<RangeRecord> records;  ///< all of the range, ascending
  std::vector<std::string> names;    ///< of its files, as many as it can need; the compaction record has them
};

/// What became of it.
struct RangeFiles {
  Status status;
  FileIndex files;               ///< ok: complete, each with its companion
  std::int64_t entries = 0;      ///< ok: rows
  std::int64_t bytes = 0;        ///< ok: of files and companions
  std::optional<std::size_t> damaged;  ///< not ok: the record whose object is missing or damaged
};

/// What work has cost.
struct WorkCost {
  std::int64_t objects = 0;        ///< WAL objects read
  std::int64_t gets = 0;           ///< to read them
  std::int64_t scratch_bytes = 0;  ///< that did not fit into memory
  std::int64_t most_held = 0;      ///< payload bytes in memory, at most
};

}  // namespace lakestream
