#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "lakestream/status.h"
#include "lakestream/task.h"
#include "lakestream/types.h"
#include "log/reader/compacted_files.h"
#include "log/reader/log_index.h"

namespace lakestream {

/// Finds the first entry of a log, from the one that holds the trim marker on, that has some time or a later one. That is
/// where the greatest time so far reaches it: times may go back (specification, "Metadata store model"), and then the
/// answer is still the first such entry.
///
/// What holds. All entries of a RAW record have the record's creation time. A PARQUET record keeps that of the last RAW
/// record that it replaced: it is the time of its last entry, and says nothing of the others. The metadata stores of this
/// project never let a creation time go back (MetadataStore), and of that two things are made here: a PARQUET record
/// created before the time holds no entry of it, so that its companions need not be read; and of the files of one that was
/// created later the first is found by halving. Within a companion nothing is assumed of the order of times.
/// For one call; the index and the files outlive it.
class TimeSeek {
 public:
  TimeSeek(LogIndex& index, CompactedFiles& files, LogId log, std::int64_t timestamp_ms)
      : index_(index), files_(files), log_(log), timestamp_ms_(timestamp_ms) {}

  /// The offset of that entry, or the trim marker where the entry begins before it; the log's end where there is none.
  /// Errors: corrupt, unavailable, those of LogHomes.
  Task<Result<Offset>> Find(OpContext context);

 private:
  using Found = Result<std::optional<Offset>>;

  /// Out of the records that follow each other from `reached` on, until the log's end or a gap. `reached` moves along: the
  /// record looked at, and how far none was found.
  Task<Found> WalkFrom(OpContext context, FoundRecord* reached);
  /// The first such entry of a record that ends above `at`.
  Task<Found> FindInRecord(OpContext context, IndexRecordPtr record, Offset at);
  Task<Found> FindInFile(OpContext context, IndexRecordPtr record, std::size_t i, Offset at);
  Task<Result<CompanionPtr>> RowsOf(OpContext context, IndexRecordPtr record, std::size_t i);

  LogIndex& index_;
  CompactedFiles& files_;
  const LogId log_;
  const std::int64_t timestamp_ms_;
};

}  // namespace lakestream
