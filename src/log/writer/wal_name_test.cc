#include "log/writer/wal_name.h"

#include <gtest/gtest.h>

namespace lakestream {
namespace {

TEST(WalObjectName, BeginsWithTheDateInUtc) {
  const WallTime wall = WallTimeFromMillis(1'700'000'000'123);  // 2023-11-14 22:13:20 UTC
  EXPECT_EQ(WalObjectName(wall, "u", false), "2023/11/14/22/13/20/u");
  EXPECT_EQ(WalObjectName(wall, "u", true), "2023/11/14/22/1320-u");
}

TEST(WalObjectName, OthersAreToldApart) {
  const std::string uuid = "3f2b8f5e-1c2d-4e3f-8a9b-0c1d2e3f4a5b";
  for (const bool embedded : {false, true}) {
    EXPECT_TRUE(IsWalObjectName(WalObjectName(WallTimeFromMillis(0), uuid, embedded)));
    EXPECT_FALSE(IsWalObjectName(WalObjectName(WallTimeFromMillis(0), "u", embedded)));
    EXPECT_FALSE(IsWalObjectName("x" + WalObjectName(WallTimeFromMillis(0), uuid, embedded)));
  }
  EXPECT_FALSE(IsWalObjectName("2023/11/14/22/1320-3F2b8f5e-1c2d-4e3f-8a9b-0c1d2e3f4a5b"));
  EXPECT_FALSE(IsWalObjectName("2023/11/14/22/13x0-" + uuid));
  EXPECT_FALSE(IsWalObjectName("2023-11/14/22/1320-" + uuid));
  EXPECT_FALSE(IsWalObjectName(""));
}

}  // namespace
}  // namespace lakestream
