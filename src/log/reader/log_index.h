#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "format/entry_index.h"
#include "lakestream/status.h"
#include "lakestream/task.h"
#include "lakestream/types.h"
#include "log/engine_options.h"
#include "log/reader/log_reader.h"
#include "meta/metadata_store.h"
#include "model/read_plan.h"
#include "runtime/runtime.h"

namespace lakestream {

/// One index record, decoded. Never changes.
struct IndexRecord {
  std::string key;
  EntryIndex index;
  model::IndexSpan span;
  Result<FileIndex> files = FileIndex();  ///< of a PARQUET record, where it can be read and fits the span
  std::int64_t created_ms = 0;
};
using IndexRecordPtr = std::shared_ptr<const IndexRecord>;

/// Errors: corrupt. A file index that cannot be read is none: the record says so.
Result<IndexRecordPtr> DecodeIndexRecord(const MetadataRecord& record);

/// Where a read starts.
struct FoundRecord {
  Offset wanted;          ///< the greater of the offset asked for and the trim marker
  IndexRecordPtr record;  ///< holds `wanted`; null where `wanted` is at or past the end of the log
};

/// Looks index records up by steps R1 and R2 (specification, "Reading"), and keeps those it saw for
/// ReaderOptions::index_cache_age. The trim marker is read anew at every Find. Thread safety: any thread.
class LogIndex {
 public:
  LogIndex(Runtime& runtime, MetadataStore& meta, const ReaderOptions& options);

  /// `fresh`: the record comes from the store, not from the cache.
  /// Errors: corrupt (a gap, a damaged record or marker), unavailable.
  Task<Result<FoundRecord>> Find(OpContext context, LogId log, Offset from, bool fresh);

  /// Kept records that follow each other from `at`, in order, until they fill the bounds.
  std::vector<IndexRecordPtr> Kept(LogId log, Offset at, ReadBounds bounds);
  /// Reads up to `limit` records that end above `at` from the store and keeps them. Those that follow each
  /// other from `at` are returned; none at the end of the log, and before a gap.
  Task<Result<std::vector<IndexRecordPtr>>> Scan(OpContext context, LogId log, Offset at, int limit);

  /// Drops what is kept of a log from `at` on.
  void Forget(LogId log, Offset at);

  Task<Result<LogExtent>> Extent(OpContext context, LogId log);

 private:
  struct KeptRecord {
    IndexRecordPtr record;
    MonotonicTime read_at;
  };
  struct OfLog {
    std::map<Offset, KeptRecord> records;  ///< by end offset
    Offset marker;                  ///< B was at least this
  };
  struct Age {
    MonotonicTime read_at;
    LogId log;
    Offset end;
  };

  Offset KnownMarker(LogId log);
  IndexRecordPtr KeptCover(LogId log, Offset wanted);
  void Keep(LogId log, Offset marker, const std::vector<IndexRecordPtr>& records);
  void ExpireLocked();
  IndexRecordPtr CoverLocked(const OfLog& of_log, Offset wanted) const;

  Runtime& runtime_;
  MetadataStore& meta_;
  const ReaderOptions options_;
  std::mutex mutex_;
  std::map<LogId, OfLog> logs_;
  std::deque<Age> ages_;  ///< oldest first; may name records that are gone
};

}  // namespace lakestream
