#include "format/packed_numbers.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace lakestream {
namespace {

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kReach = std::numeric_limits<std::int32_t>::max();

std::size_t BytesOf(const std::vector<std::int64_t>& numbers) {
  PackedNumbers packed;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    packed.Append(numbers[i]);
    for (std::size_t j = 0; j <= i; ++j) EXPECT_EQ(packed[j], numbers[j]) << i << " " << j;
    EXPECT_EQ(packed.size(), i + 1);
  }
  packed.ShrinkToFit();
  for (std::size_t j = 0; j < numbers.size(); ++j) EXPECT_EQ(packed[j], numbers[j]) << j;
  return packed.MemoryBytes();
}

TEST(PackedNumbers, FourBytesWithin31BitsOfTheFirst) {
  EXPECT_EQ(BytesOf({}), 0u);
  EXPECT_EQ(BytesOf({kMax, kMax - kReach, kMax - kReach - 1}), 12u);
  EXPECT_EQ(BytesOf({kMin, kMin + kReach}), 8u);
  EXPECT_EQ(BytesOf({5, 5 + kReach, 5 - kReach - 1}), 12u);
}

TEST(PackedNumbers, EightBytesBeyond) {
  EXPECT_EQ(BytesOf({5, 6 + kReach}), 16u);
  EXPECT_EQ(BytesOf({5, 3 - kReach, 5}), 24u);
  EXPECT_EQ(BytesOf({kMin, kMax, 0}), 24u);
  EXPECT_EQ(BytesOf({kMax, kMin}), 16u);
}

}  // namespace
}  // namespace lakestream
