#pragma once

#include <cstdint>
#include <functional>
#include <list>
#include <mutex>

namespace lakestream {

/// One budget of bytes that several caches share: what was used longest ago goes first, whichever cache keeps it.
/// One mutex guards the budget and all that those caches keep; it is held for moments. Outlives the caches.
class CacheBudget {
 public:
  struct Item {
    std::int64_t bytes = 0;
    std::function<void()> drop;  ///< takes the item out of its cache; called with the mutex held
  };
  using Slot = std::list<Item>::iterator;

  /// `limit`: bytes, 0 or more.
  explicit CacheBudget(std::int64_t limit) : limit_(limit) {}

  std::mutex& mutex() { return mutex_; }
  std::int64_t limit() const { return limit_; }
  /// Bytes kept right now. Requires: the mutex is not held.
  std::int64_t bytes() const;
  /// How often something kept was used. Requires: the mutex is not held.
  std::int64_t hits() const;

  // The following require that the mutex is held.

  /// A new item, which counts as used now.
  Slot AddLocked(std::int64_t bytes, std::function<void()> drop);
  void TouchLocked(Slot slot) { items_.splice(items_.begin(), items_, slot); }
  void NoteHitLocked() { ++hits_; }
  void ResizeLocked(Slot slot, std::int64_t bytes);
  /// Drops items until the others fit the limit: all of them where the last one alone does not.
  void ShrinkLocked();

 private:
  const std::int64_t limit_;
  mutable std::mutex mutex_;
  std::list<Item> items_;  ///< used last first
  std::int64_t bytes_ = 0;
  std::int64_t hits_ = 0;
};

}  // namespace lakestream
