#include "log/upkeep/job_loop.h"

#include <gtest/gtest.h>

#include <stop_token>
#include <utility>
#include <vector>

#include "base/logging.h"
#include "runtime/sim/sim_runtime.h"
#include "runtime/testing/co_test.h"

namespace lakestream {
namespace {

using model::PassEnd;
using std::chrono::seconds;

/// A job on a virtual clock whose passes end as the test says, and the last of which ends the job.
class Job {
 public:
  explicit Job(std::uint64_t seed = 1) : scheduler_(seed), began_(scheduler_.Now()) {
    SetLogSink(LogLevel::kWarning, [this](LogLevel, std::string_view line) { lines_.emplace_back(line); });
  }
  ~Job() { SetLogSink(LogLevel::kWarning, [](LogLevel, std::string_view) {}); }

  /// What Run gives, after these passes.
  Status Run(std::vector<Result<PassEnd>> ends, Duration each = Duration::zero()) {
    model::JobPace pace;
    pace.every = seconds(100);
    Runtime& runtime = scheduler_.runtime();
    const auto pass = [this, &runtime, &ends, each](OpContext context) {
      return Pass(runtime, std::move(context), &ends, each);
    };
    JobLoop loop(runtime, "testing", pace, pass);
    const Status status = scheduler_.Run(loop.Run(OpContext().WithCancel(stop_.get_token())));
    stats_ = loop.stats();
    return status;
  }

  const std::vector<MonotonicTime>& starts() const { return starts_; }
  Duration Between(std::size_t pass) const { return starts_[pass + 1] - starts_[pass]; }
  MonotonicTime began() const { return began_; }
  const JobStats& stats() const { return stats_; }
  const std::vector<std::string>& lines() const { return lines_; }
  MonotonicTime now() const { return scheduler_.Now(); }

 private:
  Task<Result<PassEnd>> Pass(Runtime& runtime, OpContext context, std::vector<Result<PassEnd>>* ends, Duration each) {
    const std::size_t number = starts_.size();
    starts_.push_back(runtime.Now());
    EXPECT_LT(number, ends->size());
    if (number + 1 == ends->size()) stop_.request_stop();
    const Status slept = co_await SleepFor(runtime, std::move(context), each);
    if (!slept.ok()) co_return slept;
    co_return (*ends)[number];
  }

  SimScheduler scheduler_;
  const MonotonicTime began_;
  std::stop_source stop_;
  std::vector<MonotonicTime> starts_;
  std::vector<std::string> lines_;
  JobStats stats_;
};

TEST(JobLoop, PassesFollowOneAnotherByTheSchedule) {
  Job job;
  EXPECT_TRUE(job.Run({PassEnd::kDone, PassEnd::kMore, PassEnd::kMore, PassEnd::kDone, PassEnd::kDone}).ok());
  ASSERT_EQ(job.starts().size(), 5U);
  EXPECT_LT(job.starts()[0] - job.began(), seconds(1));
  for (const std::size_t pass : {0, 3}) {
    EXPECT_GE(job.Between(pass), seconds(90));
    EXPECT_LE(job.Between(pass), seconds(110));
  }
  EXPECT_EQ(job.Between(1), Duration::zero());
  EXPECT_EQ(job.Between(2), Duration::zero());
  EXPECT_EQ(job.stats().failed, 0);
  EXPECT_TRUE(job.lines().empty());
}

TEST(JobLoop, TwoOfThemAreNotInStep) {
  Job one(1);
  Job two(2);
  const std::vector<Result<PassEnd>> ends(4, PassEnd::kDone);
  EXPECT_TRUE(one.Run(ends).ok());
  EXPECT_TRUE(two.Run(ends).ok());
  EXPECT_NE(one.starts()[0], two.starts()[0]);
  EXPECT_NE(one.Between(2), two.Between(2));
}

TEST(JobLoop, AFailureIsToldOfAndTriedAgainSoon) {
  Job job;
  const Status why = Unavailable("the disk is busy").With("disk", 7);
  EXPECT_TRUE(job.Run({PassEnd::kDone, why, why, PassEnd::kDone, why, PassEnd::kDone}).ok());
  EXPECT_LE(job.Between(1), seconds(1));
  EXPECT_GT(job.Between(2), seconds(1) - Duration(1));
  EXPECT_LE(job.Between(2), seconds(2));
  EXPECT_GE(job.Between(3), seconds(90));
  EXPECT_LE(job.Between(4), seconds(1));  // counted anew
  EXPECT_EQ(job.stats().failed, 3);
  ASSERT_EQ(job.lines().size(), 3U);
  EXPECT_EQ(job.lines()[1].find("a pass failed: unavailable: the disk is busy disk=7 job=testing failures_in_a_row=2"), 0U)
      << job.lines()[1];
  EXPECT_EQ(job.stats().last_success, job.starts()[3]);
}

TEST(JobLoop, APassIsCutShortAndThatIsNoFailure) {
  Job job;
  EXPECT_TRUE(job.Run({PassEnd::kDone}, seconds(1000)).ok());
  EXPECT_EQ(job.now(), job.starts()[0]);
  EXPECT_EQ(job.stats().failed, 0);
  EXPECT_EQ(job.stats().done.count(), 0);
}

TEST(JobLoop, AProcessThatMustNotGoOnEnds) {
  Job job;
  const Status status = job.Run({PassEnd::kDone, Fenced("the deployment was restored"), PassEnd::kDone});
  EXPECT_EQ(status.code(), StatusCode::kFenced);
  EXPECT_NE(status.message().find("job=testing"), std::string_view::npos) << status.message();
  EXPECT_EQ(job.starts().size(), 2U);
}

TEST(JobLoop, PassesAreMeasured) {
  Job job;
  EXPECT_TRUE(job.Run({PassEnd::kDone, PassEnd::kDone, PassEnd::kDone}, seconds(2)).ok());
  EXPECT_EQ(job.stats().done.count(), 2);  // the third was cut short
  EXPECT_EQ(job.stats().done.sum(), seconds(4));
  EXPECT_EQ(job.stats().last_success, job.starts()[1] + seconds(2));
}

}  // namespace
}  // namespace lakestream
