#include "base/histogram.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace lakestream {
namespace {

using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::milliseconds;

TEST(Histogram, NothingRecordedIsZero) {
  const HistogramSnapshot empty = Histogram().Snapshot();
  EXPECT_EQ(empty.count(), 0);
  EXPECT_EQ(empty.p50(), Duration::zero());
  EXPECT_EQ(empty.max(), Duration::zero());
}

TEST(Histogram, SmallValuesAreExact) {
  Histogram histogram;
  for (int i = 1; i <= 10; ++i) histogram.Record(Duration(i));
  const HistogramSnapshot seen = histogram.Snapshot();
  EXPECT_EQ(seen.count(), 10);
  EXPECT_EQ(seen.sum(), Duration(55));
  EXPECT_EQ(seen.p50(), Duration(5));
  EXPECT_EQ(seen.Quantile(0.91), Duration(10));
  EXPECT_EQ(seen.Quantile(0.0), Duration(1));
}

TEST(Histogram, QuantilesAreAtMostOneSixteenthTooLarge) {
  Histogram histogram;
  for (int i = 1; i <= 1000; ++i) histogram.Record(microseconds(i));
  const HistogramSnapshot seen = histogram.Snapshot();
  for (const int per_mille : {10, 250, 500, 900, 990}) {
    const Duration exact = microseconds(per_mille);
    const Duration got = seen.Quantile(per_mille / 1000.0);
    EXPECT_GE(got, exact);
    EXPECT_LE(got, exact + exact / 16);
  }
  EXPECT_EQ(seen.max(), Duration(microseconds(1000)));
  EXPECT_EQ(seen.Quantile(1.0), Duration(microseconds(1000)));
}

TEST(Histogram, ExtremesStayInRange) {
  Histogram histogram;
  histogram.Record(Duration(-5));
  histogram.Record(Duration::max() / 2);
  histogram.Record(hours(1));
  const HistogramSnapshot seen = histogram.Snapshot();
  EXPECT_EQ(seen.count(), 3);
  EXPECT_EQ(seen.max(), Duration::max() / 2);
  EXPECT_EQ(seen.p50(), Duration::max() / 2);
  EXPECT_EQ(seen.Quantile(0.1), Duration::zero());
}

TEST(Histogram, MergeAddsUp) {
  Histogram a;
  Histogram b;
  for (int i = 0; i < 99; ++i) a.Record(milliseconds(1));
  b.Record(milliseconds(100));
  HistogramSnapshot sum = a.Snapshot();
  sum.Merge(b.Snapshot());
  EXPECT_EQ(sum.count(), 100);
  EXPECT_LT(sum.p99(), Duration(milliseconds(2)));
  EXPECT_EQ(sum.Quantile(1.0), Duration(milliseconds(100)));
}

TEST(Histogram, CountsWhatIsBelowAPowerOfTwo) {
  Histogram histogram;
  for (const std::int64_t nanos : {0, 15, 16, 1023, 1024, 1025}) histogram.Record(Duration(nanos));
  histogram.Record(std::chrono::hours(1));
  const HistogramSnapshot seen = histogram.Snapshot();
  EXPECT_EQ(seen.CountBelow(4), 2);
  EXPECT_EQ(seen.CountBelow(5), 3);
  EXPECT_EQ(seen.CountBelow(10), 4);
  EXPECT_EQ(seen.CountBelow(11), 6);
  EXPECT_EQ(seen.CountBelow(HistogramSnapshot::kMaxPower), 6);
}

TEST(Histogram, ThreadsLoseNothing) {
  Histogram histogram;
  std::vector<std::thread> threads;
  for (int t = 1; t <= 4; ++t) {
    threads.emplace_back([&histogram, t] {
      for (int i = 0; i < 10'000; ++i) histogram.Record(microseconds(t));
    });
  }
  for (std::thread& thread : threads) thread.join();
  const HistogramSnapshot seen = histogram.Snapshot();
  EXPECT_EQ(seen.count(), 40'000);
  EXPECT_EQ(seen.sum(), Duration(microseconds(100'000)));
  EXPECT_EQ(seen.max(), Duration(microseconds(4)));
}

}  // namespace
}  // namespace lakestream
