#pragma once

#include <cstdint>
#include <string_view>

namespace lakestream {

/// FNV-1a over words, with an end that stirs all bits: for tables in memory that hold a hash in place of what was hashed.
/// Never stored. Thread safety: none.
class Hash64 {
 public:
  void Add(std::uint64_t word) {
    state_ = (state_ ^ word) * 0x100000001b3;
    state_ ^= state_ >> 29;
  }
  void Add(std::string_view text) {
    for (const char c : text) state_ = (state_ ^ static_cast<std::uint8_t>(c)) * 0x100000001b3;
    Add(text.size());
  }
  std::uint64_t End() const {
    std::uint64_t h = state_;
    h = (h ^ (h >> 33)) * 0xff51afd7ed558ccd;
    h = (h ^ (h >> 33)) * 0xc4ceb9fe1a85ec53;
    return h ^ (h >> 33);
  }

 private:
  std::uint64_t state_ = 0xcbf29ce484222325;
};

}  // namespace lakestream
