#pragma once

#include <optional>
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

/// Ends at `until` with ok (at once where it lies in the past), or earlier with cancelled or deadline_exceeded.
Task<Status> SleepUntil(Runtime& runtime, OpContext context, MonotonicTime until);
Task<Status> SleepFor(Runtime& runtime, OpContext context, Duration duration);
/// Lets other ready work run first.
Task<void> Yield(Runtime& runtime);

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
