#include "model/job_schedule.h"

#include <gtest/gtest.h>

namespace lakestream::model {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr double kAlmostOne = 0.999999;

JobPace Pace(Duration every) {
  JobPace pace;
  pace.every = every;
  return pace;
}

TEST(JobSchedule, TheFirstPassComesSoonButNotForAllAtOnce) {
  EXPECT_EQ(FirstPause(Pace(seconds(60)), 0), Duration::zero());
  EXPECT_EQ(FirstPause(Pace(seconds(60)), 0.5), milliseconds(500));
  EXPECT_LT(FirstPause(Pace(hours(24)), kAlmostOne), seconds(1));
  EXPECT_LT(FirstPause(Pace(milliseconds(100)), kAlmostOne), milliseconds(10));
}

TEST(JobSchedule, PassesDriftApart) {
  EXPECT_EQ(NextPause(Pace(seconds(10)), PassEnd::kDone, 0, 0), seconds(9));
  EXPECT_EQ(NextPause(Pace(seconds(10)), PassEnd::kDone, 0, 0.5), seconds(10));
  EXPECT_GT(NextPause(Pace(seconds(10)), PassEnd::kDone, 0, kAlmostOne), milliseconds(10'999));
  EXPECT_LE(NextPause(Pace(seconds(10)), PassEnd::kDone, 0, kAlmostOne), seconds(11));
}

TEST(JobSchedule, WhereThereIsMoreToDoNobodyWaits) {
  EXPECT_EQ(NextPause(Pace(hours(1)), PassEnd::kMore, 0, kAlmostOne), Duration::zero());
}

TEST(JobSchedule, FailuresAreRetriedSoonThenAsOftenAsPassesAreMade) {
  const JobPace pace = Pace(seconds(10));
  const Duration wanted[] = {seconds(1), seconds(2), seconds(4), seconds(8), seconds(10), seconds(10)};
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(NextPause(pace, PassEnd::kFailed, i + 1, 0), wanted[i] / 2) << i;
    EXPECT_GT(NextPause(pace, PassEnd::kFailed, i + 1, kAlmostOne), wanted[i] - milliseconds(1)) << i;
    EXPECT_LE(NextPause(pace, PassEnd::kFailed, i + 1, kAlmostOne), wanted[i]) << i;
  }
  EXPECT_EQ(NextPause(pace, PassEnd::kFailed, 1'000'000, 0), seconds(5));
  // Not even where passes are made more often than the first retry would come.
  EXPECT_LE(NextPause(Pace(milliseconds(200)), PassEnd::kFailed, 7, kAlmostOne), milliseconds(200));
}

}  // namespace
}  // namespace lakestream::model
