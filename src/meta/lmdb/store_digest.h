#pragma once

#include <cstdint>
#include <string_view>

namespace lakestream {

/// Tells whether a set of records is the one that was written: their number, and the sum of their hashes modulo
/// 2^64. In any order, and changed record by record.
struct StoreDigest {
  std::uint64_t records = 0;
  std::uint64_t sum = 0;

  void Add(std::string_view stored_key, std::string_view stored_value);
  /// Requires: added before, with the same bytes.
  void Remove(std::string_view stored_key, std::string_view stored_value);

  friend bool operator==(const StoreDigest&, const StoreDigest&) = default;
};

}  // namespace lakestream
