#include "log/reader/cache_budget.h"

#include <utility>

namespace lakestream {

std::int64_t CacheBudget::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

std::int64_t CacheBudget::hits() const {
  const std::lock_guard lock(mutex_);
  return hits_;
}

CacheBudget::Slot CacheBudget::AddLocked(std::int64_t bytes, std::function<void()> drop) {
  items_.push_front(Item{bytes, std::move(drop)});
  bytes_ += bytes;
  return items_.begin();
}

void CacheBudget::ResizeLocked(Slot slot, std::int64_t bytes) {
  bytes_ += bytes - slot->bytes;
  slot->bytes = bytes;
}

void CacheBudget::ShrinkLocked() {
  while (bytes_ > limit_ && !items_.empty()) {
    const Item last = std::move(items_.back());
    items_.pop_back();
    bytes_ -= last.bytes;
    last.drop();
  }
}

}  // namespace lakestream
