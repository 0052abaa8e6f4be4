#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "lakestream/status.h"
#include "lakestream/types.h"

namespace lakestream {

// Keys of index records, K(L, x, y) (specification, "Offset index keys"). Requires of every log id, offset
// and size here: 0 to 2^63 - 1; anything else ends the process.

inline constexpr std::size_t kIndexKeySize = 62;
inline constexpr std::int64_t kMaxIndexKeyNumber = std::numeric_limits<std::int64_t>::max();

struct IndexKey {
  LogId log;
  Offset end;                        ///< exclusive
  std::int64_t cumulative_size = 0;  ///< payload bytes of the log from offset 0 to `end`

  /// 62 bytes: three 20-digit numbers joined by "-".
  std::string Encode() const;
  /// Errors: corrupt (object= the key, field=, offset=) for any other form and for numbers above 2^63 - 1.
  static Result<IndexKey> Decode(std::string_view key);

  friend auto operator<=>(const IndexKey&, const IndexKey&) = default;
};

/// 20 digits: the prefix of a sequenced put, without "-".
std::string IndexKeyPrefix(LogId log);
/// Whether the key begins with the log's prefix and "-". Each lookup's answer needs this check.
bool IsIndexKeyOf(std::string_view key, LogId log);

/// K(L, x, 0): at or before every key of L that ends at x or later.
std::string IndexKeyFloorOf(LogId log, Offset x);
/// K(L, x, MAX): after every key of L that ends at x or before.
std::string IndexKeyCeilingOf(LogId log, Offset x);
/// K(L, 0, 0).
std::string FirstIndexKey(LogId log);
/// K(L, MAX, MAX).
std::string LastIndexKey(LogId log);

}  // namespace lakestream
