#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "codec/varint.h"
#include "lakestream/buffer.h"

namespace lakestream {

/// Appends the low `bytes` bytes of a value, most significant first. Requires: 1 <= bytes <= 8.
inline void AppendBigEndian(std::string& out, std::uint64_t value, int bytes) {
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) out.push_back(static_cast<char>(value >> shift));
}
inline void AppendInt32(std::string& out, std::int32_t value) {
  AppendBigEndian(out, static_cast<std::uint32_t>(value), 4);
}
inline void AppendInt64(std::string& out, std::int64_t value) {
  AppendBigEndian(out, static_cast<std::uint64_t>(value), 8);
}

}  // namespace lakestream
