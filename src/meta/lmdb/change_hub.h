#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "meta/metadata_store.h"
#include "runtime/event.h"

namespace lakestream {

/// Counts changes by partition and wakes those who wait for one. Partitions share a fixed number of counters.
/// Thread safety: any thread.
class ChangeHub {
 public:
  static constexpr int kSlots = 1024;

  explicit ChangeHub(Executor& executor) : executor_(executor) {}

  static int SlotOf(const Partition& partition);

  std::uint64_t Hint(int slot) const;
  /// An event that is set at the slot's next change; none where the hint differs from `seen`.
  std::shared_ptr<Event> Watch(int slot, std::uint64_t seen);

  void Touch(const std::vector<int>& slots);
  void TouchAll();

 private:
  struct Slot {
    std::uint64_t changes = 0;
    std::shared_ptr<Event> next;
  };

  Executor& executor_;
  mutable std::mutex mutex_;
  std::array<Slot, kSlots> slots_;
};

}  // namespace lakestream
