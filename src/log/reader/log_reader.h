#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "format/entry_index.h"
#include "lakestream/status.h"
#include "lakestream/task.h"
#include "log/engine_options.h"
#include "log/log_entry.h"
#include "log/log_homes.h"
#include "meta/metadata_store.h"
#include "objstore/object_store.h"
#include "runtime/runtime.h"

namespace lakestream {

/// Bounds of one read. Entries come whole, and the first is returned even where it passes a bound.
struct ReadBounds {
  std::int64_t max_records = 1'000'000;           ///< 1 or more
  std::int64_t max_bytes = std::int64_t{8} << 20;  ///< payload bytes, 1 or more
};

/// Where entries lie.
struct EntryPlace {
  Offset first;                               ///< the first one in this object; the next place has those after its own
  std::shared_ptr<const std::string> object;  ///< its key, below the WAL root or the compacted root
  FileType file_type = FileType::kRaw;        ///< kRaw: a WAL object
};

struct LogRead {
  std::vector<LogEntry> entries;   ///< ascending; empty at the end of the log
  std::vector<EntryPlace> places;  ///< ascending; of all entries
  Offset next;                     ///< where the following read starts

  /// The object that holds one of the entries.
  const EntryPlace& PlaceOf(const LogEntry& entry) const;
  std::string_view ObjectOf(const LogEntry& entry) const { return *PlaceOf(entry).object; }
};

/// Where a log begins and ends right now.
struct LogExtent {
  Offset first;                       ///< the greater of the first record's start and the trim marker
  Offset end;                         ///< what the next append will get
  Offset trim_marker;                 ///< B; 0 where there is none
  std::int64_t cumulative_size = 0;   ///< payload bytes ever appended
  bool has_records = false;
};

struct ReaderStats {
  std::int64_t reads = 0;    ///< that were answered, also with nothing
  std::int64_t failed = 0;
  std::int64_t entries = 0;  ///< of all answers
  std::int64_t bytes = 0;    ///< their payload
  std::int64_t cache_hits = 0;   ///< directories, payloads, companions, footers and pages that needed no GET
  std::int64_t cache_bytes = 0;  ///< kept right now
};

/// Reads logs by steps R1 to R4 of the specification, "Reading", across RAW and PARQUET records. Needs no lease.
/// Thread safety: any thread.
class LogReader {
 public:
  /// The stores and the homes outlive the reader.
  LogReader(Runtime& runtime, MetadataStore& meta, ObjectStore& wal, ObjectStore& compacted, LogHomes& homes,
            ReaderOptions options);
  ~LogReader();

  /// Entries from the one that holds the greater of `from` and the trim marker. An empty answer means that
  /// the log ends at or before `from`. Errors: corrupt (a gap, damaged bytes, what a record and its objects tell
  /// differently: object, offset and field are named), unavailable, unimplemented (a compacted file with payloads that
  /// are not of the log's binding).
  Task<Result<LogRead>> Read(OpContext context, LogId log, Offset from, ReadBounds bounds);

  /// As Read, but waits for an entry until the context's deadline; then the answer is empty and ok.
  Task<Result<LogRead>> ReadOrAwait(OpContext context, LogId log, Offset from, ReadBounds bounds);

  /// The first offset at or above the trim marker whose entry has this time or a later one, in milliseconds since the
  /// Unix epoch by the metadata store's clock; the log's end where there is none. Reads index records, and the companions
  /// of compacted files; no payloads. Errors: corrupt, unavailable.
  Task<Result<Offset>> FindTime(OpContext context, LogId log, std::int64_t timestamp_ms);

  Task<Result<LogExtent>> Extent(OpContext context, LogId log);

  ReaderStats stats() const;

 private:
  Task<Result<LogRead>> ReadUncounted(OpContext context, LogId log, Offset from, ReadBounds bounds);

  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace lakestream
