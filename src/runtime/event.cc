#include "runtime/event.h"

#include <utility>

#include "base/invariant.h"

namespace lakestream {

namespace internal {

void WaitNode::Finish(const std::shared_ptr<WaitNode>& self, Outcome outcome) {
  {
    const std::lock_guard lock(mutex_);
    if (outcome_ != Outcome::kNone) return;
    outcome_ = outcome;
    if (!armed_) return;
  }
  executor_.Post([self] {
    std::coroutine_handle<> handle;
    {
      const std::lock_guard lock(self->mutex_);
      handle = std::exchange(self->handle_, {});
    }
    if (handle) handle.resume();
  });
}

bool WaitNode::Arm() {
  const std::lock_guard lock(mutex_);
  armed_ = true;
  return outcome_ == Outcome::kNone;
}

void WaitNode::Abandon() {
  const std::lock_guard lock(mutex_);
  handle_ = {};
}

WaitNode::Outcome WaitNode::outcome() const {
  const std::lock_guard lock(mutex_);
  return outcome_;
}

}  // namespace internal

void Event::Set() {
  const std::shared_ptr<State> state = state_;
  Waiters waiters;
  {
    const std::lock_guard lock(state->mutex);
    if (state->set) return;
    state->set = true;
    waiters.swap(state->waiters);
  }
  for (const auto& node : waiters) node->Finish(node, internal::WaitNode::Outcome::kSet);
}

bool Event::IsSet() const { return state_->IsSet(); }

void Event::Awaiter::OnCancel::operator()() const {
  if (const auto held = node.lock()) held->Finish(held, internal::WaitNode::Outcome::kCancelled);
}

bool Event::Awaiter::Suspend(std::coroutine_handle<> handle) {
  // Held here: once armed, another thread may resume the coroutine and this frame may go.
  const auto node = std::make_shared<internal::WaitNode>(state_->executor);
  node->Prepare(handle);
  {
    const std::lock_guard lock(state_->mutex);
    if (state_->set) return false;
    place_ = state_->waiters.insert(state_->waiters.end(), node);
    node_ = node;
  }
  if (context_.deadline != MonotonicTime::max()) {
    timer_ = state_->executor.AddTimer(
        context_.deadline, [node] { node->Finish(node, internal::WaitNode::Outcome::kDeadline); });
  }
  if (context_.cancel.stop_possible()) on_cancel_.emplace(context_.cancel, OnCancel{node});
  return node->Arm();
}

Status Event::Awaiter::await_resume() {
  Detach();
  if (state_->IsSet()) return OkStatus();
  LS_INVARIANT(node_ != nullptr, "a wait ends by its event or by its node");
  if (node_->outcome() == internal::WaitNode::Outcome::kCancelled) {
    return Cancelled("the wait was cancelled");
  }
  return DeadlineExceeded("the wait's deadline has passed");
}

void Event::Awaiter::Detach() {
  on_cancel_.reset();
  if (timer_) state_->executor.CancelTimer(*std::exchange(timer_, std::nullopt));
  if (!node_) return;
  node_->Abandon();
  const std::lock_guard lock(state_->mutex);
  // A set event has let go of its whole list.
  if (!state_->set && place_ != state_->waiters.end()) {
    state_->waiters.erase(std::exchange(place_, state_->waiters.end()));
  }
}

Event::Awaiter::~Awaiter() { Detach(); }

}  // namespace lakestream
