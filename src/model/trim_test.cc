#include "model/trim.h"

#include <gtest/gtest.h>

#include <limits>

namespace lakestream::model {
namespace {

TEST(DecideTrim, TrimsThroughTheOffset) {
  const TrimDecision decision = DecideTrim(Offset(0), Offset(100), Offset(9));
  EXPECT_EQ(decision.marker, Offset(10));
  EXPECT_TRUE(decision.write);
  EXPECT_FALSE(decision.capped);
}

TEST(DecideTrim, KeepsTheLastRecord) {
  for (const std::int64_t through :
       {std::int64_t{100}, std::int64_t{5000}, std::numeric_limits<std::int64_t>::max()}) {
    const TrimDecision decision = DecideTrim(Offset(7), Offset(100), Offset(through));
    EXPECT_EQ(decision.marker, Offset(100));
    EXPECT_TRUE(decision.write);
    EXPECT_TRUE(decision.capped);
  }
  const TrimDecision just_below = DecideTrim(Offset(7), Offset(100), Offset(99));
  EXPECT_EQ(just_below.marker, Offset(100));
  EXPECT_FALSE(just_below.capped);
}

TEST(DecideTrim, NeverGoesBack) {
  const TrimDecision decision = DecideTrim(Offset(50), Offset(100), Offset(9));
  EXPECT_EQ(decision.marker, Offset(50));
  EXPECT_FALSE(decision.write);
  EXPECT_FALSE(DecideTrim(Offset(10), Offset(100), Offset(9)).write);
  EXPECT_TRUE(DecideTrim(Offset(10), Offset(100), Offset(10)).write);
}

TEST(DecideTrim, ALogOfOneRecordKeepsEverything) {
  const TrimDecision decision = DecideTrim(Offset(0), Offset(0), Offset(3));
  EXPECT_EQ(decision.marker, Offset(0));
  EXPECT_FALSE(decision.write);
  EXPECT_TRUE(decision.capped);
}

TEST(DecideTrim, AnEmptyLogChangesNothing) {
  const TrimDecision decision = DecideTrim(Offset(5), std::nullopt, Offset(9));
  EXPECT_EQ(decision.marker, Offset(5));
  EXPECT_FALSE(decision.write);
  EXPECT_FALSE(decision.capped);
}

TEST(HardTrimLimit, StopsAtMarkerAndLastRecord) {
  EXPECT_EQ(HardTrimLimit(Offset(10), Offset(20), Offset(30)), Offset(10));
  EXPECT_EQ(HardTrimLimit(Offset(25), Offset(20), Offset(30)), Offset(20));
  // A marker beyond the last record is a flaw, and no reason to lose it.
  EXPECT_EQ(HardTrimLimit(Offset(50), Offset(40), Offset(30)), Offset(30));
  EXPECT_EQ(HardTrimLimit(Offset(50), Offset(40), std::nullopt), Offset(0));
  EXPECT_EQ(HardTrimLimit(Offset(50), Offset(0), Offset(30)), Offset(0));
}

}  // namespace
}  // namespace lakestream::model
