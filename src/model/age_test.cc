#include "model/age.h"

#include <gtest/gtest.h>

namespace lakestream::model {
namespace {

using namespace std::chrono_literals;

Moment At(Duration wall, Duration boot) { return Moment{WallTime(wall), BootTime(boot)}; }

TEST(Age, IsTheLargerOfTheTwoClocks) {
  EXPECT_EQ(AgeAt(At(100s, 10s), At(103s, 15s)), 5s);
  EXPECT_EQ(AgeAt(At(100s, 10s), At(109s, 15s)), 9s);
}

TEST(Age, AClockSetBackMakesNothingYoung) {
  EXPECT_EQ(AgeAt(At(100s, 10s), At(100s - 1h, 15s)), 5s);
  EXPECT_FALSE(MayPublish(At(100s, 10s), At(100s - 1h, 40s), 30s));
}

TEST(Age, DeadlinesAreExact) {
  EXPECT_TRUE(MayPublish(At(0s, 0s), At(0s, 30s - 1ns), 30s));
  EXPECT_FALSE(MayPublish(At(0s, 0s), At(0s, 30s), 30s));
  EXPECT_TRUE(MayAcknowledge(At(0s, 0s), At(0s, 300s), 600s));
  EXPECT_FALSE(MayAcknowledge(At(0s, 0s), At(300s + 1ns, 0s), 600s));
}

}  // namespace
}  // namespace lakestream::model
