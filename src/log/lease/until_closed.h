#pragma once

#include <functional>

#include "lakestream/status.h"
#include "lakestream/task.h"
#include "runtime/op_context.h"
#include "runtime/runtime.h"

namespace lakestream {

/// Ends sessions that their owner needs no more: those that stay would hold their records, and whoever waits for their
/// end, for as long as the store is open. Where the store cannot do it now, `close` is called again until the context
/// ends. Errors: the last answer of `close`.
Task<Status> UntilClosed(Runtime& runtime, OpContext context, std::function<Task<Status>(OpContext)> close);

}  // namespace lakestream
