#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "codec/byte_reader.h"

namespace lakestream {

// The protobuf wire format, as far as the records of the specification need it.

enum class WireType : std::uint8_t {
  kVarint = 0,
  kFixed64 = 1,
  kBytes = 2,
  kGroup = 3,
  kEndGroup = 4,
  kFixed32 = 5
};

/// One field as it stands on the wire.
struct WireField {
  std::uint32_t number = 0;
  WireType type = WireType::kVarint;
  std::uint64_t varint = 0;    ///< of a kVarint
  ByteSpan bytes;              ///< of a kBytes
  std::uint64_t offset = 0;    ///< of the tag, in the object
  std::uint64_t bytes_at = 0;  ///< of the first of `bytes`, in the object
};

/// Reads the next field; groups and fixed-width numbers are stepped over (their values are not kept).
/// Errors: corrupt for truncation, number 0, unknown wire types, overlong varints, unbalanced groups.
Result<WireField> ReadWireField(ByteReader& reader);

inline void AppendTag(std::string& out, std::uint32_t number, WireType type) {
  AppendVarint(out, (std::uint64_t{number} << 3) | static_cast<std::uint64_t>(type));
}
/// int32, int64 and enum fields; negative numbers take ten bytes.
inline void AppendVarintField(std::string& out, std::uint32_t number, std::int64_t value) {
  AppendTag(out, number, WireType::kVarint);
  AppendVarint(out, static_cast<std::uint64_t>(value));
}
inline void AppendBytesField(std::string& out, std::uint32_t number, std::string_view bytes) {
  AppendTag(out, number, WireType::kBytes);
  AppendVarint(out, bytes.size());
  out += bytes;
}

}  // namespace lakestream
