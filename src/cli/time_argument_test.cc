#include "cli/time_argument.h"

#include <gtest/gtest.h>

namespace lakestream {
namespace {

std::int64_t Moment(std::string_view text) {
  const Result<TimeArgument> time = ParseTimeArgument(text);
  return time.ok() && !time->is_age ? time->ms : -1;
}

TEST(TimeArgument, Moments) {
  EXPECT_EQ(Moment("0"), 0);
  EXPECT_EQ(Moment("1796040000000"), 1796040000000);
  EXPECT_EQ(Moment("1970-01-01T00:00:00Z"), 0);
  // `date -u -d ... +%s`
  EXPECT_EQ(Moment("2026-11-30T12:00:00Z"), 1796040000000);
  EXPECT_EQ(Moment("2026-11-30T12:00:00.5Z"), 1796040000500);
  EXPECT_EQ(Moment("2026-11-30T12:00:00.07Z"), 1796040000070);
  EXPECT_EQ(Moment("2026-11-30T12:00:00.123Z"), 1796040000123);
  EXPECT_EQ(Moment("2024-02-29T23:59:59Z"), 1709251199000);
  EXPECT_EQ(Moment("9999-12-31T23:59:59.999Z"), 253402300799999);
}

TEST(TimeArgument, Ages) {
  const WallTime now = WallTimeFromMillis(10'000'000);
  for (const auto& [text, ms] : {std::pair("10m", 600'000), {"2h", 7'200'000}, {"1d", 86'400'000}, {"250ms", 250}}) {
    const Result<TimeArgument> time = ParseTimeArgument(text);
    ASSERT_TRUE(time.ok()) << text;
    EXPECT_EQ(*time, (TimeArgument{true, ms})) << text;
    EXPECT_EQ(time->At(now), 10'000'000 - ms) << text;
  }
  EXPECT_EQ(ParseTimeArgument("5")->At(now), 5);
}

TEST(TimeArgument, WhatIsNone) {
  for (const char* text : {"", "x", "-1", "1.5", " 5", "5 ", "99999999999999999999", "now"}) {
    EXPECT_EQ(ParseTimeArgument(text).status().code(), StatusCode::kInvalidArgument) << text;
  }
  for (const char* text :
       {"2026-11-30", "2026-11-30T12:00:00", "2026-11-30 12:00:00Z", "2026-11-30t12:00:00z", "2026-11-30T12:00Z",
        "2026-11-30T12:00:00+00:00", "2026-11-30T12:00:00.Z", "2026-11-30T12:00:00.1234Z", "2026-11-30T12:00:00,5Z",
        "2026-13-01T00:00:00Z", "2026-02-29T00:00:00Z", "2026-11-31T00:00:00Z", "2026-11-30T24:00:00Z",
        "2026-11-30T12:60:00Z", "2026-11-30T12:00:60Z", "1969-12-31T23:59:59Z", "+026-11-30T12:00:00Z",
        "2026-11-30T12:00:00.-1Z", "2026-11-30T12:00:00ZZ", "-1d", "1w", "2h30m"}) {
    EXPECT_EQ(ParseTimeArgument(text).status().code(), StatusCode::kInvalidArgument) << text;
  }
}

}  // namespace
}  // namespace lakestream
