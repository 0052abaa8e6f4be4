#include "meta/lmdb/change_hub.h"

#include "meta/shard.h"

namespace lakestream {

int ChangeHub::SlotOf(const Partition& partition) { return ShardOf(partition, kSlots); }

std::uint64_t ChangeHub::Hint(int slot) const {
  const std::lock_guard lock(mutex_);
  return slots_[static_cast<std::size_t>(slot)].changes;
}

std::shared_ptr<Event> ChangeHub::Watch(int slot, std::uint64_t seen) {
  const std::lock_guard lock(mutex_);
  Slot& here = slots_[static_cast<std::size_t>(slot)];
  if (here.changes != seen) return nullptr;
  if (!here.next) here.next = std::make_shared<Event>(executor_);
  return here.next;
}

void ChangeHub::Touch(const std::vector<int>& slots) {
  std::vector<std::shared_ptr<Event>> wake;
  {
    const std::lock_guard lock(mutex_);
    for (const int slot : slots) {
      Slot& here = slots_[static_cast<std::size_t>(slot)];
      ++here.changes;
      if (here.next) wake.push_back(std::move(here.next));
      here.next = nullptr;
    }
  }
  for (const std::shared_ptr<Event>& event : wake) event->Set();
}

void ChangeHub::TouchAll() {
  std::vector<int> all(kSlots);
  for (int i = 0; i < kSlots; ++i) all[static_cast<std::size_t>(i)] = i;
  Touch(all);
}

}  // namespace lakestream
