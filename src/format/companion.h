#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "format/json.h"
#include "format/log_entry_header.h"
#include "format/packed_numbers.h"
#include "lakestream/status.h"

namespace lakestream {

// The .index file beside a compacted file: what is known of each of its rows (specification, "Companion files").
// companion_writer.h makes its bytes, companion_decoder.h reads them.

/// Rows of a block, as Ursa writes them. A reader takes any number.
inline constexpr std::size_t kCompanionBlockRows = 10'000;

/// The rows of one compacted file in memory: entries that follow each other without a gap. Row i describes row i of the
/// Parquet file. Takes 12 bytes a row; 4 more where times go back, and 4 more for each of offsets, sizes and times
/// that spread over more than 31 bits. Thread safety: as a value.
class Companion {
 public:
  /// Appends the next row. Errors: invalid_argument, with field=, for what CheckEntryHeader refuses, and for an entry
  /// that does not begin where the one before it ends, or whose cumulative size is not that one's and its own size.
  Status Add(const LogEntryHeader& header);

  std::size_t rows() const { return offsets_.size(); }
  /// Of the first row, and behind the last one. Requires: there are rows.
  Offset start() const { return Offset(offsets_[0]); }
  Offset end() const { return Offset(end_); }
  /// Requires: row < rows().
  Offset OffsetOf(std::size_t row) const { return Offset(offsets_[row]); }
  LogEntryHeader HeaderOf(std::size_t row) const;

  /// The row of the entry that holds an offset; nothing where it is below start() or not below end().
  std::optional<std::size_t> FindOffset(Offset offset) const;
  /// The first row where the greatest timestamp so far is at least this one; rows() where there is none. Times need not
  /// ascend.
  std::size_t FindTime(std::int64_t timestamp_ms) const;

  void ShrinkToFit();
  /// On the heap.
  std::size_t MemoryBytes() const;

  friend bool operator==(const Companion&, const Companion&) = default;

 private:
  std::int64_t end_ = 0;
  std::int64_t base_size_ = 0;  ///< the cumulative size before the first row
  PackedNumbers offsets_;
  PackedNumbers sizes_;   ///< cumulative
  PackedNumbers times_;
  PackedNumbers latest_;  ///< the greatest time so far; empty while that is the row's own
};

/// All rows, with the specification's names.
JsonValue Describe(const Companion& companion);

}  // namespace lakestream
