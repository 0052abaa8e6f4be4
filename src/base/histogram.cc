#include "base/histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

namespace lakestream {
namespace {

constexpr int kSubBits = 4;
static_assert((1 << kSubBits) == HistogramSnapshot::kSubBuckets);

// Values below 16 have a bucket each; above, each power of two has 16.
std::size_t BucketOf(std::int64_t nanos) {
  const auto value = static_cast<std::uint64_t>(nanos);
  if (value < HistogramSnapshot::kSubBuckets) return static_cast<std::size_t>(value);
  const int power = std::bit_width(value) - 1;
  if (power > HistogramSnapshot::kMaxPower) return HistogramSnapshot::kBuckets - 1;
  const std::uint64_t sub = (value >> (power - kSubBits)) - HistogramSnapshot::kSubBuckets;
  return static_cast<std::size_t>(power - kSubBits + 1) * HistogramSnapshot::kSubBuckets + sub;
}

std::int64_t UpperBound(std::size_t bucket) {
  if (bucket < HistogramSnapshot::kSubBuckets) return static_cast<std::int64_t>(bucket);
  const int shift = static_cast<int>(bucket / HistogramSnapshot::kSubBuckets) - 1;
  const std::int64_t sub = static_cast<std::int64_t>(bucket % HistogramSnapshot::kSubBuckets);
  return ((HistogramSnapshot::kSubBuckets + sub + 1) << shift) - 1;
}

}  // namespace

Duration HistogramSnapshot::Quantile(double fraction) const {
  if (count_ == 0) return Duration::zero();
  const double share = std::clamp(fraction, 0.0, 1.0);
  const auto wanted = std::max<std::int64_t>(1, std::llround(std::ceil(share * static_cast<double>(count_))));
  std::int64_t seen = 0;
  for (std::size_t i = 0; i + 1 < kBuckets; ++i) {
    seen += buckets_[i];
    if (seen >= wanted) return Duration(std::min(UpperBound(i), max_));
  }
  return Duration(max_);
}

std::int64_t HistogramSnapshot::CountBelow(int power) const {
  const auto buckets = static_cast<std::ptrdiff_t>(power - kSubBits + 1) * kSubBuckets;
  return std::accumulate(buckets_.begin(), buckets_.begin() + buckets, std::int64_t{0});
}

void HistogramSnapshot::Merge(const HistogramSnapshot& other) {
  count_ += other.count_;
  sum_ += other.sum_;
  max_ = std::max(max_, other.max_);
  for (std::size_t i = 0; i < kBuckets; ++i) buckets_[i] += other.buckets_[i];
}

void Histogram::Record(Duration duration) {
  const std::int64_t nanos = std::max<std::int64_t>(0, duration.count());
  std::int64_t max = max_.load(std::memory_order_relaxed);
  while (nanos > max && !max_.compare_exchange_weak(max, nanos, std::memory_order_relaxed)) {
  }
  sum_.fetch_add(nanos, std::memory_order_relaxed);
  buckets_[BucketOf(nanos)].fetch_add(1, std::memory_order_relaxed);
}

HistogramSnapshot Histogram::Snapshot() const {
  HistogramSnapshot snapshot;
  for (std::size_t i = 0; i < HistogramSnapshot::kBuckets; ++i) {
    snapshot.buckets_[i] = buckets_[i].load(std::memory_order_relaxed);
    snapshot.count_ += snapshot.buckets_[i];
  }
  snapshot.sum_ = sum_.load(std::memory_order_relaxed);
  snapshot.max_ = max_.load(std::memory_order_relaxed);
  return snapshot;
}

}  // namespace lakestream
