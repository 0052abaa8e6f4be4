#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "base/time.h"

namespace lakestream {

/// What a Histogram had seen when it was asked. A value.
class HistogramSnapshot {
 public:
  /// Durations below 2^(kMaxPower + 1) ns, about 18 minutes, have buckets; longer ones are in the last.
  static constexpr int kMaxPower = 39;
  static constexpr int kSubBuckets = 16;
  static constexpr std::size_t kBuckets = (kMaxPower - 3 + 1) * kSubBuckets;

  std::int64_t count() const { return count_; }
  Duration sum() const { return Duration(sum_); }
  Duration max() const { return Duration(max_); }
  /// The smallest bucket bound that at least `fraction` (0 to 1) of the durations do not exceed: at most
  /// 1/16 too large, and never above max(). Zero where nothing was recorded.
  Duration Quantile(double fraction) const;
  /// Durations below 2^power ns. `power`: from 4 to kMaxPower + 1.
  std::int64_t CountBelow(int power) const;
  Duration p50() const { return Quantile(0.50); }
  Duration p99() const { return Quantile(0.99); }
  void Merge(const HistogramSnapshot& other);

 private:
  friend class Histogram;
  std::int64_t count_ = 0;
  std::int64_t sum_ = 0;
  std::int64_t max_ = 0;
  std::array<std::int64_t, kBuckets> buckets_{};
};

/// Counts durations in buckets that are at most 1/16 of their value wide. Thread safety: any thread; a
/// snapshot taken meanwhile may lack what is being recorded.
class Histogram {
 public:
  /// A negative duration counts as zero.
  void Record(Duration duration);
  HistogramSnapshot Snapshot() const;

 private:
  std::atomic<std::int64_t> sum_{0};
  std::atomic<std::int64_t> max_{0};
  std::array<std::atomic<std::int64_t>, HistogramSnapshot::kBuckets> buckets_{};
};

}  // namespace lakestream
