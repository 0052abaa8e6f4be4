#include "metrics/family_list.h"

#include <cmath>

namespace lakestream {
namespace {

// Powers of two, in nanoseconds: so the buckets are sums of whole buckets of the histogram.
constexpr int kFirstPower = 15;
constexpr int kLastPower = 34;

double Seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }

}  // namespace

prometheus::ClientMetric& FamilyList::Add(const std::string& name, const char* help, prometheus::MetricType type,
                                          Labels labels) {
  if (families_.empty() || families_.back().name != name) {
    prometheus::MetricFamily& family = families_.emplace_back();
    family.name = name;
    family.help = help;
    family.type = type;
  }
  prometheus::ClientMetric& metric = families_.back().metric.emplace_back();
  metric.label = std::move(labels);
  return metric;
}

void FamilyList::Counter(const std::string& name, const char* help, double value, Labels labels) {
  Add(name, help, prometheus::MetricType::Counter, std::move(labels)).counter.value = value;
}

void FamilyList::Gauge(const std::string& name, const char* help, double value, Labels labels) {
  Add(name, help, prometheus::MetricType::Gauge, std::move(labels)).gauge.value = value;
}

void FamilyList::Durations(const std::string& name, const char* help, const HistogramSnapshot& seen, Labels labels) {
  prometheus::ClientMetric::Histogram& to = Add(name, help, prometheus::MetricType::Histogram, std::move(labels)).histogram;
  to.sample_count = static_cast<std::uint64_t>(seen.count());
  to.sample_sum = Seconds(seen.sum());
  for (int power = kFirstPower; power <= kLastPower; ++power) {
    const double bound = std::ldexp(1e-9, power);
    to.bucket.push_back({static_cast<std::uint64_t>(seen.CountBelow(power)), bound});
  }
  to.bucket.push_back({to.sample_count, HUGE_VAL});
}

}  // namespace lakestream
