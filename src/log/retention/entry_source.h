#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "format/log_entry_header.h"
#include "lakestream/status.h"
#include "lakestream/task.h"
#include "log/log_homes.h"
#include "log/reader/cache_budget.h"
#include "log/reader/compacted_files.h"
#include "log/reader/log_index.h"
#include "log/reader/wal_object_cache.h"
#include "objstore/object_store.h"
#include "runtime/runtime.h"

namespace lakestream {

/// What index records leave open of their entries: where each ends, its size, its time. Reads directories of WAL objects
/// and companions, never a payload. Thread safety: any thread.
/// Errors of both: not_found (something that the record names is not there), corrupt, unavailable, those of LogHomes.
class EntrySource {
 public:
  /// All outlive this. Keeps what it has read in up to `cache_bytes`.
  EntrySource(Runtime& runtime, ObjectStore& wal, ObjectStore& compacted, LogHomes& homes, std::int64_t cache_bytes);

  /// All entries of a RAW record.
  Task<Result<std::vector<LogEntryHeader>>> OfRaw(OpContext context, LogId log, IndexRecordPtr record);
  /// The rows of file `i` of a PARQUET record whose file index can be read.
  Task<Result<CompanionPtr>> RowsOf(OpContext context, LogId log, IndexRecordPtr record, std::size_t i);

 private:
  CacheBudget budget_;
  WalObjectCache objects_;
  CompactedFiles files_;
};

}  // namespace lakestream
