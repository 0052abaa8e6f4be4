#pragma once

#include <optional>
#include <source_location>
#include <type_traits>
#include <utility>

#include "lakestream/task.h"
#include "runtime/blocking_pool.h"
#include "runtime/clock.h"
#include "runtime/event.h"
#include "runtime/executor.h"
#include "runtime/op_context.h"
#include "runtime/random.h"

namespace lakestream {

/// Everything that is not deterministic, as parts that whoever builds the process chooses: real threads or
/// the simulator. The parts outlive whatever uses them.
struct Runtime {
  Executor& executor;
  const Clock& clock;
  Random& random;
  BlockingPool& blocking;

  MonotonicTime Now() const { return clock.Monotonic(); }
};

namespace internal {

class YieldAwaiter {
 public:
  explicit YieldAwaiter(Executor& executor) : node_(std::make_shared<WaitNode>(executor)) {}
  YieldAwaiter(const YieldAwaiter&) = delete;
  YieldAwaiter& operator=(const YieldAwaiter&) = delete;
  ~YieldAwaiter() { node_->Abandon(); }
  bool await_ready() const noexcept { return false; }
  template <class Promise>
  [[gnu::noinline]] void await_suspend(std::coroutine_handle<Promise> handle,
                                       std::source_location where = std::source_location::current()) {
    NoteWait(handle, nullptr, where);
    Suspend(handle);
  }
  void await_resume() const noexcept {}

 private:
  void Suspend(std::coroutine_handle<> handle);

  std::shared_ptr<WaitNode> node_;
};

}  // namespace internal

/// Ends at `until` with ok (at once where it lies in the past), or earlier with cancelled or deadline_exceeded.
Task<Status> SleepUntil(Runtime& runtime, OpContext context, MonotonicTime until);
Task<Status> SleepFor(Runtime& runtime, OpContext context, Duration duration);
/// co_await Yield(runtime) lets other ready work run first. It always suspends, so that a loop of it needs no stack.
internal::YieldAwaiter Yield(Runtime& runtime);

/// Runs a function that blocks on the pool and resumes on the executor with what it returned. The function
/// and all it holds are gone by then. An abandoned call still runs to its end on the pool.
template <class F>
Task<std::invoke_result_t<F&>> RunBlocking(Runtime& runtime, F function) {
  using R = std::invoke_result_t<F&>;
  static_assert(!std::is_void_v<R>, "return a Status");
  const Future<R> future(runtime.executor);
  runtime.blocking.Submit([future, held = std::optional<F>(std::move(function))]() mutable {
    R result = (*held)();
    held.reset();
    future.Set(std::move(result));
  });
  co_await future.Ready();
  co_return std::move(future.value());
}

}  // namespace lakestream
