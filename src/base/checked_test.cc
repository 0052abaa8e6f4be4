#include "base/checked.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

namespace lakestream {
namespace {

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

TEST(Checked, RefusesWhatTheTypeCannotHold) {
  EXPECT_EQ(CheckedAdd<std::int64_t>(kMax - 1, 1), kMax);
  EXPECT_EQ(CheckedAdd<std::int64_t>(kMax, 1), std::nullopt);
  EXPECT_EQ(CheckedMul<std::int32_t>(1 << 16, 1 << 15), std::nullopt);
  EXPECT_EQ(CheckedMul<std::int32_t>(1 << 15, 1 << 15), 1 << 30);
  EXPECT_EQ((CheckedCast<std::int32_t>(kMax)), std::nullopt);
  EXPECT_EQ((CheckedCast<std::uint32_t>(-1)), std::nullopt);
  EXPECT_EQ((CheckedCast<std::uint32_t>(std::int64_t{7})), 7u);
}

}  // namespace
}  // namespace lakestream
