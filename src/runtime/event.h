#pragma once

#include <coroutine>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <source_location>
#include <stop_token>

#include "lakestream/status.h"
#include "lakestream/task.h"
#include "runtime/executor.h"
#include "runtime/op_context.h"

namespace lakestream {

namespace internal {

/// One coroutine that waits for one of several things; the first of them resumes it, once, by way of the
/// executor. Outlives the coroutine's frame, so that a late comer finds nothing to resume.
class WaitNode {
 public:
  enum class Outcome { kNone, kSet, kDeadline, kCancelled };

  explicit WaitNode(Executor& executor) : executor_(executor) {}
  void Prepare(std::coroutine_handle<> handle) { handle_ = handle; }
  void Finish(const std::shared_ptr<WaitNode>& self, Outcome outcome);
  /// Ends the preparation; false when an outcome is already there and the coroutine must not suspend.
  bool Arm();
  /// The frame is gone: resume nothing from now on.
  void Abandon();
  Outcome outcome() const;

 private:
  Executor& executor_;
  mutable std::mutex mutex_;
  std::coroutine_handle<> handle_;
  bool armed_ = false;
  Outcome outcome_ = Outcome::kNone;
};

}  // namespace internal

/// Happens once; any number of coroutines wait for it. Thread safety: any thread. A coroutine that waits
/// resumes by way of the executor, never inside Set. Destroying the event wakes nobody; who waits then still
/// ends by deadline or cancellation. The event may go as soon as it is seen to be set, also while the thread
/// that sets it is still inside Set. A frame that waits may be destroyed (which ends the wait) only where no
/// other thread can resume it meanwhile: on the simulator, or once nothing can set the event any more.
class Event {
 public:
  explicit Event(Executor& executor) : state_(std::make_shared<State>(executor)) {}
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  void Set();
  bool IsSet() const;

 private:
  using Waiters = std::list<std::shared_ptr<internal::WaitNode>>;
  struct State {
    explicit State(Executor& e) : executor(e) {}
    Executor& executor;
    mutable std::mutex mutex;
    bool set = false;
    Waiters waiters;

    bool IsSet() const {
      const std::lock_guard lock(mutex);
      return set;
    }
  };

 public:
  class Awaiter {
   public:
    Awaiter(std::shared_ptr<State> state, OpContext context)
        : state_(std::move(state)), context_(std::move(context)) {}
    Awaiter(const Awaiter&) = delete;
    Awaiter& operator=(const Awaiter&) = delete;
    ~Awaiter();
    bool await_ready() const { return state_->IsSet(); }
    // Never inlined: clang 16 may then keep its locals in a frame that is gone (docs/adr/0002).
    template <class Promise>
    [[gnu::noinline]] bool await_suspend(std::coroutine_handle<Promise> handle,
                                         std::source_location where = std::source_location::current()) {
      internal::NoteWait(handle, nullptr, where);
      return Suspend(handle);
    }
    /// ok when the event has happened; else cancelled or deadline_exceeded.
    Status await_resume();

   private:
    struct OnCancel {
      std::weak_ptr<internal::WaitNode> node;
      void operator()() const;
    };
    bool Suspend(std::coroutine_handle<> handle);
    void Detach();

    std::shared_ptr<State> state_;
    OpContext context_;
    std::shared_ptr<internal::WaitNode> node_;
    Waiters::iterator place_;  ///< valid while node_ is there and the event is not set
    std::optional<TimerId> timer_;
    std::optional<std::stop_callback<OnCancel>> on_cancel_;
  };

  /// For a wait that ends only when the event has happened.
  class SureAwaiter : public Awaiter {
   public:
    using Awaiter::Awaiter;
    void await_resume() { (void)Awaiter::await_resume(); }
  };

  /// co_await event.WaitFor(context) gives a Status.
  Awaiter WaitFor(OpContext context) { return Awaiter(state_, std::move(context)); }
  /// co_await event.Wait() returns when the event has happened, whatever it takes.
  SureAwaiter Wait() { return SureAwaiter(state_, OpContext()); }

 private:
  std::shared_ptr<State> state_;
};

/// One value that one side sets and others wait for: copies share it. Thread safety: any thread.
template <class T>
class Future {
 public:
  explicit Future(Executor& executor) : shared_(std::make_shared<Shared>(executor)) {}

  /// Requires: not set before.
  void Set(T value) const {
    // Held here: who waits may let the last copy of this future go before Set has returned.
    const std::shared_ptr<Shared> shared = shared_;
    shared->value.emplace(std::move(value));
    shared->done.Set();
  }
  bool IsSet() const { return shared_->done.IsSet(); }
  /// co_await future.Ready(context): ok when the value is there; else cancelled or deadline_exceeded.
  Event::Awaiter Ready(OpContext context) const { return shared_->done.WaitFor(std::move(context)); }
  /// co_await future.Ready() returns when the value is there, whatever it takes.
  Event::SureAwaiter Ready() const { return shared_->done.Wait(); }
  /// Requires: IsSet().
  T& value() const { return *shared_->value; }

 private:
  struct Shared {
    explicit Shared(Executor& executor) : done(executor) {}
    Event done;
    std::optional<T> value;
  };
  std::shared_ptr<Shared> shared_;
};

}  // namespace lakestream
