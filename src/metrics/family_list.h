#pragma once

#include <prometheus/metric_family.h>

#include <string>
#include <utility>
#include <vector>

#include "base/histogram.h"

namespace lakestream {

/// What one scrape answers, in the making. Calls with the same name follow each other.
class FamilyList {
 public:
  using Labels = std::vector<prometheus::ClientMetric::Label>;

  /// What only grows. `name` ends in _total.
  void Counter(const std::string& name, const char* help, double value, Labels labels = Labels());
  void Gauge(const std::string& name, const char* help, double value, Labels labels = Labels());
  /// `name` ends in _seconds. Buckets from 32 us to 17 s, each twice as wide as the one before.
  void Durations(const std::string& name, const char* help, const HistogramSnapshot& seen, Labels labels = Labels());

  std::vector<prometheus::MetricFamily> Take() { return std::move(families_); }

 private:
  prometheus::ClientMetric& Add(const std::string& name, const char* help, prometheus::MetricType type, Labels labels);

  std::vector<prometheus::MetricFamily> families_;
};

}  // namespace lakestream
