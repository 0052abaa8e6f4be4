#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <string>

namespace lakestream {

/// Identifies a log of a deployment: a non-negative 64-bit integer that is never used again
/// (specification, "Terms").
class LogId {
 public:
  constexpr LogId() = default;
  constexpr explicit LogId(std::int64_t value) : value_(value) {}
  constexpr std::int64_t value() const { return value_; }
  /// Decimal, without leading zeros.
  std::string ToString() const { return std::to_string(value_); }
  friend constexpr auto operator<=>(LogId, LogId) = default;

 private:
  std::int64_t value_ = 0;
};

/// The position of a record in its log; the first record has offset 0. Differences and counts of records
/// are plain std::int64_t.
class Offset {
 public:
  constexpr Offset() = default;
  constexpr explicit Offset(std::int64_t value) : value_(value) {}
  constexpr std::int64_t value() const { return value_; }
  friend constexpr auto operator<=>(Offset, Offset) = default;
  friend constexpr Offset operator+(Offset o, std::int64_t records) { return Offset(o.value_ + records); }
  friend constexpr Offset operator-(Offset o, std::int64_t records) { return Offset(o.value_ - records); }
  friend constexpr std::int64_t operator-(Offset a, Offset b) { return a.value_ - b.value_; }

 private:
  std::int64_t value_ = 0;
};

}  // namespace lakestream

template <>
struct std::hash<lakestream::LogId> {
  std::size_t operator()(lakestream::LogId id) const { return std::hash<std::int64_t>()(id.value()); }
};
