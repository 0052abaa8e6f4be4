#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "format/description.h"
#include "lakestream/buffer.h"
#include "lakestream/status.h"
#include "lakestream/types.h"

namespace lakestream {

// A WAL object: int32 index_length, the index region, the payload region (specification, "WAL objects").

inline constexpr std::int32_t kWalIndexVersion = 3;

/// One entry of a log. The offset is from the start of the payload region; a size of 0 is legal.
struct WalEntry {
  std::int32_t payload_offset = 0;  ///< bytes, 0 to 2^31 - 1
  std::int32_t payload_size = 0;    ///< bytes, 0 to 2^31 - 1
  std::int32_t record_count = 0;    ///< at least 1
  friend bool operator==(const WalEntry&, const WalEntry&) = default;
};

/// The entries of one log, in offset order.
struct WalSection {
  LogId log;
  std::vector<WalEntry> entries;

  std::int64_t RecordCount() const;
  std::int64_t PayloadBytes() const;
  friend bool operator==(const WalSection&, const WalSection&) = default;
};

struct WalIndex {
  std::vector<WalSection> sections;  ///< in the object's order; a log has at most one
  /// Positions in `sections`, by ascending log id. The decoder fills it; without it Find looks at all.
  std::vector<std::uint32_t> by_log;

  /// The log's section, or null.
  const WalSection* Find(LogId log) const;
};

/// invalid_argument for what no section may be: a negative log, no entries, an entry without records, a payload
/// that ends beyond 2^31 - 1, sums of records or bytes above 2^31 - 1.
Status CheckWalSection(const WalSection& section);

/// index_length and the index region: the bytes before the payload region. Sections stay in the given order.
/// Errors: invalid_argument for no section, a log twice, and what CheckWalSection refuses.
Result<Buffer> EncodeWalHeader(const std::vector<WalSection>& sections);

struct WalHeader {
  WalIndex index;
  std::uint64_t header_size = 0;   ///< bytes before the payload region
  std::uint64_t payload_size = 0;  ///< bytes of the payload region
};

/// 4 + index_length: how many bytes DecodeWalHeader needs. Requires the object's first 4 bytes or more.
/// Errors: corrupt where the index region is shorter than its version or does not end within the object.
Result<std::uint64_t> WalHeaderSize(ByteSpan first_bytes, std::uint64_t object_size,
                                    std::string_view object_name);

/// Decodes from a prefix of the object that holds the whole header. Errors: corrupt, naming object, field
/// and offset, for whatever breaks the layout: another version, a negative or repeated log, a section without
/// entries, an entry without records or with a payload outside the region, trailing bytes.
Result<WalHeader> DecodeWalHeader(ByteSpan prefix, std::uint64_t object_size, std::string_view object_name);

/// Sizes, sections and entries, from a prefix as DecodeWalHeader takes it. Of a damaged object: what stands before
/// the damage.
Description DescribeWalObject(ByteSpan prefix, std::uint64_t object_size, std::string_view object_name);

}  // namespace lakestream
