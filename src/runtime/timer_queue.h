#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/time.h"
#include "runtime/executor.h"

namespace lakestream::internal {

/// Timers in the order of (time, order of adding): a heap whose entries know their place, so that a cancelled
/// timer leaves at once. Nearly every wait adds a timer and cancels it; in steady state neither allocates.
/// Thread safety: none, the owner locks.
template <class T>
class TimerQueue {
 public:
  TimerId Add(MonotonicTime at, T value) {
    std::uint32_t slot = 0;
    if (free_.empty()) {
      slot = static_cast<std::uint32_t>(slots_.size());
      slots_.emplace_back();
    } else {
      slot = free_.back();
      free_.pop_back();
    }
    slots_[slot].value.emplace(std::move(value));
    heap_.push_back(Entry{at, next_sequence_++, slot});
    slots_[slot].place = heap_.size() - 1;
    SiftUp(heap_.size() - 1);
    return (std::uint64_t{slots_[slot].generation} << 32) | slot;
  }

  /// Takes the timer out; nothing when it is not inside any more.
  std::optional<T> Cancel(TimerId id) {
    const auto slot = static_cast<std::uint32_t>(id);
    if (slot >= slots_.size() || slots_[slot].generation != id >> 32 || !slots_[slot].value) return std::nullopt;
    return Take(slots_[slot].place);
  }

  bool empty() const { return heap_.empty(); }
  std::size_t size() const { return heap_.size(); }
  /// Requires: not empty.
  MonotonicTime NextTime() const { return heap_.front().at; }
  T PopNext() { return Take(0); }

  /// Takes out every timer that the predicate names, in the order of their slots.
  template <class P>
  std::vector<T> RemoveIf(P named) {
    std::vector<T> removed;
    for (Slot& slot : slots_) {
      if (slot.value && named(*slot.value)) removed.push_back(Take(slot.place));
    }
    return removed;
  }

  /// Gives every timer the time that `time_of` says.
  template <class F>
  void Reschedule(F time_of) {
    for (Entry& entry : heap_) entry.at = time_of(*slots_[entry.slot].value, entry.at);
    for (std::size_t i = heap_.size(); i-- > 0;) SiftDown(i);
  }

 private:
  struct Entry {
    MonotonicTime at;
    std::uint64_t sequence;
    std::uint32_t slot;
    bool Before(const Entry& other) const {
      return at != other.at ? at < other.at : sequence < other.sequence;
    }
  };
  struct Slot {
    std::optional<T> value;
    std::size_t place = 0;
    std::uint32_t generation = 1;  // an old id names nothing after its slot was used again
  };

  void Put(std::size_t place, const Entry& entry) {
    heap_[place] = entry;
    slots_[entry.slot].place = place;
  }

  void SiftUp(std::size_t place) {
    const Entry entry = heap_[place];
    while (place > 0 && entry.Before(heap_[(place - 1) / 2])) {
      Put(place, heap_[(place - 1) / 2]);
      place = (place - 1) / 2;
    }
    Put(place, entry);
  }

  void SiftDown(std::size_t place) {
    const Entry entry = heap_[place];
    while (true) {
      std::size_t child = 2 * place + 1;
      if (child >= heap_.size()) break;
      if (child + 1 < heap_.size() && heap_[child + 1].Before(heap_[child])) ++child;
      if (!heap_[child].Before(entry)) break;
      Put(place, heap_[child]);
      place = child;
    }
    Put(place, entry);
  }

  T Take(std::size_t place) {
    const std::uint32_t taken = heap_[place].slot;
    const Entry last = heap_.back();
    heap_.pop_back();
    if (place < heap_.size()) {
      Put(place, last);
      SiftDown(place);
      SiftUp(slots_[last.slot].place);
    }
    Slot& slot = slots_[taken];
    T value = std::move(*slot.value);
    slot.value.reset();
    ++slot.generation;
    free_.push_back(taken);
    return value;
  }

  std::vector<Entry> heap_;
  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_;
  std::uint64_t next_sequence_ = 0;
};

}  // namespace lakestream::internal
