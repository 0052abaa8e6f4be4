#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <type_traits>

#include "runtime/root.h"
#include "runtime/runtime.h"

namespace lakestream {

namespace internal {
template <class T>
Task<void> RunInto(Task<T> task, std::optional<T>* slot) {
  slot->emplace(co_await task);
}
}  // namespace internal

/// Blocks this thread until the task has ended: the way from main() and tests into coroutines.
/// Requires: this is not a thread of the runtime.
template <class T>
T Wait(Task<T> task) {
  struct Done {
    std::mutex mutex;
    std::condition_variable wake;
    bool ended = false;
  } done;
  using Slot = std::conditional_t<std::is_void_v<T>, char, T>;
  std::optional<Slot> slot;
  auto root = [&] {
    if constexpr (std::is_void_v<T>) {
      return internal::MakeRoot(std::move(task));
    } else {
      return internal::MakeRoot(internal::RunInto(std::move(task), &slot));
    }
  }();
  root.Start([&done] {
    // Told under the lock: as soon as it is free, the waiting thread may take `done` away.
    const std::lock_guard lock(done.mutex);
    done.ended = true;
    done.wake.notify_one();
  });
  std::unique_lock lock(done.mutex);
  done.wake.wait(lock, [&done] { return done.ended; });
  if constexpr (!std::is_void_v<T>) return std::move(*slot);
}

}  // namespace lakestream
