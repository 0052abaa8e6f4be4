#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <stop_token>

#include "base/time.h"
#include "lakestream/status.h"

namespace lakestream {

/// How many retries one operation may still make, shared by everything done for it. Thread safety: any thread.
class RetryBudget {
 public:
  explicit RetryBudget(int retries) : left_(retries) {}
  /// Takes one retry; false when none is left.
  bool TryTake() {
    int left = left_.load();
    while (left > 0) {
      if (left_.compare_exchange_weak(left, left - 1)) return true;
    }
    return false;
  }

 private:
  std::atomic<int> left_;
};

/// Travels by value with every asynchronous call. A child's deadline is never later than its parent's.
struct OpContext {
  MonotonicTime deadline = MonotonicTime::max();
  std::stop_token cancel;
  std::shared_ptr<RetryBudget> retry_budget;  ///< none: no limit beyond the deadline
  std::uint64_t trace_id = 0;

  OpContext WithDeadline(MonotonicTime at) const {
    OpContext child = *this;
    child.deadline = std::min(deadline, at);
    return child;
  }
  /// The child is cancelled by this token alone: the parent's, where it has one, is the parent's own to follow.
  OpContext WithCancel(std::stop_token token) const {
    OpContext child = *this;
    child.cancel = std::move(token);
    return child;
  }
  /// ok, cancelled or deadline_exceeded.
  Status Check(MonotonicTime now) const {
    if (cancel.stop_requested()) return Cancelled("the operation was cancelled");
    if (now >= deadline) return DeadlineExceeded("the operation's deadline has passed");
    return OkStatus();
  }
};

}  // namespace lakestream
