#include "runtime/gate.h"

#include <cstdint>
#include <map>
#include <mutex>

#include "base/invariant.h"
#include "runtime/root.h"

namespace lakestream {

struct Gate::State {
  explicit State(Runtime& r) : runtime(r), empty(r.executor) {}
  Runtime& runtime;
  mutable std::mutex mutex;
  bool closing = false;
  std::uint64_t next = 0;
  /// Tasks let in whose frames are not destroyed yet: Close waits for the frames too, because a frame's
  /// parameters go with it and may refer to the object that closes.
  std::uint64_t live = 0;
  std::map<std::uint64_t, internal::Root> inside;
  Event empty;
};

Gate::Gate(Runtime& runtime) : state_(std::make_shared<State>(runtime)) {}

Gate::~Gate() {
  // The frames go before the rest of the state and outside the lock: a frame may hold what refers to it.
  std::map<std::uint64_t, internal::Root> inside;
  {
    const std::lock_guard lock(state_->mutex);
    state_->closing = true;
    inside.swap(state_->inside);
  }
  LS_INVARIANT(inside.empty() || state_->runtime.executor.AllowsAbandonedFrames(),
               "an object with tasks under way was destroyed: call its Stop first");
}

bool Gate::Spawn(Task<void> task) {
  const std::shared_ptr<State> state = state_;
  std::uint64_t id = 0;
  {
    const std::lock_guard lock(state->mutex);
    if (state->closing) return false;
    id = state->next++;
    ++state->live;
    state->inside.emplace(id, internal::MakeRoot(std::move(task)));
  }
  std::weak_ptr<State> weak = state;
  auto reap = [weak, id] {
    const std::shared_ptr<State> held = weak.lock();
    if (!held) return;
    {
      std::map<std::uint64_t, internal::Root>::node_type ended;
      const std::lock_guard lock(held->mutex);
      ended = held->inside.extract(id);
    }
    bool last = false;
    {
      const std::lock_guard lock(held->mutex);
      --held->live;
      last = held->closing && held->live == 0;
    }
    if (last) held->empty.Set();
  };
  state->runtime.executor.Post([weak, id, reap] {
    const std::shared_ptr<State> held = weak.lock();
    if (!held) return;
    internal::Root* root = nullptr;
    {
      const std::lock_guard lock(held->mutex);
      const auto found = held->inside.find(id);
      if (found == held->inside.end()) return;
      root = &found->second;
    }
    Executor& executor = held->runtime.executor;
    root->Start([&executor, reap] { executor.Post(reap); });
  });
  return true;
}

bool Gate::closing() const {
  const std::lock_guard lock(state_->mutex);
  return state_->closing;
}

Task<void> Gate::Close() {
  const std::shared_ptr<State> state = state_;
  bool last = false;
  {
    const std::lock_guard lock(state->mutex);
    state->closing = true;
    last = state->live == 0;
  }
  if (last) state->empty.Set();
  co_await state->empty.Wait();
}

}  // namespace lakestream
