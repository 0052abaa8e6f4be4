#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lakestream/buffer.h"
#include "lakestream/status.h"

namespace lakestream {

// What a compacted file's footer and offset indexes say (docs/format/compacted-parquet.md). Only files with one column,
// payload, are taken; all numbers are checked against the file before anything is done with them.

/// Bytes [offset, offset + length) of a file.
struct ParquetRange {
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  std::uint64_t end() const { return offset + length; }
  friend bool operator==(const ParquetRange&, const ParquetRange&) = default;
};

/// The numbers are those of the format.
enum class ParquetCodec : std::uint8_t { kNone = 0, kSnappy = 1, kGzip = 2, kZstd = 6, kLz4 = 7 };

/// A data page. `first_row` counts from the start of its row group.
struct ParquetPageLocation {
  ParquetRange range;  ///< header and all
  std::int64_t first_row = 0;
};

/// One row group, which is one column chunk.
struct ParquetRowGroup {
  std::int64_t first_row = 0;  ///< in the file
  std::int64_t rows = 0;
  ParquetCodec codec = ParquetCodec::kNone;
  ParquetRange chunk;  ///< all pages, that of the dictionary first where there is one; empty without rows
  std::optional<ParquetRange> offset_index;  ///< where it lies
  std::vector<ParquetPageLocation> pages;    ///< its contents; empty until it was read
};

struct ParquetFooter {
  std::int64_t rows = 0;
  std::vector<ParquetRowGroup> row_groups;
  std::string root_name;   ///< of the schema; the Avro record's name where an Avro writer made the file
  bool nullable = false;   ///< the column may be; no payload is null
  std::string created_by;  ///< empty where the file does not say
  std::map<std::string, std::string, std::less<>> keys;
};

/// Decodes the footer's metadata, which begins at `base` and is all of `bytes`; pages and offset indexes lie before it.
/// Errors: corrupt with object=, field= and offset=: what no file of one column "payload" of plain binary is, counts
/// that disagree, ranges that do not lie between the magic and the footer, a key twice. unimplemented: a codec that is
/// not read, encryption.
Result<ParquetFooter> DecodeParquetFooter(ByteSpan bytes, std::uint64_t base, std::string_view object);

/// Decodes the group's offset index, which begins at `base`. Errors: corrupt unless its pages lie in the group's chunk
/// in their order, without overlapping, and their rows make up those of the group.
Result<std::vector<ParquetPageLocation>> DecodeParquetOffsetIndex(ByteSpan bytes, std::uint64_t base,
                                                                  const ParquetRowGroup& group,
                                                                  std::string_view object);

}  // namespace lakestream
