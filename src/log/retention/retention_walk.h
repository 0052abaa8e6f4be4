#pragma once

#include <cstdint>
#include <optional>

#include "format/log_entry_header.h"
#include "lakestream/status.h"
#include "lakestream/task.h"
#include "log/reader/log_index.h"
#include "log/retention/entry_source.h"
#include "meta/metadata_store.h"
#include "model/retention.h"

namespace lakestream {

/// What retention makes of a log as it stands.
struct RetentionLook {
  bool fenced = false;       ///< the log is being deleted; nothing else is told
  Offset marker;             ///< B as found; 0 where there is none
  Offset end;                ///< of the log as found; 0 where it has no records
  std::optional<Offset> last_start;  ///< of the log's last record; none where it has no records
  Offset keep_from;          ///< B as it should be: at or above `marker`
  bool capped = false;       ///< the last record would go as well, as far as the index tells, but has to stay
  model::RetentionReason reason = model::RetentionReason::kNone;  ///< of the last entry that goes
  std::int64_t records = 0;  ///< that go
  /// Payload bytes that go. Where the marker lies within an index record whose entries were not asked for, by this walk or
  /// the one before, the record counts as a whole.
  std::int64_t bytes = 0;
  std::int64_t kept_records = 0;
  std::int64_t kept_bytes = 0;  ///< the same about the record that `keep_from` lies in
  /// Not ok: damage, or something missing, at `keep_from`. What is behind it stays, though perhaps it should go.
  Status flaw;
};

/// Looks at one log. Memory: a page of index records and one companion. For one call; all but the rules outlive it.
class RetentionWalk {
 public:
  /// `now_ms`: by the clock of the metadata store. `first_kept`: where an earlier walk of the log ended, so that its
  /// entries need not be asked again; becomes where this one ends.
  RetentionWalk(MetadataStore& meta, LogIndex& index, EntrySource& entries, LogId log, model::RetentionRules rules,
                std::int64_t now_ms, std::optional<LogEntryHeader>* first_kept)
      : meta_(meta), index_(index), entries_(entries), log_(log), rules_(rules), now_ms_(now_ms),
        first_kept_(first_kept) {}

  /// Errors: corrupt (the marker, or the log's last record), unavailable.
  Task<Result<RetentionLook>> Run(OpContext context);

 private:
  Task<Result<RetentionLook>> Once(OpContext context);
  Task<Status> ReadState(OpContext context);
  /// The records from the marker on, until the cut. Errors: what is a flaw too.
  Task<Status> Walk(OpContext context, model::RetentionCut& cut);
  /// Whether the record goes as a whole; the cut is within it otherwise.
  Task<Result<bool>> TakeRecord(OpContext context, IndexRecordPtr record, model::RetentionCut& cut);
  Task<Result<bool>> TakeRawEntries(OpContext context, IndexRecordPtr record, model::RetentionCut& cut);
  Task<Result<bool>> TakeRows(OpContext context, IndexRecordPtr record, model::RetentionCut& cut);
  /// Whether the entry goes.
  bool TakeEntry(const LogEntryHeader& entry, model::RetentionCut& cut);
  void Count(const model::RetentionCut& cut);

  MetadataStore& meta_;
  LogIndex& index_;
  EntrySource& entries_;
  const LogId log_;
  const model::RetentionRules rules_;
  const std::int64_t now_ms_;
  std::optional<LogEntryHeader>* const first_kept_;
  RetentionLook look_;
  IndexRecordPtr last_;       ///< the log's last record
  Offset first_;              ///< where the log begins
  std::int64_t size_at_marker_ = 0;  ///< payload bytes before the first entry, as far as known
};

}  // namespace lakestream
