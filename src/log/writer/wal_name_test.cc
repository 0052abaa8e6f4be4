#include "log/writer/wal_name.h"

#include <gtest/gtest.h>

namespace lakestream {
namespace {

TEST(WalObjectName, BeginsWithTheDateInUtc) {
  const WallTime wall = WallTimeFromMillis(1'700'000'000'123);  // 2023-11-14 22:13:20 UTC
  EXPECT_EQ(WalObjectName(wall, "u", false), "2023/11/14/22/13/20/u");
  EXPECT_EQ(WalObjectName(wall, "u", true), "2023/11/14/22/1320-u");
}

}  // namespace
}  // namespace lakestream
