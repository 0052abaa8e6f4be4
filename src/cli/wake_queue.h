#pragma once

#include <mutex>
#include <utility>
#include <vector>

#include "cli/wake_fd.h"

namespace lakestream {

/// Carries what the runtime's threads finish to the command's own thread, which waits in poll() for this and
/// for its input. Thread safety: Push from any thread, the rest from one. Pushing is the last thing that a
/// pusher does to the queue: it may go as soon as the item was taken.
template <class T>
class WakeQueue {
 public:
  void Push(T item) {
    const std::lock_guard lock(mutex_);
    items_.push_back(std::move(item));
    if (items_.size() == 1) wake_.Signal();
  }
  /// Appends what is there to `out`.
  void TakeAll(std::vector<T>* out) {
    const std::lock_guard lock(mutex_);
    if (items_.empty()) return;
    wake_.Clear();
    for (T& item : items_) out->push_back(std::move(item));
    items_.clear();
  }
  /// Readable while something is there.
  int fd() const { return wake_.fd(); }

 private:
  std::mutex mutex_;
  std::vector<T> items_;
  WakeFd wake_;
};

}  // namespace lakestream
