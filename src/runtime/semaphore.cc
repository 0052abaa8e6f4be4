#include "runtime/semaphore.h"

#include <list>
#include <mutex>

#include "base/invariant.h"
#include "base/try.h"

namespace lakestream {

struct AsyncSemaphore::State {
  State(Executor& e, std::int64_t permits) : executor(e), free(permits) {}

  void Release(std::int64_t count) {
    LS_INVARIANT(count >= 0, "permits are not taken by releasing");
    const std::lock_guard lock(mutex);
    free += count;
    GrantLocked();
  }
  void GrantLocked();

  Executor& executor;
  std::mutex mutex;
  std::int64_t free;
  std::list<Request*> waiting;
};

/// One request that had to wait. Lives in the frame that waits.
class AsyncSemaphore::Request {
 public:
  /// Enters the queue unless the permits are free.
  Request(std::shared_ptr<State> state, std::int64_t count)
      : state_(std::move(state)), count_(count), granted_(state_->executor) {
    const std::lock_guard lock(state_->mutex);
    place_ = state_->waiting.insert(state_->waiting.end(), this);
    state_->GrantLocked();
  }
  Request(const Request&) = delete;
  Request& operator=(const Request&) = delete;
  ~Request() {
    if (!Leave() && !taken_) state_->Release(count_);
  }

  Event& granted() { return granted_; }
  /// The caller has the permits now. Requires: granted.
  void Take() { taken_ = true; }
  /// Leaves the queue; false when the permits were granted before.
  bool Leave() {
    const std::lock_guard lock(state_->mutex);
    if (has_permits_) return false;
    if (place_ != state_->waiting.end()) {
      state_->waiting.erase(std::exchange(place_, state_->waiting.end()));
      // Who stands behind this one may be small enough.
      state_->GrantLocked();
    }
    return true;
  }

 private:
  friend struct State;
  const std::shared_ptr<State> state_;
  const std::int64_t count_;
  Event granted_;
  std::list<Request*>::iterator place_;
  bool has_permits_ = false;
  bool taken_ = false;
};

void AsyncSemaphore::State::GrantLocked() {
  while (!waiting.empty() && waiting.front()->count_ <= free) {
    Request& first = *waiting.front();
    waiting.pop_front();
    free -= first.count_;
    first.has_permits_ = true;
    // Under the lock: the request cannot go before its destructor has had it.
    first.granted_.Set();
  }
}

AsyncSemaphore::AsyncSemaphore(Runtime& runtime, std::int64_t permits)
    : state_(std::make_shared<State>(runtime.executor, permits)) {}

bool AsyncSemaphore::TryAcquire(std::int64_t count) {
  LS_INVARIANT(count >= 0, "permits are not given by acquiring");
  const std::lock_guard lock(state_->mutex);
  if (!state_->waiting.empty() || state_->free < count) return false;
  state_->free -= count;
  return true;
}

Task<Status> AsyncSemaphore::Acquire(OpContext context, std::int64_t count) {
  if (TryAcquire(count)) co_return OkStatus();
  Request request(state_, count);
  const Status granted = co_await request.granted().WaitFor(std::move(context));
  // A grant that came between the end of the wait and here counts.
  if (!granted.ok() && request.Leave()) co_return granted;
  request.Take();
  co_return OkStatus();
}

void AsyncSemaphore::Release(std::int64_t count) { state_->Release(count); }

AsyncMutex::Lock::~Lock() {
  if (held_) held_->Release(1);
}

Task<Result<AsyncMutex::Lock>> AsyncMutex::Acquire(OpContext context) {
  // Held here: the frame may be resumed after the mutex has gone.
  std::shared_ptr<AsyncSemaphore::State> state = permits_.state_;
  LS_CO_TRY(co_await permits_.Acquire(std::move(context), 1));
  co_return Lock(std::move(state));
}

}  // namespace lakestream
