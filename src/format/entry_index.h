#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "format/description.h"
#include "format/file_index.h"
#include "format/wal_object.h"
#include "lakestream/buffer.h"
#include "lakestream/status.h"

namespace lakestream {

// Values of index records (specification, "Offset index values").

enum class FileType : std::uint8_t { kRaw = 0, kParquet = 1 };
/// Informative only: readers decide by the file type.
enum class IndexType : std::uint8_t { kNormal = 0, kCompact = 1 };
/// Only kFastPfor is used in format version 3.
enum class CompressionType : std::uint8_t { kNone = 0, kFastPfor = 1, kZstd = 2 };

inline constexpr std::int32_t kEntryIndexVersion = 3;
inline constexpr std::string_view kFileIndexKey = "CompactedObjectFileIndex";

/// The boundaries of a RAW record's entries; DecodeEntryOffsets reads them.
struct EntryOffsets {
  CompressionType compression_type = CompressionType::kFastPfor;
  std::int32_t uncompressed_size = 0;  ///< 4 bytes for each entry
  std::string compressed_payload;      ///< big-endian words
  friend bool operator==(const EntryOffsets&, const EntryOffsets&) = default;
};

struct ExtraData {
  std::string key;
  std::string value;
  friend bool operator==(const ExtraData&, const ExtraData&) = default;
};

struct EntryIndex {
  std::int32_t version = kEntryIndexVersion;
  std::string location;  ///< RAW: the WAL object's name. PARQUET: the first file's name; not used for reading
  FileType file_type = FileType::kRaw;
  IndexType index_type = IndexType::kNormal;
  std::int32_t message_count = 0;     ///< records, at least 1
  std::int64_t entry_size_bytes = 0;  ///< payload bytes of the record's entries
  std::int64_t file_size = 0;         ///< RAW: bytes of the object's payload region. PARQUET: entry_size_bytes
  std::int64_t offset_in_file = 0;    ///< RAW: -1. PARQUET: 0
  std::int32_t entry_count = 0;       ///< RAW: entries, 1 to message_count. PARQUET: 1
  std::optional<EntryOffsets> entry_offsets;  ///< exactly where a RAW record has more than one entry
  std::vector<ExtraData> extra_data;          ///< distinct keys

  /// The value of an extraData pair, or null.
  const std::string* FindExtraData(std::string_view key) const;
  friend bool operator==(const EntryIndex&, const EntryIndex&) = default;
};

/// The value's bytes, fields in number order. Requires: a record that DecodeEntryIndex would take.
std::string EncodeEntryIndex(const EntryIndex& index);

/// `object` names the record in messages. Unknown fields are skipped. Errors: corrupt, naming object, field
/// and offset, for broken wire bytes, a required field (1 to 9) missing, any field twice, another version,
/// unknown enum values, numbers out of range, entry_offsets where there must be none or the other way round,
/// and incomplete or repeated extraData.
Result<EntryIndex> DecodeEntryIndex(ByteSpan value, std::string_view object);

/// The RAW record of a log section. `only_section`: the object has no other section.
/// Errors: invalid_argument for what EncodeWalHeader refuses of a section, an empty location, a region
/// that does not hold the payloads.
Result<EntryIndex> MakeRawEntryIndex(const WalSection& section, std::string location,
                                     std::int64_t payload_region_size, bool only_section);

/// The PARQUET record of a range of `records` records and `bytes` payload bytes.
/// Errors: invalid_argument for what EncodeFileIndex refuses, and numbers out of range.
Result<EntryIndex> MakeParquetEntryIndex(const FileIndex& files, std::int64_t records, std::int64_t bytes);

/// The exclusive ends of a RAW record's entries, in records from its start; of a record with one entry,
/// message_count alone. Errors: corrupt where they do not increase strictly, or disagree with entry_count or
/// message_count.
Result<std::vector<std::int32_t>> DecodeEntryOffsets(const EntryIndex& index, std::string_view object);

/// The file index of a PARQUET record. Errors: corrupt where there is none, or a broken one.
Result<FileIndex> FileIndexOf(const EntryIndex& index, std::string_view object);

/// Every field, with the entry boundaries and the file index decoded. `object` is for messages. Of a damaged record:
/// the fields before the damage.
Description DescribeEntryIndex(ByteSpan value, std::string_view object);

}  // namespace lakestream
