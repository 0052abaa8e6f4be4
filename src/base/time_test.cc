#include "base/time.h"

#include <gtest/gtest.h>

namespace lakestream {
namespace {

using namespace std::chrono_literals;

TEST(Time, Civil) {
  // 2023-11-14 22:13:20 UTC
  const CivilTime civil = ToCivil(WallTimeFromMillis(1'700'000'000'000));
  EXPECT_EQ(civil.year, 2023);
  EXPECT_EQ(civil.month, 11);
  EXPECT_EQ(civil.day, 14);
  EXPECT_EQ(civil.hour, 22);
  EXPECT_EQ(civil.minute, 13);
  EXPECT_EQ(civil.second, 20);
  EXPECT_EQ(ToCivil(WallTimeFromMillis(-1)).year, 1969);
}

TEST(Time, Durations) {
  EXPECT_EQ(*ParseDuration("250ms"), 250ms);
  EXPECT_EQ(*ParseDuration("30s"), 30s);
  EXPECT_EQ(*ParseDuration("24h"), 24h);
  EXPECT_EQ(*ParseDuration("7d"), 168h);
  EXPECT_EQ(FormatDuration(1500ms), "1500ms");
  EXPECT_EQ(FormatDuration(24h), "1d");
  EXPECT_EQ(FormatDuration(0ns), "0s");
  for (const char* bad : {"", "5", "ms", "-1s", "1 s", "1sec", "99999999999999d", "1.5s"}) {
    EXPECT_EQ(ParseDuration(bad).status().code(), StatusCode::kInvalidArgument) << bad;
  }
}

}  // namespace
}  // namespace lakestream
