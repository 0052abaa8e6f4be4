#pragma once

#include <concepts>
#include <optional>
#include <utility>

namespace lakestream {

/// a + b, or nothing where the type cannot hold it.
template <std::integral I>
constexpr std::optional<I> CheckedAdd(I a, I b) {
  I sum;
  if (__builtin_add_overflow(a, b, &sum)) return std::nullopt;
  return sum;
}

/// a * b, or nothing where the type cannot hold it.
template <std::integral I>
constexpr std::optional<I> CheckedMul(I a, I b) {
  I product;
  if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
  return product;
}

/// The value in another integer type, or nothing where that type cannot hold it.
template <std::integral To, std::integral From>
constexpr std::optional<To> CheckedCast(From value) {
  if (!std::in_range<To>(value)) return std::nullopt;
  return static_cast<To>(value);
}

}  // namespace lakestream
