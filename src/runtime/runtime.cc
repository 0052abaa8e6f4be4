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

Task<void> Yield(Runtime& runtime) {
  auto turn = std::make_shared<Event>(runtime.executor);
  runtime.executor.Post([turn] { turn->Set(); });
  co_await turn->Wait();
}

}  // namespace lakestream
