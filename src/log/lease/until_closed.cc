#include "log/lease/until_closed.h"

#include <algorithm>

namespace lakestream {

namespace {

constexpr Duration kFirstPause = std::chrono::milliseconds(10);
constexpr Duration kMostPause = std::chrono::seconds(1);

/// Closing a session may be repeated whatever became of it.
bool WorthRepeating(StatusCode code) {
  return code == StatusCode::kUnavailable || code == StatusCode::kIndeterminate ||
         code == StatusCode::kResourceExhausted;
}

}  // namespace

Task<Status> UntilClosed(Runtime& runtime, OpContext context, std::function<Task<Status>(OpContext)> close) {
  for (Duration pause = kFirstPause;; pause = std::min(pause * 2, kMostPause)) {
    const Status closed = co_await close(context);
    if (closed.ok() || !WorthRepeating(closed.code())) co_return closed;
    const Status slept = co_await SleepFor(runtime, context, pause);
    if (!slept.ok()) co_return closed;
  }
}

}  // namespace lakestream
