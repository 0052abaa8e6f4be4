#include "log/retention/retention_walk.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/broken_rule.h"
#include "base/try.h"
#include "format/index_key.h"
#include "format/log_records.h"

namespace lakestream {

namespace {

/// Most logs keep their first record.
constexpr int kFirstPage = 16;
constexpr int kMostPage = 1000;
/// Looks after something was missing: whoever compacts or trims removes records, and then their objects.
constexpr int kMostLooks = 3;

/// What one log may have, and others need not care about.
bool IsFlaw(StatusCode code) {
  return code == StatusCode::kCorrupt || code == StatusCode::kNotFound || code == StatusCode::kUnimplemented;
}

/// The time that all of the record's entries have.
std::optional<std::int64_t> TimeOf(const IndexRecord& record) {
  // The creation time of a PARQUET record is that of its last entry, and times may go back.
  if (record.index.file_type == FileType::kRaw || Broken(Rule::kRetentionAsksForEachTime)) return record.created_ms;
  return std::nullopt;
}

}  // namespace

Task<Result<RetentionLook>> RetentionWalk::Run(OpContext context) {
  for (int looks = 1;; ++looks) {
    Task<Result<RetentionLook>> once = Once(context);
    LS_CO_ASSIGN(RetentionLook look, co_await once);
    if (look.flaw.code() != StatusCode::kNotFound) co_return look;
    if (looks == kMostLooks) {
      look.flaw = look.flaw.As(StatusCode::kCorrupt);
      co_return look;
    }
  }
}

Task<Result<RetentionLook>> RetentionWalk::Once(OpContext context) {
  look_ = RetentionLook();
  Task<Status> state = ReadState(context);
  LS_CO_TRY(co_await state);
  if (look_.fenced || last_ == nullptr) co_return look_;
  model::RetentionCut cut(rules_, look_.marker, look_.end, last_->span.cumulative_size, now_ms_);
  Task<Status> walk = Walk(std::move(context), cut);
  const Status walked = co_await walk;
  if (!walked.ok() && !IsFlaw(walked.code())) co_return walked;
  if (!walked.ok()) look_.flaw = walked.With("log", log_.value()).With("offset", cut.keep_from().value());
  Count(cut);
  co_return look_;
}

Task<Status> RetentionWalk::ReadState(OpContext context) {
  const Partition partition = Partition::OfLog(log_);
  std::vector<ReadRequest> requests;
  requests.push_back(ReadRequest{partition, TrimMarkerKey(log_), KeyComparison::kEqual});
  requests.push_back(ReadRequest{partition, LastIndexKey(log_), KeyComparison::kFloor});
  requests.push_back(ReadRequest{partition, WriteFenceKey(log_), KeyComparison::kEqual});
  LS_CO_ASSIGN(const std::vector<ReadAnswer> answers, co_await meta_.Read(std::move(context), std::move(requests)));
  look_.fenced = answers[2].has_value();
  if (answers[0]) {
    LS_CO_ASSIGN(look_.marker, DecodeTrimMarker(answers[0]->value.text(), answers[0]->key));
  }
  look_.keep_from = look_.marker;
  first_ = look_.marker;
  last_ = nullptr;
  if (!answers[1] || !IsIndexKeyOf(answers[1]->key, log_)) co_return OkStatus();
  LS_CO_ASSIGN(last_, DecodeIndexRecord(*answers[1]));
  look_.end = last_->span.end;
  look_.last_start = last_->span.start;
  size_at_marker_ = last_->span.cumulative_size;
  co_return OkStatus();
}

Task<Status> RetentionWalk::Walk(OpContext context, model::RetentionCut& cut) {
  Offset at = look_.marker;
  bool first = true;
  for (int limit = kFirstPage; at < look_.end; limit = std::min(limit * 8, kMostPage)) {
    Task<Result<std::vector<IndexRecordPtr>>> scan = index_.Scan(context, log_, at, limit);
    LS_CO_ASSIGN(const std::vector<IndexRecordPtr> records, co_await scan);
    if (records.empty()) co_return Corrupt("the log's index has a gap");
    for (const IndexRecordPtr& record : records) {
      if (std::exchange(first, false)) {
        first_ = std::max(record->span.start, look_.marker);
        const std::optional<LogEntryHeader>& known = *first_kept_;
        const bool knows = known && known->offset <= look_.marker && look_.marker < known->end();
        size_at_marker_ = knows ? known->cumulative_size - known->entry_size
                                : record->span.cumulative_size - record->span.bytes;
      }
      if (record->span.start >= *look_.last_start && !Broken(Rule::kLastRecordStays)) {
        model::RetentionCut last = cut;
        look_.capped = last.TakeRecord(record->span, record->created_ms);
        co_return OkStatus();
      }
      Task<Result<bool>> take = TakeRecord(context, record, cut);
      LS_CO_ASSIGN(const bool goes, co_await take);
      if (!goes) co_return OkStatus();
      at = record->span.end;
    }
  }
  co_return OkStatus();
}

Task<Result<bool>> RetentionWalk::TakeRecord(OpContext context, IndexRecordPtr record, model::RetentionCut& cut) {
  const bool raw = record->index.file_type == FileType::kRaw;
  const std::optional<std::int64_t> time = TimeOf(*record);
  if (cut.TakeRecord(record->span, time)) co_return true;
  if (!cut.MayEnter(record->span, time) || (raw && record->index.entry_count == 1)) co_return false;
  const std::optional<LogEntryHeader>& known = *first_kept_;
  if (known && known->offset <= cut.keep_from() && cut.keep_from() < known->end()) {
    model::RetentionCut probe = cut;
    if (!probe.Take(*known)) {
      TakeEntry(*known, cut);
      co_return false;
    }
  }
  Task<Result<bool>> enter = raw ? TakeRawEntries(std::move(context), std::move(record), cut)
                                 : TakeRows(std::move(context), std::move(record), cut);
  co_return co_await enter;
}

Task<Result<bool>> RetentionWalk::TakeRawEntries(OpContext context, IndexRecordPtr record, model::RetentionCut& cut) {
  Task<Result<std::vector<LogEntryHeader>>> open = entries_.OfRaw(std::move(context), log_, std::move(record));
  LS_CO_ASSIGN(const std::vector<LogEntryHeader> entries, co_await open);
  for (const LogEntryHeader& entry : entries) {
    if (!TakeEntry(entry, cut)) co_return false;
  }
  co_return true;
}

Task<Result<bool>> RetentionWalk::TakeRows(OpContext context, IndexRecordPtr record, model::RetentionCut& cut) {
  if (!record->files.ok()) co_return record->files.status();
  for (std::size_t i = record->files->Find(cut.keep_from()); i < record->files->files.size(); ++i) {
    Task<Result<CompanionPtr>> open = entries_.RowsOf(context, log_, record, i);
    LS_CO_ASSIGN(const CompanionPtr rows, co_await open);
    for (std::size_t row = rows->FindOffset(cut.keep_from()).value_or(0); row < rows->rows(); ++row) {
      if (!TakeEntry(rows->HeaderOf(row), cut)) co_return false;
    }
  }
  co_return true;
}

bool RetentionWalk::TakeEntry(const LogEntryHeader& entry, model::RetentionCut& cut) {
  if (entry.end() <= look_.marker) return true;
  if (!cut.size_before()) size_at_marker_ = entry.cumulative_size - entry.entry_size;
  if (cut.Take(entry)) return true;
  *first_kept_ = entry;
  return false;
}

void RetentionWalk::Count(const model::RetentionCut& cut) {
  look_.keep_from = cut.keep_from();
  look_.reason = cut.reason();
  const Offset kept = std::max(first_, look_.keep_from);
  const std::int64_t size_at_cut = cut.size_before().value_or(size_at_marker_);
  look_.records = kept - first_;
  look_.bytes = size_at_cut - size_at_marker_;
  look_.kept_records = std::max<std::int64_t>(look_.end - kept, 0);
  look_.kept_bytes = last_->span.cumulative_size - size_at_cut;
}

}  // namespace lakestream
