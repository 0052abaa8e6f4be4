#include "log/reader/log_index.h"

#include <algorithm>
#include <utility>

#include "base/broken_rule.h"
#include "base/try.h"
#include "format/index_key.h"
#include "format/log_records.h"

namespace lakestream {

namespace {

/// A marker that moves at every look is a marker that someone moves by hand.
constexpr int kMaxLooks = 16;
constexpr std::size_t kMaxKeptRecords = 65'536;

Result<Offset> MarkerOf(const ReadAnswer& answer) {
  if (!answer) return Offset(0);
  return DecodeTrimMarker(answer->value.text(), answer->key);
}

/// The answer where it is an index record of the log, and not a neighbour that sorts after or before it.
const MetadataRecord* OwnRecord(const ReadAnswer& answer, LogId log) {
  const bool own = answer && (IsIndexKeyOf(answer->key, log) || Broken(Rule::kOwnRecordsOnly));
  return own ? &*answer : nullptr;
}

Status Gap(LogId log, Offset wanted, const IndexRecord& next) {
  return Corrupt("the log's index has a gap")
      .With("log", log.value())
      .With("offset", wanted.value())
      .With("next_record", next.key)
      .With("next_start", next.span.start.value());
}

/// The files of a PARQUET record. A broken file index is for those who want its entries: the record is one all the same.
Result<FileIndex> FilesOf(const EntryIndex& index, const model::IndexSpan& span, const std::string& key) {
  LS_ASSIGN(FileIndex files, FileIndexOf(index, key));
  LS_TRY(CheckFileIndexRange(files, span.start, span.end, key));
  return files;
}

}  // namespace

LogIndex::LogIndex(Runtime& runtime, MetadataStore& meta, const ReaderOptions& options)
    : runtime_(runtime), meta_(meta), options_(options) {}

Result<IndexRecordPtr> DecodeIndexRecord(const MetadataRecord& record) {
  auto decoded = std::make_shared<IndexRecord>();
  LS_ASSIGN(const IndexKey key, IndexKey::Decode(record.key));
  LS_ASSIGN(decoded->index, DecodeEntryIndex(record.value.span(), record.key));
  LS_ASSIGN(decoded->span, model::SpanOf(key, decoded->index));
  if (decoded->index.file_type == FileType::kParquet) {
    decoded->files = FilesOf(decoded->index, decoded->span, record.key);
  }
  decoded->key = record.key;
  decoded->created_ms = record.created_ms;
  return IndexRecordPtr(std::move(decoded));
}

Offset LogIndex::KnownMarker(LogId log) {
  const std::lock_guard lock(mutex_);
  const auto at = logs_.find(log);
  return at == logs_.end() ? Offset(0) : at->second.marker;
}

void LogIndex::ExpireLocked() {
  const MonotonicTime now = runtime_.Now();
  while (!ages_.empty() &&
         (ages_.front().read_at + options_.index_cache_age <= now || ages_.size() > kMaxKeptRecords)) {
    const Age age = ages_.front();
    ages_.pop_front();
    const auto log = logs_.find(age.log);
    if (log == logs_.end()) continue;
    const auto record = log->second.records.find(age.end);
    // A record that was read again since then has an age of its own.
    if (record == log->second.records.end() || record->second.read_at != age.read_at) continue;
    log->second.records.erase(record);
    if (log->second.records.empty()) logs_.erase(log);
  }
}

IndexRecordPtr LogIndex::CoverLocked(const OfLog& of_log, Offset wanted) const {
  const auto at = of_log.records.upper_bound(wanted);
  if (at == of_log.records.end()) return nullptr;
  const IndexRecordPtr& record = at->second.record;
  return model::JudgeCover(record->span, wanted) == model::Cover::kCovers ? record : nullptr;
}

IndexRecordPtr LogIndex::KeptCover(LogId log, Offset wanted) {
  const std::lock_guard lock(mutex_);
  ExpireLocked();
  const auto at = logs_.find(log);
  return at == logs_.end() ? nullptr : CoverLocked(at->second, wanted);
}

std::vector<IndexRecordPtr> LogIndex::Kept(LogId log, Offset at, ReadBounds bounds) {
  std::vector<IndexRecordPtr> records;
  const std::lock_guard lock(mutex_);
  ExpireLocked();
  const auto of_log = logs_.find(log);
  if (of_log == logs_.end()) return records;
  while (bounds.max_records > 0 && bounds.max_bytes > 0) {
    IndexRecordPtr next = CoverLocked(of_log->second, at);
    if (next == nullptr) break;
    at = next->span.end;
    bounds.max_records -= next->index.message_count;
    bounds.max_bytes -= next->index.entry_size_bytes;
    records.push_back(std::move(next));
  }
  return records;
}

void LogIndex::Keep(LogId log, Offset marker, const std::vector<IndexRecordPtr>& records) {
  if (options_.index_cache_age <= Duration::zero() || records.empty()) return;
  const MonotonicTime now = runtime_.Now();
  const std::lock_guard lock(mutex_);
  OfLog& of_log = logs_[log];
  of_log.marker = std::max(of_log.marker, marker);
  for (const IndexRecordPtr& record : records) {
    KeptRecord& kept = of_log.records[record->span.end];
    const bool known = kept.record != nullptr && kept.read_at == now;
    kept = KeptRecord{record, now};
    if (!known) ages_.push_back(Age{now, log, record->span.end});
  }
  ExpireLocked();
}

void LogIndex::Forget(LogId log, Offset at) {
  const std::lock_guard lock(mutex_);
  const auto of_log = logs_.find(log);
  if (of_log == logs_.end()) return;
  auto& records = of_log->second.records;
  records.erase(records.upper_bound(at), records.end());
  if (records.empty()) logs_.erase(of_log);
}

Task<Result<FoundRecord>> LogIndex::Find(OpContext context, LogId log, Offset from, bool fresh) {
  const Partition partition = Partition::OfLog(log);
  Offset wanted = std::max(from, KnownMarker(log));
  std::optional<Offset> gap_at;
  for (int look = 0; look < kMaxLooks; ++look) {
    IndexRecordPtr record = fresh ? nullptr : KeptCover(log, wanted);
    std::vector<ReadRequest> requests;
    requests.push_back(ReadRequest{partition, TrimMarkerKey(log), KeyComparison::kEqual});
    if (record == nullptr) {
      requests.push_back(ReadRequest{partition, IndexKeyCeilingOf(log, wanted), KeyComparison::kHigher});
    }
    LS_CO_ASSIGN(const std::vector<ReadAnswer> answers, co_await meta_.Read(context, std::move(requests)));
    LS_CO_ASSIGN(Offset marker, MarkerOf(answers[0]));
    if (Broken(Rule::kMarkerHides)) marker = Offset(0);
    if (Broken(Rule::kMarkerIsReadEachTime) && KnownMarker(log) > Offset(0)) marker = KnownMarker(log);
    if (record == nullptr) {
      if (const MetadataRecord* own = OwnRecord(answers[1], log)) {
        LS_CO_ASSIGN(record, DecodeIndexRecord(*own));
        Keep(log, marker, std::vector<IndexRecordPtr>(1, record));
      }
    }
    const bool within = record != nullptr && record->index.file_type == FileType::kParquet &&
                        model::JudgeCover(record->span, wanted) == model::Cover::kCovers;
    if (!within || !Broken(Rule::kMarkerHidesWithinARange)) wanted = std::max(wanted, marker);

    std::optional<model::IndexSpan> span;
    if (record != nullptr) span = record->span;
    FoundRecord found;
    found.wanted = wanted;
    switch (model::JudgeCover(span, wanted)) {
      case model::Cover::kEnd:
        co_return found;
      case model::Cover::kCovers:
        found.record = std::move(record);
        co_return found;
      case model::Cover::kPassed:
        break;
      case model::Cover::kGap:
        if (gap_at == wanted) co_return Gap(log, wanted, *record);
        gap_at = wanted;
        fresh = true;
        break;
    }
  }
  co_return Unavailable("the trim marker moves faster than it can be followed").With("log", log.value());
}

Task<Result<std::vector<IndexRecordPtr>>> LogIndex::Scan(OpContext context, LogId log, Offset at, int limit) {
  KeyRange range;
  range.partition = Partition::OfLog(log);
  range.from = IndexKeyCeilingOf(log, at);
  range.to = LastIndexKey(log);
  std::vector<IndexRecordPtr> records;
  std::vector<IndexRecordPtr> following;
  std::string cursor;
  while (true) {
    LS_CO_ASSIGN(ScanPage page, co_await meta_.Scan(context, range, cursor, limit));
    for (const MetadataRecord& stored : page.records) {
      if (!IsIndexKeyOf(stored.key, log)) continue;
      const Result<IndexRecordPtr> record = DecodeIndexRecord(stored);
      if (!record.ok()) {
        // Only the read that needs a damaged record fails.
        if (following.empty()) co_return record.status();
        Keep(log, Offset(0), records);
        co_return following;
      }
      if (model::JudgeCover((*record)->span, at) == model::Cover::kCovers) {
        at = (*record)->span.end;
        following.push_back(*record);
      }
      records.push_back(*record);
    }
    // A page may be empty although more follow.
    if (!records.empty() || !page.next) break;
    cursor = *page.next;
  }
  Keep(log, Offset(0), records);
  co_return following;
}

Task<Result<LogExtent>> LogIndex::Extent(OpContext context, LogId log) {
  const Partition partition = Partition::OfLog(log);
  Offset wanted = KnownMarker(log);
  for (int look = 0; look < kMaxLooks; ++look) {
    const std::string above = wanted == Offset(0) ? FirstIndexKey(log) : IndexKeyCeilingOf(log, wanted);
    std::vector<ReadRequest> requests;
    requests.push_back(ReadRequest{partition, TrimMarkerKey(log), KeyComparison::kEqual});
    requests.push_back(ReadRequest{partition, above, KeyComparison::kHigher});
    requests.push_back(ReadRequest{partition, LastIndexKey(log), KeyComparison::kFloor});
    LS_CO_ASSIGN(const std::vector<ReadAnswer> answers, co_await meta_.Read(context, std::move(requests)));
    LogExtent extent;
    LS_CO_ASSIGN(extent.trim_marker, MarkerOf(answers[0]));
    const MetadataRecord* first = OwnRecord(answers[1], log);
    const MetadataRecord* last = OwnRecord(answers[2], log);
    extent.first = extent.trim_marker;
    if (last == nullptr) co_return extent;

    LS_CO_ASSIGN(const IndexRecordPtr end, DecodeIndexRecord(*last));
    extent.has_records = true;
    extent.end = end->span.end;
    extent.cumulative_size = end->span.cumulative_size;
    if (first == nullptr) co_return extent;
    LS_CO_ASSIGN(const IndexRecordPtr begin, DecodeIndexRecord(*first));
    extent.first = std::max(begin->span.start, extent.trim_marker);
    if (begin->span.end > extent.trim_marker) co_return extent;
    wanted = extent.trim_marker;
  }
  co_return Unavailable("the trim marker moves faster than it can be followed").With("log", log.value());
}

}  // namespace lakestream
