#include "metrics/family_list.h"

#include <gtest/gtest.h>

#include <cmath>

namespace lakestream {
namespace {

using std::chrono::microseconds;
using std::chrono::seconds;

TEST(FamilyList, SamplesOfOneNameAreOneFamily) {
  FamilyList list;
  list.Counter("a_total", "what it is", 1, {{"x", "1"}});
  list.Counter("a_total", "", 2, {{"x", "2"}});
  list.Gauge("b", "another", 3);
  const std::vector<prometheus::MetricFamily> families = list.Take();
  ASSERT_EQ(families.size(), 2U);
  EXPECT_EQ(families[0].help, "what it is");
  EXPECT_EQ(families[0].type, prometheus::MetricType::Counter);
  ASSERT_EQ(families[0].metric.size(), 2U);
  EXPECT_EQ(families[0].metric[1].counter.value, 2);
  EXPECT_EQ(families[0].metric[1].label[0].value, "2");
  EXPECT_EQ(families[1].metric[0].gauge.value, 3);
}

TEST(FamilyList, BucketsOfDurationsCountAllThatIsShorter) {
  Histogram histogram;
  for (const Duration took : {Duration(microseconds(10)), Duration(microseconds(40)), Duration(seconds(1)),
                              Duration(seconds(100))}) {
    histogram.Record(took);
  }
  FamilyList list;
  list.Durations("a_seconds", "how long", histogram.Snapshot());
  const prometheus::ClientMetric::Histogram seen = list.Take()[0].metric[0].histogram;
  EXPECT_EQ(seen.sample_count, 4U);
  EXPECT_DOUBLE_EQ(seen.sample_sum, 101.00005);
  ASSERT_EQ(seen.bucket.size(), 21U);
  EXPECT_DOUBLE_EQ(seen.bucket[0].upper_bound, 32.768e-6);
  EXPECT_EQ(seen.bucket[0].cumulative_count, 1U);
  EXPECT_DOUBLE_EQ(seen.bucket[1].upper_bound, 65.536e-6);
  EXPECT_EQ(seen.bucket[1].cumulative_count, 2U);
  EXPECT_EQ(seen.bucket[14].cumulative_count, 2U) << "below 0.54 s";
  EXPECT_EQ(seen.bucket[15].cumulative_count, 3U) << "below 1.07 s";
  EXPECT_DOUBLE_EQ(seen.bucket[19].upper_bound, 17.179869184);
  EXPECT_EQ(seen.bucket[19].cumulative_count, 3U);
  EXPECT_EQ(seen.bucket[20].upper_bound, HUGE_VAL);
  EXPECT_EQ(seen.bucket[20].cumulative_count, 4U);
}

}  // namespace
}  // namespace lakestream
