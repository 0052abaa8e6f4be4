#include "model/collection.h"

#include <gtest/gtest.h>

#include <chrono>

namespace lakestream::model {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;

constexpr Duration kGrace = hours(24);
constexpr Duration kTick = milliseconds(1);

TEST(Collection, WhatBecomesOfAnObject) {
  constexpr bool kOurs = true;
  constexpr bool kNamed = true;
  const struct {
    const char* what;
    ObjectFacts facts;
    ObjectVerdict verdict;
  } cases[] = {
      {"of another name", {!kOurs, !kNamed, hours(9999), hours(9999)}, ObjectVerdict::kForeign},
      {"of another name, and named", {!kOurs, kNamed, hours(9999), hours(9999)}, ObjectVerdict::kForeign},
      {"named", {kOurs, kNamed, hours(9999), std::nullopt}, ObjectVerdict::kNamed},
      {"a candidate that is named again", {kOurs, kNamed, hours(9999), hours(9999)}, ObjectVerdict::kNamed},
      {"just written", {kOurs, !kNamed, Duration(0), std::nullopt}, ObjectVerdict::kYoung},
      {"written in the future", {kOurs, !kNamed, -hours(1), std::nullopt}, ObjectVerdict::kYoung},
      {"as old as the grace", {kOurs, !kNamed, kGrace, std::nullopt}, ObjectVerdict::kYoung},
      {"a little older", {kOurs, !kNamed, kGrace + kTick, std::nullopt}, ObjectVerdict::kCandidate},
      {"a candidate just now", {kOurs, !kNamed, kGrace + kTick, Duration(0)}, ObjectVerdict::kCandidate},
      {"a candidate for the grace", {kOurs, !kNamed, hours(9999), kGrace}, ObjectVerdict::kCandidate},
      {"and a little longer", {kOurs, !kNamed, hours(9999), kGrace + kTick}, ObjectVerdict::kGarbage},
      {"a candidate whose clock went back", {kOurs, !kNamed, -hours(1), kGrace + kTick}, ObjectVerdict::kYoung},
      {"old, and never a candidate", {kOurs, !kNamed, hours(9999), std::nullopt}, ObjectVerdict::kCandidate},
  };
  for (const auto& c : cases) EXPECT_EQ(ObjectVerdictName(JudgeObject(c.facts, kGrace)), ObjectVerdictName(c.verdict)) << c.what;
}

TEST(Collection, APassIsCompleteWhenNothingIsLacking) {
  for (int bits = 0; bits < 16; ++bits) {
    const PassFacts facts{(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0, (bits & 8) != 0};
    EXPECT_EQ(IsComplete(facts), bits == 15) << bits;
  }
}

TEST(Collection, ClocksAgreeWithinATenthOfTheGraceOrAnHour) {
  EXPECT_EQ(ClockTolerance(hours(24)), hours(1));
  EXPECT_EQ(ClockTolerance(hours(5)), minutes(30));
  EXPECT_EQ(ClockTolerance(milliseconds(100)), milliseconds(10));
  const WallTime now = WallTimeFromMillis(1'796'047'222'622);
  for (const Duration apart : {hours(1), -hours(1)}) {
    EXPECT_TRUE(ClocksAgree(now, now + apart, kGrace));
    EXPECT_FALSE(ClocksAgree(now, now + apart + (apart > Duration(0) ? kTick : -kTick), kGrace));
    EXPECT_FALSE(ClocksAgree(now, now + apart * 24 * 365, kGrace)) << "a year off";
  }
}

TEST(Collection, TheSmallerOfTwoClocksCounts) {
  const WallTime wall = WallTimeFromMillis(1'796'047'222'622);
  const BootTime boot{hours(5)};
  const PassMoment before{wall, boot};
  EXPECT_EQ(RanAhead(before, {wall + hours(2), boot + hours(2)}), Duration(0));
  EXPECT_EQ(RanAhead(before, {wall + hours(26), boot + hours(2)}), hours(24)) << "the wall clock was set forward";
  EXPECT_EQ(RanAhead(before, {wall, boot + hours(2)}), Duration(0)) << "it was set back: it shows less";
  EXPECT_EQ(RanAhead(before, {wall + hours(26), std::nullopt}), Duration(0)) << "another boot";
  EXPECT_EQ(RanAhead({wall, std::nullopt}, {wall + hours(26), boot}), Duration(0));
  EXPECT_EQ(Waited(wall, wall + kGrace), kGrace);
  EXPECT_LT(Waited(wall, wall - hours(1)), Duration(0));
}

TEST(Collection, FilesOfADroppedLogAreGarbageOnceItsIndexIsGone) {
  for (int bits = 0; bits < 16; ++bits) {
    const DroppedFacts facts{(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0, (bits & 8) != 0};
    EXPECT_EQ(MayMarkDropped(facts), bits == 1) << bits;
  }
}

}  // namespace
}  // namespace lakestream::model
