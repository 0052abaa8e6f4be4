#pragma once

#include <vector>

#include "lakestream/status.h"
#include "lakestream/task.h"
#include "lakestream/types.h"
#include "meta/metadata_store.h"

namespace lakestream {

// A log that cannot be compacted keeps every WAL object that holds an entry of it, and with it the entries of other
// logs. Once it is isolated, writers put its entries into objects of its own (docs/format/log-isolation.md). Entries
// that share an object already stay where they are.

/// In the order of their ids.
Task<Result<std::vector<LogId>>> ListIsolated(MetadataStore& meta, OpContext context);
/// False where it was isolated already. Every writer knows within WriterOptions::fence_poll. Errors: of the store.
Task<Result<bool>> Isolate(MetadataStore& meta, OpContext context, LogId log);
/// False where it was not isolated. Errors: of the store.
Task<Result<bool>> EndIsolation(MetadataStore& meta, OpContext context, LogId log);

}  // namespace lakestream
