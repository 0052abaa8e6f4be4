#include "lakestream/task.h"

#include "base/invariant.h"

namespace lakestream::internal {

void DieUnhandledException() { DieInvariant("no exception", "an exception left a coroutine"); }

}  // namespace lakestream::internal
