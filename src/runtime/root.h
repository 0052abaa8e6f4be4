#pragma once

#include <coroutine>
#include <exception>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "lakestream/task.h"
#include "runtime/work.h"

namespace lakestream::internal {

class Root;

/// The roots that were started on its thread while it is there, so that a simulation can say what each waits for.
/// Thread safety: none; it is for a world of one thread.
class RootWatch {
 public:
  RootWatch() : outer_(std::exchange(current_, this)) {}
  RootWatch(const RootWatch&) = delete;
  RootWatch& operator=(const RootWatch&) = delete;
  ~RootWatch() { current_ = outer_; }

  /// Whom roots belong to that start from now on.
  void SetOwner(const void* owner) { owner_ = owner; }
  /// The places where the roots of an owner stand: "a.cc:1 > b.cc:2", from the outermost; sorted.
  std::vector<std::string> Describe(const void* owner) const;

 private:
  friend class Root;

  static thread_local RootWatch* current_;
  RootWatch* const outer_;
  const void* owner_ = nullptr;
  std::map<const Waiting*, const void*> roots_;  ///< with its owner
};

/// A coroutine that nobody awaits: it is started once, tells `on_end` when it has ended, and its owner
/// destroys it after that, or before, to abandon it.
class Root {
 public:
  struct promise_type : Waiting {
    Work on_end;
    RootWatch* watch = nullptr;
    ~promise_type() { Forget(); }
    void Forget() {
      if (watch != nullptr) watch->roots_.erase(this);
      watch = nullptr;
    }
    Root get_return_object() { return Root(std::coroutine_handle<promise_type>::from_promise(*this)); }
    std::suspend_always initial_suspend() const noexcept { return {}; }
    struct Final {
      bool await_ready() const noexcept { return false; }
      // The owner may destroy the frame while on_end runs, so nothing of the frame is touched after. Never
      // inlined: clang 16 may then keep on_end in the frame.
      [[gnu::noinline]] void await_suspend(std::coroutine_handle<promise_type> h) const noexcept {
        h.promise().Forget();
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
    promise_type& promise = handle_.promise();
    promise.on_end = std::move(on_end);
    promise.watch = RootWatch::current_;
    if (promise.watch != nullptr) promise.watch->roots_.emplace(&promise, promise.watch->owner_);
    handle_.resume();
  }

 private:
  std::coroutine_handle<promise_type> handle_;
};

inline Root MakeRoot(Task<void> task) { co_await task; }

}  // namespace lakestream::internal
