#include "log/fsck/index_pass.h"

#include <algorithm>
#include <utility>

#include "format/catalog_records.h"
#include "format/collection_records.h"
#include "format/entry_index.h"
#include "format/index_key.h"
#include "format/log_records.h"
#include "log/fsck/compacted_check.h"
#include "log/fsck/object_check.h"
#include "log/fsck/placement.h"
#include "model/index_check.h"

namespace lakestream {

namespace {

constexpr std::string_view kAfterAll = "\xf4\x8f\xbf\xbf";  // U+10FFFF: after every key in UTF-8
constexpr std::size_t kLogDigits = 20;

/// The greatest key that could stand below.
std::string KeyBelow(const IndexKey& key) {
  if (key.cumulative_size > 0) return IndexKey{key.log, key.end, key.cumulative_size - 1}.Encode();
  return IndexKeyCeilingOf(key.log, key.end - 1);
}

bool LooksLikeIndexKey(std::string_view key) {
  if (key.size() <= kLogDigits || key[kLogDigits] != '-') return false;
  return std::all_of(key.begin(), key.begin() + kLogDigits, [](char c) { return c >= '0' && c <= '9'; });
}

/// What one record gives rise to look at again.
struct Suspicion {
  Status unreadable;
  bool neighbours = false;
  bool named_again = false;
  bool compacted = false;
  std::optional<NamedSection> section;
};

class IndexPass {
 public:
  explicit IndexPass(FsckJob& job) : job_(job) {}

  Task<Status> Run() {
    KeyRange range;
    range.from = std::string(1, '\0');
    range.to = std::string(kAfterAll);
    std::optional<std::string> cursor = "";
    while (cursor) {
      Task<Result<std::vector<MetadataRecord>>> next = job_.NextPage(range, &cursor);
      LS_CO_ASSIGN(const std::vector<MetadataRecord> records, co_await next);
      Task<Status> take = TakePage(records);
      LS_CO_TRY(co_await take);
    }
    Task<Status> end = EndLog();
    co_return co_await end;
  }

 private:
  /// The log whose records come now, and what was known of it when they began.
  struct Log {
    LogId id;
    bool fenced = false;
    bool registered = false;
    Offset marker;
    std::optional<model::IndexSpan> before;
    std::string first_key;
    std::string last_key;
    std::int64_t records = 0;
    std::int64_t flaws = 0;
  };

  Task<Status> TakePage(const std::vector<MetadataRecord>& records) {
    for (const MetadataRecord& record : records) {
      ++job_.totals.records;
      if (record.key == kIndexMarkKey) continue;
      const Result<IndexKey> key = IndexKey::Decode(record.key);
      if (!key.ok()) {
        const bool ours = LooksLikeIndexKey(record.key);
        job_.Report(Finding(ours ? FindingKind::kMalformedKey : FindingKind::kForeignRecord).With("key", record.key));
        continue;
      }
      if (!log_ || log_->id != key->log) {
        Task<Status> end = EndLog();
        LS_CO_TRY(co_await end);
        Task<Status> begin = BeginLog(record.key, key->log);
        LS_CO_TRY(co_await begin);
      }
      Suspicion suspicion = Look(record, *key);
      if (!suspicion.unreadable.ok()) {
        Task<Status> confirm = ConfirmUnreadable(record, suspicion.unreadable);
        LS_CO_TRY(co_await confirm);
      }
      if (suspicion.neighbours) {
        Task<Status> confirm = ConfirmNeighbours(record, *key);
        LS_CO_TRY(co_await confirm);
      }
      if (suspicion.compacted) {
        Task<Status> check = CheckCompactedRecord(job_, record);
        LS_CO_TRY(co_await check);
      }
      if (suspicion.section) {
        Task<Status> confirm = suspicion.named_again ? ConfirmNamedTwice(*suspicion.section)
                                                     : CheckNamedSection(job_, *std::move(suspicion.section));
        LS_CO_TRY(co_await confirm);
      }
    }
    co_return OkStatus();
  }

  Suspicion Look(const MetadataRecord& record, const IndexKey& key) {
    Suspicion suspicion;
    ++job_.totals.index_records;
    ++log_->records;
    log_->last_key = record.key;
    if (record.ephemeral) {
      job_.Report(
          Finding(FindingKind::kLastingRecordInSession).With("record", record.key).With("session", record.session));
    }
    // What is known of a record that cannot be read.
    const std::optional<model::IndexSpan> before =
        std::exchange(log_->before, model::IndexSpan{key.end, key.end, 0, key.cumulative_size});
    const Result<EntryIndex> index = DecodeEntryIndex(record.value.span(), record.key);
    suspicion.unreadable = index.status();
    if (!index.ok()) return suspicion;
    const Result<model::IndexSpan> span = model::SpanOf(key, *index);
    suspicion.unreadable = span.status();
    if (!span.ok()) return suspicion;
    log_->before = *span;
    const bool parquet = index->file_type == FileType::kParquet;
    suspicion.neighbours = Judge(before, *span, parquet, false) != model::IndexFlaw::kNone;
    suspicion.unreadable =
        parquet ? CheckFiles(*index, *span, record.key) : LookAtSection(record, key, *index, &suspicion);
    suspicion.compacted = parquet && suspicion.unreadable.ok();
    return suspicion;
  }

  static Status CheckFiles(const EntryIndex& index, const model::IndexSpan& span, const std::string& key) {
    LS_ASSIGN(const FileIndex files, FileIndexOf(index, key));
    return CheckFileIndexRange(files, span.start, span.end, key);
  }

  Status LookAtSection(const MetadataRecord& record, const IndexKey& key, const EntryIndex& index,
                       Suspicion* suspicion) {
    LS_ASSIGN(const SectionTable::Section section, SectionTable::Of(key.log, index, record.key));
    const SectionTable::Mark mark = job_.table.MarkNamed(section);
    if (mark == SectionTable::Mark::kFound) return OkStatus();
    suspicion->named_again = mark == SectionTable::Mark::kAgain;
    suspicion->section = NamedSection{record.key, record.version, key, index};
    return OkStatus();
  }

  model::IndexFlaw Judge(const std::optional<model::IndexSpan>& before, const model::IndexSpan& span, bool parquet,
                         bool at_boundary) const {
    model::IndexNeighbours neighbours;
    neighbours.before = before;
    neighbours.record = span;
    neighbours.parquet = parquet;
    neighbours.starts_at_a_boundary = at_boundary;
    neighbours.marker = log_->marker;
    return model::JudgeNeighbours(neighbours);
  }

  Task<Status> BeginLog(std::string first_key, LogId id) {
    Log log;
    log.id = id;
    log.first_key = first_key;
    job_.SeeLogId(id, first_key);
    ++job_.totals.logs;
    const Partition partition = Partition::OfLog(id);
    const std::string registration = LogRegistrationKey(id);
    std::vector<ReadRequest> requests;
    requests.push_back(ReadRequest{partition, TrimMarkerKey(id), KeyComparison::kEqual});
    requests.push_back(ReadRequest{partition, WriteFenceKey(id), KeyComparison::kEqual});
    requests.push_back(ReadRequest{partition, first_key, KeyComparison::kEqual});
    requests.push_back(ReadRequest{Partition::OfKey(registration), registration, KeyComparison::kEqual});
    LS_CO_ASSIGN(const std::vector<ReadAnswer> answers, co_await job_.meta.Read(job_.context, std::move(requests)));
    log.marker = MarkerOf(answers[0]);
    log.fenced = answers[1].has_value();
    log.registered = answers[3].has_value();
    log_ = std::move(log);
    if (answers[2]) co_return OkStatus();
    Task<Status> misplaced = CheckMisplaced(job_, partition, std::move(first_key));
    co_return co_await misplaced;
  }

  /// A marker that cannot be read is told with its own record.
  static Offset MarkerOf(const ReadAnswer& answer) {
    if (!answer) return Offset(0);
    const Result<Offset> marker = DecodeTrimMarker(answer->value.text(), answer->key);
    return marker.ok() ? *marker : Offset(0);
  }

  Task<Status> EndLog() {
    if (!log_) co_return OkStatus();
    const Log log = *std::exchange(log_, std::nullopt);
    const Partition partition = Partition::OfLog(log.id);
    // A scan goes shard by shard: where the first and the last record of a run are in the right one, all are.
    if (log.last_key != log.first_key) {
      Task<Result<ReadAnswer>> get = job_.Get(partition, log.last_key);
      LS_CO_ASSIGN(const ReadAnswer last, co_await get);
      if (!last) {
        Task<Status> misplaced = CheckMisplaced(job_, partition, log.last_key);
        LS_CO_TRY(co_await misplaced);
      }
    }
    if (log.fenced) {
      job_.Report(Finding(FindingKind::kDroppedLogHasRecords)
                      .With("log", log.id.value())
                      .With("records", log.records)
                      .With("flaws", log.flaws));
      co_return OkStatus();
    }
    if (log.registered) co_return OkStatus();
    // A log is fenced before it loses its registration, and registered before it gets a record.
    const std::string registration = LogRegistrationKey(log.id);
    std::vector<ReadRequest> requests;
    requests.push_back(ReadRequest{Partition::OfKey(registration), registration, KeyComparison::kEqual});
    requests.push_back(ReadRequest{partition, WriteFenceKey(log.id), KeyComparison::kEqual});
    LS_CO_ASSIGN(const std::vector<ReadAnswer> answers, co_await job_.meta.Read(job_.context, std::move(requests)));
    if (answers[0] || answers[1]) co_return OkStatus();
    job_.Report(
        Finding(FindingKind::kUnregisteredLog).With("log", log.id.value()).With("records", log.records));
    co_return OkStatus();
  }

  Task<Status> ConfirmUnreadable(const MetadataRecord& record, Status why) {
    Task<Result<bool>> look = job_.StillStands(Partition::OfLog(log_->id), record.key, record.version);
    LS_CO_ASSIGN(const bool stands, co_await look);
    if (stands) {
      job_.Report(Finding(FindingKind::kUnreadableRecord).With("record", record.key).With("why", why.message()));
    }
    co_return OkStatus();
  }

  Task<Status> ConfirmNamedTwice(const NamedSection& named) {
    Task<Result<bool>> look =
        job_.StillStands(Partition::OfLog(named.key.log), named.record_key, named.record_version);
    LS_CO_ASSIGN(const bool stands, co_await look);
    if (stands) {
      job_.Report(Finding(FindingKind::kSectionNamedTwice)
                      .With("record", named.record_key)
                      .With("object", named.index.location)
                      .With("log", named.key.log.value()));
    }
    co_return OkStatus();
  }

  /// Judges the record again, with the one before it and the marker out of one snapshot.
  Task<Status> ConfirmNeighbours(const MetadataRecord& record, IndexKey key) {
    const Partition partition = Partition::OfLog(key.log);
    const Result<EntryIndex> index = DecodeEntryIndex(record.value.span(), record.key);
    LS_CO_ASSIGN(const model::IndexSpan span, model::SpanOf(key, *index));
    std::vector<ReadRequest> requests;
    requests.push_back(ReadRequest{partition, TrimMarkerKey(key.log), KeyComparison::kEqual});
    requests.push_back(ReadRequest{partition, record.key, KeyComparison::kEqual});
    requests.push_back(ReadRequest{partition, KeyBelow(key), KeyComparison::kFloor});
    requests.push_back(ReadRequest{partition, IndexKeyCeilingOf(key.log, span.start), KeyComparison::kFloor});
    LS_CO_ASSIGN(const std::vector<ReadAnswer> answers, co_await job_.meta.Read(job_.context, std::move(requests)));
    if (!answers[1] || answers[1]->version != record.version) co_return OkStatus();
    log_->marker = MarkerOf(answers[0]);
    const std::optional<model::IndexSpan> before = SpanBefore(answers[2], key.log);
    const std::optional<model::IndexSpan> boundary = SpanBefore(answers[3], key.log);
    const bool at_boundary = span.start <= log_->marker || (boundary && boundary->end == span.start);
    Report(Judge(before, span, index->file_type == FileType::kParquet, at_boundary), record.key, before, span);
    co_return OkStatus();
  }

  static std::optional<model::IndexSpan> SpanBefore(const ReadAnswer& answer, LogId log) {
    if (!answer || !IsIndexKeyOf(answer->key, log)) return std::nullopt;
    const Result<IndexKey> key = IndexKey::Decode(answer->key);
    if (!key.ok()) return std::nullopt;
    const Result<EntryIndex> index = DecodeEntryIndex(answer->value.span(), answer->key);
    const Result<model::IndexSpan> span = index.ok() ? model::SpanOf(*key, *index) : index.status();
    return span.ok() ? *span : model::IndexSpan{key->end, key->end, 0, key->cumulative_size};
  }

  void Report(model::IndexFlaw flaw, const std::string& record_key, const std::optional<model::IndexSpan>& before,
              const model::IndexSpan& span) {
    if (flaw == model::IndexFlaw::kNone) return;
    ++log_->flaws;
    // Late writes may leave anything in a log that is being deleted (specification, "Fences and log deletion").
    if (log_->fenced) return;
    const model::IndexSpan from = before.value_or(model::IndexSpan());
    const auto report = [&](FindingKind kind, std::string_view a, std::int64_t a_value, std::string_view b,
                            std::int64_t b_value) {
      job_.Report(Finding(kind).With("log", log_->id.value()).With("record", record_key).With(a, a_value).With(b, b_value));
    };
    switch (flaw) {
      case model::IndexFlaw::kNone:
        break;
      case model::IndexFlaw::kGap:
        report(FindingKind::kIndexGap, "from", from.end.value(), "to", span.start.value());
        break;
      case model::IndexFlaw::kGapBelowMarker:
        report(FindingKind::kGapBelowTrimMarker, "from", from.end.value(), "to", span.start.value());
        break;
      case model::IndexFlaw::kOverlap:
        report(FindingKind::kIndexOverlap, "start", span.start.value(), "before_ends", from.end.value());
        break;
      case model::IndexFlaw::kUnfinishedCompaction:
        report(FindingKind::kUnfinishedCompaction, "from", span.start.value(), "to", span.end.value());
        break;
      case model::IndexFlaw::kCumulativeSize:
        report(FindingKind::kCumulativeSize, "size", span.cumulative_size, "expected",
               from.cumulative_size + span.bytes);
        break;
    }
  }

  FsckJob& job_;
  std::optional<Log> log_;
};

}  // namespace

Task<Status> CheckIndex(FsckJob& job) {
  IndexPass pass(job);
  Task<Status> run = pass.Run();
  co_return co_await run;
}

}  // namespace lakestream
