#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "lakestream/status.h"
#include "lakestream/types.h"

namespace lakestream {

// The records of a log beside its index (specification, "Metadata store model"), all in the partition P(L).
// Requires of every log id and offset given here: not negative.

/// A decimal number without sign or leading zeros, 0 to 2^63 - 1; otherwise nothing.
std::optional<std::int64_t> ParseDecimal(std::string_view text);

/// Half-open range of keys [first, end) for List and Scan.
struct KeyBounds {
  std::string first;
  std::string end;
};

/// The trim marker: B, the exclusive lower bound of readable offsets, in ASCII decimal.
std::string TrimMarkerKey(LogId log);
/// All trim markers of a deployment.
KeyBounds TrimMarkerKeys();
std::string EncodeTrimMarker(Offset b);
/// `object` is the record's key, for messages. Errors: corrupt.
Result<Offset> DecodeTrimMarker(std::string_view value, std::string_view object);

/// The write fence. Its presence counts; its value does not.
std::string WriteFenceKey(LogId log);
inline constexpr std::string_view kWriteFenceValue("\x01", 1);

/// A write lease; its value is the token again.
std::string WriteLeaseKey(LogId log, std::string_view token);
/// All lease records of a log.
KeyBounds WriteLeaseKeys(LogId log);

/// The log that a trim marker, fence, lease or cursor key belongs to; nothing where the key is none of them.
/// For keys of other families use ParseDecimal on the part that holds the id.
std::optional<LogId> LogOfRecordKey(std::string_view key);

/// How far compaction has come (Appendix B); written as a decimal offset, without a partition key.
std::string CompactionCursorKey(LogId log);
std::string EncodeCompactionCursor(Offset first_uncompacted);
Result<Offset> DecodeCompactionCursor(std::string_view value, std::string_view object);

}  // namespace lakestream
