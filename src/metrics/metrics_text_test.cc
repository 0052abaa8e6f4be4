#include "metrics/metrics_text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace lakestream {
namespace {

TEST(MetricsText, TakesWhatPrometheusDocuments) {
  // The forms of the page "Exposition formats" of Prometheus.
  const Result<std::vector<MetricSample>> samples = ParseMetricsText(
      "# HELP http_requests_total The total number of HTTP requests.\n"
      "# TYPE http_requests_total counter\n"
      "http_requests_total{method=\"post\",code=\"200\"} 1027 1395066363000\n"
      "msdos_file_access_time_seconds{path=\"C:\\\\DIR\\\\FILE.TXT\",error=\"Cannot find file:\\n\\\"FILE.TXT\\\"\"} 1.458255915e9\n"
      "\n"
      "metric_without_timestamp_and_labels 12.47\n"
      "something_weird{problem=\"division by zero\"} +Inf -3982045\n"
      "  spaced { a = \"1\" , } \t NaN\n"
      "last -Inf");
  ASSERT_TRUE(samples.ok()) << samples.status().ToString();
  ASSERT_EQ(samples->size(), 6U);
  EXPECT_EQ((*samples)[0].name, "http_requests_total");
  EXPECT_EQ((*samples)[0].Label("code"), "200");
  EXPECT_EQ((*samples)[0].Label("nothing"), "");
  EXPECT_EQ((*samples)[0].value, 1027);
  EXPECT_EQ((*samples)[1].Label("path"), "C:\\DIR\\FILE.TXT");
  EXPECT_EQ((*samples)[1].Label("error"), "Cannot find file:\n\"FILE.TXT\"");
  EXPECT_EQ((*samples)[1].value, 1458255915);
  EXPECT_TRUE((*samples)[2].labels.empty());
  EXPECT_EQ((*samples)[3].value, std::numeric_limits<double>::infinity());
  EXPECT_EQ((*samples)[4].Label("a"), "1");
  EXPECT_TRUE(std::isnan((*samples)[4].value));
  EXPECT_EQ((*samples)[5].value, -std::numeric_limits<double>::infinity());
}

TEST(MetricsText, WhatIsNoneIsRefusedWithItsLine) {
  for (const char* wrong : {"<html>", "a", "a b", "a 1 b", "a 1 2 3", "a{x=\"1\" 2", "a{x=\"1\\t\"} 2", "a{x=1} 2", "a{=\"1\"} 2",
                            "a{x=\"1\"", "1a 2", "a{x=\"1\"y=\"2\"} 3", "a 1x", "a 0x10", "{} 1"}) {
    const Status status = ParseMetricsText(std::string("fine 1\n") + wrong + "\nfine 2\n").status();
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << wrong;
    EXPECT_NE(status.message().find("line=2"), std::string_view::npos) << status.message();
  }
  EXPECT_TRUE(ParseMetricsText("")->empty());
}

}  // namespace
}  // namespace lakestream
