#include "log/trim/hard_trim.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/broken_rule.h"
#include "base/try.h"
#include "format/entry_index.h"
#include "format/file_index.h"
#include "format/index_key.h"
#include "format/log_records.h"
#include "model/read_plan.h"
#include "model/trim.h"

namespace lakestream {

namespace {

constexpr int kRecordsPerPage = 1000;
/// What was not done, or may not have been, is tried so often, with pauses that double from the first one.
constexpr int kMaxAttempts = 6;
constexpr Duration kFirstPause = std::chrono::milliseconds(20);

bool WorthRepeating(StatusCode code) {
  return code == StatusCode::kUnavailable || code == StatusCode::kIndeterminate;
}

class Trimmer {
 public:
  Trimmer(Runtime& runtime, MetadataStore& meta, ObjectStore& compacted, LogHomes& homes, LogId log)
      : runtime_(runtime), meta_(meta), compacted_(compacted), homes_(homes), log_(log) {}

  Task<Result<HardTrimOutcome>> Run(OpContext context, LeaseUse lease, Offset through) {
    Task<Result<Offset>> look = Limit(context, through);
    LS_CO_ASSIGN(const Offset limit, co_await look);
    outcome_.limit = limit;
    while (true) {
      Task<Result<std::vector<MetadataRecord>>> next = NextRecords(context, limit);
      LS_CO_ASSIGN(const std::vector<MetadataRecord> records, co_await next);
      if (records.empty()) co_return outcome_;
      Task<Status> remove = Remove(context, lease, records);
      LS_CO_TRY(co_await remove);
    }
  }

 private:
  Task<Result<Offset>> Limit(OpContext context, Offset through) {
    const Partition partition = Partition::OfLog(log_);
    std::vector<ReadRequest> requests;
    requests.push_back(ReadRequest{partition, TrimMarkerKey(log_), KeyComparison::kEqual});
    requests.push_back(ReadRequest{partition, LastIndexKey(log_), KeyComparison::kFloor});
    LS_CO_ASSIGN(const std::vector<ReadAnswer> answers, co_await meta_.Read(std::move(context), std::move(requests)));
    Offset marker;
    if (answers[0]) {
      LS_CO_ASSIGN(marker, DecodeTrimMarker(answers[0]->value.text(), answers[0]->key));
    }
    std::optional<Offset> last_start;
    if (answers[1] && IsIndexKeyOf(answers[1]->key, log_)) {
      LS_CO_ASSIGN(const IndexKey key, IndexKey::Decode(answers[1]->key));
      LS_CO_ASSIGN(const EntryIndex index, DecodeEntryIndex(answers[1]->value.span(), answers[1]->key));
      LS_CO_ASSIGN(const model::IndexSpan span, model::SpanOf(key, index));
      last_start = span.start;
    }
    co_return model::HardTrimLimit(through, marker, last_start);
  }

  /// The first ones of those that end at or below the limit; what was removed before is not among them.
  Task<Result<std::vector<MetadataRecord>>> NextRecords(OpContext context, Offset limit) {
    KeyRange range;
    range.partition = Partition::OfLog(log_);
    range.from = FirstIndexKey(log_);
    range.to = IndexKeyCeilingOf(log_, limit);
    std::optional<std::string> cursor = "";
    std::vector<MetadataRecord> records;
    while (cursor && records.empty()) {
      LS_CO_ASSIGN(ScanPage page, co_await meta_.Scan(context, range, *cursor, kRecordsPerPage));
      records = std::move(page.records);
      cursor = std::move(page.next);
    }
    co_return records;
  }

  Task<Status> Remove(OpContext context, LeaseUse lease, std::vector<MetadataRecord> records) {
    std::vector<std::string> names;
    Offset end;
    for (const MetadataRecord& record : records) {
      LS_CO_ASSIGN(const IndexKey key, IndexKey::Decode(record.key));
      LS_CO_ASSIGN(const EntryIndex index, DecodeEntryIndex(record.value.span(), record.key));
      end = key.end;
      if (index.file_type != FileType::kParquet) continue;
      LS_CO_ASSIGN(const FileIndex files, FileIndexOf(index, record.key));
      for (const CompactedFile& file : files.files) names.push_back(file.name);
    }
    const bool files_first = !Broken(Rule::kFilesGoBeforeTheirRecords);
    Task<Status> files = DeleteFiles(context, names);
    if (files_first) LS_CO_TRY(co_await files);
    Task<Status> index = DeleteRecords(context, lease, end);
    LS_CO_TRY(co_await index);
    if (!files_first) LS_CO_TRY(co_await files);
    outcome_.records += static_cast<std::int64_t>(records.size());
    outcome_.files += static_cast<std::int64_t>(names.size());
    co_return OkStatus();
  }

  Task<Status> DeleteFiles(OpContext context, std::vector<std::string> names) {
    if (names.empty()) co_return OkStatus();
    Task<Result<LogHome>> find = homes_.Find(context, log_);
    LS_CO_ASSIGN(const LogHome home, co_await find);
    std::vector<std::string> keys;
    for (const std::string& name : names) {
      keys.push_back(home.directory + "/" + name);
      keys.push_back(home.directory + "/" + CompanionNameOf(name));
    }
    co_return co_await compacted_.Delete(std::move(context), std::move(keys));
  }

  /// The same keys may go twice: a lost answer is repeated.
  Task<Status> DeleteRecords(OpContext context, LeaseUse lease, Offset end) {
    Duration pause = kFirstPause;
    for (int attempt = 1;; ++attempt) {
      // Whoever deletes the log may not wait for this any more.
      if (!lease.session()->ProvablyAlive()) {
        co_return Unavailable("the session behind a lease has ended").With("log", log_.value());
      }
      const WriteGuard guard(lease.session());
      const Status deleted = co_await meta_.DeleteRange(context, Partition::OfLog(log_), FirstIndexKey(log_),
                                                        IndexKeyCeilingOf(log_, end), guard);
      if (deleted.ok()) co_return deleted;
      if (deleted.code() == StatusCode::kFenced) {
        lease.Invalidate();
        co_return deleted.As(StatusCode::kUnavailable).With("log", log_.value());
      }
      if (!WorthRepeating(deleted.code()) || attempt == kMaxAttempts) {
        if (deleted.code() == StatusCode::kIndeterminate) lease.KeepForUnknownChange();
        co_return deleted.With("log", log_.value());
      }
      unknown_ |= deleted.code() == StatusCode::kIndeterminate;
      const Status slept = co_await SleepFor(runtime_, context, pause);
      if (!slept.ok()) {
        if (unknown_) lease.KeepForUnknownChange();
        co_return unknown_ ? slept.As(StatusCode::kIndeterminate) : slept;
      }
      pause *= 2;
    }
  }

  Runtime& runtime_;
  MetadataStore& meta_;
  ObjectStore& compacted_;
  LogHomes& homes_;
  const LogId log_;
  HardTrimOutcome outcome_;
  bool unknown_ = false;  ///< a DeleteRange may still happen
};

}  // namespace

Task<Result<HardTrimOutcome>> HardTrim(Runtime& runtime, MetadataStore& meta, ObjectStore& compacted,
                                       LeaseKeeper& leases, LogHomes& homes, OpContext context, LogId log,
                                       Offset through) {
  if (log.value() < 0) co_return InvalidArgument("a log id is not negative").With("log", log.value());
  if (through.value() < 0) co_return InvalidArgument("an offset is not negative").With("offset", through.value());
  LS_CO_ASSIGN(const LeaseUse lease, co_await leases.Acquire(context, log));
  Trimmer trimmer(runtime, meta, compacted, homes, log);
  Task<Result<HardTrimOutcome>> run = trimmer.Run(std::move(context), lease, through);
  co_return co_await run;
}

}  // namespace lakestream
