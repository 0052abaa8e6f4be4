#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lakestream {

/// A list of 64-bit numbers that takes 4 bytes a number as long as each is within 31 bits of the first one, and 8 bytes
/// a number from the first one on that is not. Thread safety: as a value.
class PackedNumbers {
 public:
  std::size_t size() const { return wide_.empty() ? narrow_.size() : wide_.size(); }
  /// Requires: i < size().
  std::int64_t operator[](std::size_t i) const { return wide_.empty() ? first_ + narrow_[i] : wide_[i]; }

  void Append(std::int64_t number);
  /// Gives back what growing took too much.
  void ShrinkToFit();
  /// On the heap.
  std::size_t MemoryBytes() const {
    return narrow_.capacity() * sizeof(narrow_[0]) + wide_.capacity() * sizeof(wide_[0]);
  }

  friend bool operator==(const PackedNumbers&, const PackedNumbers&) = default;

 private:
  std::int64_t first_ = 0;
  std::vector<std::int32_t> narrow_;  ///< less the first; empty when wide_ is in use
  std::vector<std::int64_t> wide_;
};

}  // namespace lakestream
