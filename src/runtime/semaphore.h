#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "runtime/runtime.h"

namespace lakestream {

/// Counted permits, granted in the order of asking: a large request is not overtaken by small ones. A frame
/// that is destroyed while it waits asks no more, and gives back what it was granted meanwhile.
/// Thread safety: any thread.
class AsyncSemaphore {
 public:
  AsyncSemaphore(Runtime& runtime, std::int64_t permits);
  AsyncSemaphore(const AsyncSemaphore&) = delete;
  AsyncSemaphore& operator=(const AsyncSemaphore&) = delete;

  /// Waits for `count` permits. On any status but ok none is held. A count that is never free at once waits
  /// for its deadline, and all later requests behind it.
  Task<Status> Acquire(OpContext context, std::int64_t count);
  /// Takes them only if that needs no waiting.
  bool TryAcquire(std::int64_t count);
  void Release(std::int64_t count);

 private:
  friend class AsyncMutex;
  struct State;
  class Request;
  std::shared_ptr<State> state_;
};

/// Mutual exclusion across co_await, granted in the order of asking. Unlock by letting the Lock go; a Lock may
/// outlive its mutex.
class AsyncMutex {
 public:
  class [[nodiscard]] Lock {
   public:
    Lock(Lock&& other) noexcept = default;
    Lock& operator=(Lock&&) = delete;
    ~Lock();

   private:
    friend class AsyncMutex;
    explicit Lock(std::shared_ptr<AsyncSemaphore::State> held) : held_(std::move(held)) {}
    std::shared_ptr<AsyncSemaphore::State> held_;
  };

  explicit AsyncMutex(Runtime& runtime) : permits_(runtime, 1) {}
  /// cancelled or deadline_exceeded when the lock was not granted in time.
  Task<Result<Lock>> Acquire(OpContext context);

 private:
  AsyncSemaphore permits_;
};

}  // namespace lakestream
