#pragma once

#include "base/time.h"

namespace lakestream {

/// The three clocks (DESIGN: age is judged by the larger of boottime and wall clock, lateness in a pass by
/// the smaller of the two that apply). Thread safety: any thread.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual WallTime Wall() const = 0;
  virtual MonotonicTime Monotonic() const = 0;
  virtual BootTime Boot() const = 0;
};

}  // namespace lakestream
