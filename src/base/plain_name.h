#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace lakestream {

/// A name that people choose and that any tool takes: 1 to `most_bytes` of a-z, 0-9 and "-".
inline bool IsPlainName(std::string_view name, std::size_t most_bytes) {
  const auto fits = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; };
  return !name.empty() && name.size() <= most_bytes && std::all_of(name.begin(), name.end(), fits);
}

}  // namespace lakestream
