#pragma once

#include <cstdint>

#include "lakestream/status.h"
#include "lakestream/task.h"
#include "meta/metadata_store.h"
#include "runtime/runtime.h"

namespace lakestream {

/// Sets the compaction records of deleted logs to `dropped`, so that the files that they name become garbage: no
/// compactor may do it that does not look at such logs any more. Gives their number. A record that cannot be read stays.
Task<Result<std::int64_t>> MarkDroppedLogs(Runtime& runtime, MetadataStore& meta, OpContext context);

}  // namespace lakestream
