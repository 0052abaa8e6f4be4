#include "runtime/runtime.h"

#include "base/try.h"

namespace lakestream {

Task<Status> SleepUntil(Runtime& runtime, OpContext context, MonotonicTime until) {
  LS_CO_TRY(context.Check(runtime.Now()));
  Event never(runtime.executor);
  const Status woken = co_await never.WaitFor(context.WithDeadline(until));
  if (woken.code() == StatusCode::kDeadlineExceeded && until <= context.deadline) co_return OkStatus();
  co_return woken;
}

Task<Status> SleepFor(Runtime& runtime, OpContext context, Duration duration) {
  const MonotonicTime now = runtime.Now();
  const MonotonicTime until = duration > MonotonicTime::max() - now ? MonotonicTime::max() : now + duration;
  co_return co_await SleepUntil(runtime, std::move(context), until);
}

internal::YieldAwaiter Yield(Runtime& runtime) { return internal::YieldAwaiter(runtime.executor); }

void internal::YieldAwaiter::Suspend(std::coroutine_handle<> handle) {
  // Held here: another thread may resume the coroutine, and this awaiter go, before Finish returns.
  const std::shared_ptr<WaitNode> node = node_;
  node->Prepare(handle);
  (void)node->Arm();
  node->Finish(node, WaitNode::Outcome::kSet);
}

}  // namespace lakestream
