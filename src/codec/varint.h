#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include "lakestream/buffer.h"

namespace lakestream {

/// Unsigned LEB128: seven bits a byte, least significant group first, high bit on all bytes but the last.
inline constexpr std::size_t kMaxVarint32Bytes = 5;
inline constexpr std::size_t kMaxVarint64Bytes = 10;

constexpr std::size_t VarintSize(std::uint64_t value) {
  std::size_t size = 1;
  for (; value >= 0x80; value >>= 7) ++size;
  return size;
}

inline void AppendVarint(std::string& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<char>(value | 0x80));
  out.push_back(static_cast<char>(value));
}

/// Reads a number of at most max_bytes bytes and at most `limit`. Returns the bytes used, or 0 where the
/// number is truncated, longer or larger. Longer forms of small numbers are taken as long as they fit.
inline std::size_t DecodeVarint(ByteSpan bytes, std::size_t max_bytes, std::uint64_t limit,
                                std::uint64_t* value) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < bytes.size() && i < max_bytes; ++i) {
    const std::uint64_t group = bytes[i] & 0x7f;
    if (i == 9 && group > 1) return 0;
    sum |= group << (7 * i);
    if ((bytes[i] & 0x80) == 0) {
      if (sum > limit) return 0;
      *value = sum;
      return i + 1;
    }
  }
  return 0;
}

/// The varint32 of the specification ("WAL objects"): 0 to 2^31 - 1 in at most 5 bytes. 0: not one.
inline std::size_t DecodeVarint32(ByteSpan bytes, std::int32_t* value) {
  if (!bytes.empty() && bytes[0] < 0x80) [[likely]] {
    *value = bytes[0];
    return 1;
  }
  std::uint64_t wide = 0;
  const std::size_t used =
      DecodeVarint(bytes, kMaxVarint32Bytes, std::numeric_limits<std::int32_t>::max(), &wide);
  if (used != 0) *value = static_cast<std::int32_t>(wide);
  return used;
}

inline std::size_t DecodeVarint64(ByteSpan bytes, std::uint64_t* value) {
  return DecodeVarint(bytes, kMaxVarint64Bytes, std::numeric_limits<std::uint64_t>::max(), value);
}

}  // namespace lakestream
