#include "format/packed_numbers.h"

#include <utility>

namespace lakestream {

void PackedNumbers::Append(std::int64_t number) {
  if (wide_.empty()) {
    if (narrow_.empty()) first_ = number;
    std::int64_t difference = 0;
    if (!__builtin_sub_overflow(number, first_, &difference) && std::in_range<std::int32_t>(difference)) {
      narrow_.push_back(static_cast<std::int32_t>(difference));
      return;
    }
    wide_.reserve(narrow_.size() + 1);
    for (const std::int32_t one : narrow_) wide_.push_back(first_ + one);
    narrow_ = {};
  }
  wide_.push_back(number);
}

void PackedNumbers::ShrinkToFit() {
  narrow_.shrink_to_fit();
  wide_.shrink_to_fit();
}

}  // namespace lakestream
