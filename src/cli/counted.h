#pragma once

#include <concepts>
#include <string>
#include <string_view>

namespace lakestream {

/// "1 log", "0 logs", "2 index records"; with `many` where an s does not make it: "1 entry", "2 entries".
template <std::integral I>
std::string Counted(I count, std::string_view one, std::string_view many = "") {
  std::string text = std::to_string(count) + " ";
  text += count == 1 || many.empty() ? one : many;
  if (count != 1 && many.empty()) text += 's';
  return text;
}

}  // namespace lakestream
