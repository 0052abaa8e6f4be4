#pragma once

#include <cstdint>

#include "codec/varint.h"
#include "lakestream/buffer.h"

namespace lakestream {

/// Reads numbers of `width` bits (0 to 32) in Parquet's hybrid of run lengths and packed bits, until `count` have come:
/// `take(value, times)` for one or more of the same; it returns false to end. False where it did, or where the bytes
/// break the form or end too early. The time follows from the bytes, never from `count`.
template <class Take>
bool ReadRleRuns(ByteSpan bytes, int width, std::int64_t count, Take&& take) {
  std::size_t at = 0;
  while (count > 0) {
    std::uint64_t header = 0;
    const std::size_t used = DecodeVarint64(bytes.subspan(at), &header);
    if (used == 0 || header >> 33 != 0 || header >> 1 == 0) return false;
    at += used;
    const bool packed = (header & 1) != 0;
    const std::uint64_t value_bytes = packed ? (header >> 1) * static_cast<std::uint64_t>(width)
                                             : static_cast<std::uint64_t>(width + 7) / 8;
    if (value_bytes > bytes.size() - at) return false;
    const ByteSpan values = bytes.subspan(at, value_bytes);
    at += value_bytes;
    const std::uint64_t mask = (std::uint64_t{1} << width) - 1;
    if (!packed || width == 0) {
      std::uint64_t value = 0;
      for (std::size_t i = 0; i < values.size(); ++i) value |= std::uint64_t{values[i]} << 8 * i;
      const auto run = static_cast<std::int64_t>(packed ? (header >> 1) * 8 : header >> 1);
      const std::int64_t times = run < count ? run : count;
      if (value > mask || !take(static_cast<std::uint32_t>(value), times)) return false;
      count -= times;
      continue;
    }
    std::uint64_t bits = 0;
    int held = 0;
    for (const std::uint8_t byte : values) {
      if (count == 0) break;
      bits |= std::uint64_t{byte} << held;
      for (held += 8; held >= width && count > 0; held -= width, bits >>= width, --count) {
        if (!take(static_cast<std::uint32_t>(bits & mask), 1)) return false;
      }
    }
  }
  return true;
}

}  // namespace lakestream
