#pragma once

#include <concepts>
#include <coroutine>
#include <optional>
#include <source_location>
#include <type_traits>
#include <utility>

namespace lakestream {

template <class T>
class Task;

namespace internal {

[[noreturn]] void DieUnhandledException();

struct TaskFinalAwaiter {
  bool await_ready() const noexcept { return false; }
  template <class Promise>
  std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> h) const noexcept {
    const std::coroutine_handle<> next = h.promise().continuation;
    return next ? next : std::noop_coroutine();
  }
  void await_resume() const noexcept {}
};

/// What a coroutine waited for when it was last suspended: so that one that never goes on can be explained.
struct Waiting {
  const Waiting* task = nullptr;  ///< none: it waits for something that is no task
  std::source_location where;
};

/// Requires: called before anything can resume the coroutine.
template <class Promise>
void NoteWait(std::coroutine_handle<Promise> awaiting, const Waiting* task, std::source_location where) noexcept {
  if constexpr (std::derived_from<Promise, Waiting>) {
    awaiting.promise().task = task;
    awaiting.promise().where = where;
  }
}

struct TaskPromiseBase : Waiting {
  std::coroutine_handle<> continuation;
  std::suspend_always initial_suspend() const noexcept { return {}; }
  TaskFinalAwaiter final_suspend() const noexcept { return {}; }
  void unhandled_exception() const noexcept { DieUnhandledException(); }
};

template <class T>
struct TaskPromise : TaskPromiseBase {
  std::optional<T> value;
  Task<T> get_return_object();
  template <class U>
  void return_value(U&& v) {
    value.emplace(std::forward<U>(v));
  }
  T Take() { return std::move(*value); }
};

template <>
struct TaskPromise<void> : TaskPromiseBase {
  Task<void> get_return_object();
  void return_void() const noexcept {}
  void Take() const noexcept {}
};

}  // namespace internal

/// A lazy coroutine: it runs when it is awaited, on the thread that awaits it, and resumes its awaiter
/// where it ends (symmetric transfer). Move-only. Destroying a task that has not ended destroys its frame
/// and everything the frame holds, whatever it waits for. An exception that leaves a task ends the process.
///
/// The compiler of Debian 12 miscompiles some co_await expressions; docs/adr/0002 gives the rules that the
/// house test enforces: no braces and no lambda inside a co_await expression.
template <class T>
class [[nodiscard]] Task {
 public:
  using promise_type = internal::TaskPromise<T>;

  explicit Task(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, {})) {}
  Task& operator=(Task&& other) noexcept {
    if (this != &other) {
      if (handle_) handle_.destroy();
      handle_ = std::exchange(other.handle_, {});
    }
    return *this;
  }
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;
  ~Task() {
    if (handle_) handle_.destroy();
  }

  bool await_ready() const noexcept { return false; }
  template <class Promise>
  std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> awaiting,
                                        std::source_location where = std::source_location::current()) noexcept {
    internal::NoteWait(awaiting, &handle_.promise(), where);
    handle_.promise().continuation = awaiting;
    return handle_;
  }
  T await_resume() { return handle_.promise().Take(); }

 private:
  std::coroutine_handle<promise_type> handle_;
};

namespace internal {
template <class T>
Task<T> TaskPromise<T>::get_return_object() {
  return Task<T>(std::coroutine_handle<TaskPromise<T>>::from_promise(*this));
}
inline Task<void> TaskPromise<void>::get_return_object() {
  return Task<void>(std::coroutine_handle<TaskPromise<void>>::from_promise(*this));
}
}  // namespace internal

}  // namespace lakestream
