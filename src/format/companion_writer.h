#pragma once

#include <cstddef>
#include <string>

#include "codec/compression/gzip_stream.h"
#include "format/companion.h"
#include "lakestream/status.h"

namespace lakestream {

/// Makes the bytes of a companion row by row (specification, "Companion files"): one gzip member; blocks of as many rows
/// as they may have and a last one of what is left, perhaps of none; keys of the offset map ascend. The same rows
/// make the same bytes. Keeps the rows (Companion, 12 bytes each), one block (some 100 bytes a row) and what was not
/// taken yet. Thread safety: one thread.
class CompanionWriter {
  /// A third of the time of zlib's usual level, and 4 % more bytes, which are few beside the payloads.
  static constexpr int kCompanionGzipLevel = 1;

 public:
  /// Requires: rows_per_block is 1 to kCompanionBlockRows.
  explicit CompanionWriter(std::size_t rows_per_block = kCompanionBlockRows);

  /// Adds the next row. Errors: those of Companion::Add, and then nothing was added; resource_exhausted (no memory).
  /// Requires: Finish was not called.
  Status Add(const LogEntryHeader& header);
  /// Ends the file. Errors: invalid_argument (no rows, or a map of more than 2^31 - 2 bytes), resource_exhausted.
  Status Finish();
  /// The bytes that came since the last call, perhaps none; after Finish, the rest of them.
  std::string Take();

  /// What was added, for whoever reads the file next.
  const Companion& rows() const { return rows_; }

 private:
  Status FlushBlock();
  Status WriteMap();

  const std::size_t rows_per_block_;
  Companion rows_;
  std::size_t block_rows_ = 0;
  std::string block_;
  GzipWriter gzip_{kCompanionGzipLevel};
  std::string out_;
};

}  // namespace lakestream
