#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "format/file_index.h"
#include "lakestream/status.h"
#include "lakestream/types.h"

// Into which files the entries of a compacted range go (specification, "Parquet files" and "File index").

namespace lakestream::model {

/// When a compacted file is full.
struct FileLimits {
  /// Payload bytes. Row groups and pages below it can be read one by one; a larger file saves nothing but its footer.
  std::int64_t bytes = std::int64_t{64} << 20;
  /// Entries. A reader parses the whole companion before it finds its first row: so many rows are about 0.4 MiB of it.
  std::int64_t entries = 32'768;
};

/// At most so many files hold `entries` entries of `bytes` payload bytes together, in whatever order of sizes; 0 for
/// none. Requires: neither is negative, both limits are positive.
std::int64_t MostFiles(const FileLimits& limits, std::int64_t entries, std::int64_t bytes);

/// Gives the entries of one range to files, in order of their offsets. An entry is never kept out of a file because it
/// is large: a file is full as soon as it has reached a limit, and so holds less than `limits.bytes` and one entry
/// more. Thread safety: none; memory: a name for each file.
class FileSplit {
 public:
  explicit FileSplit(const FileLimits& limits) : limits_(limits) {}

  /// The next entry begins a file: there is none yet, or the last one is full.
  bool NeedsFile() const;
  /// Requires: NeedsFile(), and a name that the compaction record holds already: it must, before the first upload.
  void BeginFile(std::string name);
  /// An entry of `records` records, at least 1, that begins where the one before it ended; the range's first one may
  /// begin anywhere, for what is trimmed is left out. Requires: !NeedsFile().
  void Add(Offset offset, std::int64_t records, std::int64_t payload_bytes);

  std::int64_t entries() const { return entries_; }  ///< in all files
  std::int64_t bytes() const { return bytes_; }

  /// The file index of a range that ends at `end`, exclusive: each file with the last offset it holds, inclusive.
  /// Errors: internal where the entries do not end there, or a file has none; invalid_argument for names that
  /// EncodeFileIndex refuses.
  Result<FileIndex> Finish(Offset end) const;

 private:
  FileLimits limits_;
  FileIndex index_;
  std::int64_t file_entries_ = 0;
  std::int64_t file_bytes_ = 0;
  std::int64_t entries_ = 0;
  std::int64_t bytes_ = 0;
};

}  // namespace lakestream::model
