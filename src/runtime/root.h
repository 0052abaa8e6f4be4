#pragma once

#include <coroutine>
#include <exception>
#include <utility>

#include "lakestream/task.h"
#include "runtime/work.h"

namespace lakestream::internal {

/// A coroutine that nobody awaits: it is started once, tells `on_end` when it has ended, and its owner
/// destroys it after that, or before, to abandon it.
class Root {
 public:
  struct promise_type {
    Work on_end;
    Root get_return_object() { return Root(std::coroutine_handle<promise_type>::from_promise(*this)); }
    std::suspend_always initial_suspend() const noexcept { return {}; }
    struct Final {
      bool await_ready() const noexcept { return false; }
      // The owner may destroy the frame while on_end runs, so nothing of the frame is touched after. Never
      // inlined: clang 16 may then keep on_end in the frame.
      [[gnu::noinline]] void await_suspend(std::coroutine_handle<promise_type> h) const noexcept {
        Work on_end = std::move(h.promise().on_end);
        on_end();
      }
      void await_resume() const noexcept {}
    };
    Final final_suspend() const noexcept { return {}; }
    void return_void() const noexcept {}
    void unhandled_exception() const noexcept { DieUnhandledException(); }
  };

  explicit Root(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
  Root(Root&& other) noexcept : handle_(std::exchange(other.handle_, {})) {}
  Root& operator=(Root&&) = delete;
  ~Root() {
    if (handle_) handle_.destroy();
  }
  /// Runs it on this thread until it first suspends.
  void Start(Work on_end) {
    handle_.promise().on_end = std::move(on_end);
    handle_.resume();
  }

 private:
  std::coroutine_handle<promise_type> handle_;
};

inline Root MakeRoot(Task<void> task) { co_await task; }

}  // namespace lakestream::internal
