#include "log/fsck/compacted_check.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "format/compaction_record.h"
#include "format/file_index.h"
#include "format/index_key.h"
#include "format/log_records.h"
#include "model/read_plan.h"

namespace lakestream {

namespace {

/// Rows that are read at once.
constexpr std::int64_t kRowsAtOnce = 10'000;
constexpr std::int64_t kRowBytesAtOnce = std::int64_t{8} << 20;

/// Whether a compactor of this project wrote an object of this name: {namespace}/{stream}/lks-{uuid}.parquet or .index.
bool IsOwnName(std::string_view key) {
  const std::size_t slash = key.rfind('/');
  if (slash == std::string_view::npos) return false;
  const std::string_view name = key.substr(slash + 1);
  return name.starts_with("lks-") && (name.ends_with(".parquet") || name.ends_with(".index"));
}

void MarkFile(FsckJob& job, const std::string& path) {
  job.compacted_names.Mark(path);
  job.compacted_names.Mark(CompanionNameOf(path));
}

Task<Status> CheckRows(FsckJob& job, const CompactedPlace& place, CompanionPtr rows, CompactedTailPtr tail) {
  Offset wanted = rows->start();
  while (wanted < rows->end()) {
    model::ReadAllowance allowance(kRowsAtOnce, kRowBytesAtOnce);
    const model::RowRange range = model::PlanRows(*rows, wanted, allowance);
    Task<Result<std::vector<Buffer>>> read = job.compacted_files.Payloads(job.context, place.path, rows, tail, range);
    LS_CO_ASSIGN(const std::vector<Buffer> payloads, co_await read);
    for (const Buffer& payload : payloads) job.totals.bytes_read += payload.size();
    wanted = rows->HeaderOf(range.first + range.count - 1).end();
    job.ShowProgress();
  }
  co_return OkStatus();
}

/// What is wrong with one file of a record.
struct Looked {
  Status mismatch;
  Status damaged;  ///< of its rows; only with `deep`
};

Task<Looked> LookAtFile(FsckJob& job, LogId log, IndexRecordPtr record, std::size_t i) {
  Looked looked;
  Task<Result<CompactedPlace>> find = job.compacted_files.Find(job.context, log, record, i);
  const Result<CompactedPlace> place = co_await find;
  looked.mismatch = place.status();
  // A log without a stream is told with its registration.
  if (place.status().code() == StatusCode::kNotFound) looked.mismatch = OkStatus();
  if (!place.ok()) co_return looked;
  MarkFile(job, place->path);
  Task<Result<CompanionPtr>> read_rows = job.compacted_files.Rows(job.context, record, i, place->path);
  const Result<CompanionPtr> rows = co_await read_rows;
  Task<Result<CompactedTailPtr>> read_tail = job.compacted_files.Tail(job.context, *place);
  const Result<CompactedTailPtr> tail = co_await read_tail;
  for (const Status& status : {rows.status(), tail.status()}) {
    if (looked.mismatch.ok()) looked.mismatch = status;
  }
  if (!looked.mismatch.ok()) co_return looked;
  if (!std::cmp_equal((*tail)->file.rows(), (*rows)->rows())) {
    looked.mismatch = Corrupt("a compacted file and its companion have not as many rows")
                          .With("object", place->path)
                          .With("rows", (*tail)->file.rows())
                          .With("companion_rows", (*rows)->rows());
    co_return looked;
  }
  if (job.options.deep) {
    Task<Status> check = CheckRows(job, *place, *rows, *tail);
    looked.damaged = co_await check;
  }
  co_return looked;
}

bool SaysOfTheObject(StatusCode code) {
  return code == StatusCode::kCorrupt || code == StatusCode::kUnimplemented || code == StatusCode::kResourceExhausted;
}

/// Tells what is wrong with a file, where the record that names it still stands.
Task<Status> ReportFile(FsckJob& job, LogId log, IndexRecordPtr record, std::int64_t version, std::string file,
                        Looked looked) {
  const Status why = looked.mismatch.ok() ? looked.damaged : looked.mismatch;
  const bool missing = why.code() == StatusCode::kNotFound;
  if (!missing && !SaysOfTheObject(why.code())) co_return why;
  const Partition partition = Partition::OfLog(log);
  std::vector<ReadRequest> requests;
  requests.push_back(ReadRequest{partition, record->key, KeyComparison::kEqual});
  requests.push_back(ReadRequest{partition, TrimMarkerKey(log), KeyComparison::kEqual});
  LS_CO_ASSIGN(const std::vector<ReadAnswer> answers, co_await job.meta.Read(job.context, std::move(requests)));
  if (!answers[0] || answers[0]->version != version) co_return OkStatus();
  bool trimmed = false;
  if (answers[1]) {
    const Result<Offset> marker = DecodeTrimMarker(answers[1]->value.text(), answers[1]->key);
    trimmed = marker.ok() && record->span.end <= *marker;
  }
  FindingKind kind = looked.mismatch.ok() ? FindingKind::kDamagedObject : FindingKind::kSectionMismatch;
  // Files go before the records that name them.
  if (missing) kind = trimmed ? FindingKind::kTrimmedRecordLacksObject : FindingKind::kMissingObject;
  Finding finding(kind);
  finding.With("record", record->key)
      .With("object", file)
      .With("log", log.value())
      .With("from", record->span.start.value())
      .With("to", record->span.end.value());
  job.Report(finding.With("why", why.message()));
  co_return OkStatus();
}

Task<Result<bool>> IsThere(FsckJob& job, std::string key) {
  if (job.compacted_names.Mark(key)) co_return true;
  const Result<ObjectInfo> head = co_await job.compacted.Head(job.context, std::move(key));
  if (head.status().code() == StatusCode::kNotFound) co_return false;
  LS_CO_TRY(head.status());
  co_return true;
}

/// What cannot be read is told with its record.
Task<Status> MarkRecord(FsckJob& job, const MetadataRecord& stored) {
  const std::optional<LogId> log = LogOfCompactionRecordKey(stored.key);
  if (!log) co_return OkStatus();
  const Result<CompactionRecord> record = DecodeCompactionRecord(stored.value.text(), *log);
  if (!record.ok()) co_return OkStatus();
  const std::vector<std::string> files = FilesOf(*record);
  if (files.empty()) co_return OkStatus();
  Task<Result<LogHome>> find = job.homes.Find(job.context, *log);
  const Result<LogHome> home = co_await find;
  if (home.status().code() == StatusCode::kNotFound || SaysOfTheObject(home.status().code())) co_return OkStatus();
  LS_CO_TRY(home.status());
  const bool installing = std::holds_alternative<CompactionInstalling>(record->state);
  for (const std::string& file : files) {
    const std::string path = home->directory + "/" + file;
    MarkFile(job, path);
    if (!installing) continue;
    for (const std::string& key : {path, CompanionNameOf(path)}) {
      Task<Result<bool>> look = IsThere(job, key);
      LS_CO_ASSIGN(const bool there, co_await look);
      if (there) continue;
      Task<Result<bool>> again = job.StillStands(Partition::OfLog(*log), stored.key, stored.version);
      LS_CO_ASSIGN(const bool stands, co_await again);
      if (stands) {
        job.Report(Finding(FindingKind::kMissingObject)
                       .With("record", stored.key)
                       .With("object", key)
                       .With("log", log->value()));
      }
    }
  }
  co_return OkStatus();
}

}  // namespace

Task<Status> ListCompacted(FsckJob& job) {
  std::optional<std::string> after = "";
  while (after) {
    Task<Result<std::vector<ObjectInfo>>> next = job.NextObjects(job.compacted, &after);
    LS_CO_ASSIGN(const std::vector<ObjectInfo> objects, co_await next);
    for (const ObjectInfo& info : objects) job.compacted_names.Add(info.key);
    job.totals.compacted_objects += objects.size();
  }
  job.compacted_names.Seal();
  co_return OkStatus();
}

Task<Status> MarkCompacting(FsckJob& job) {
  const KeyBounds bounds = CompactionRecordKeys();
  KeyRange range;
  range.from = bounds.first;
  range.to = bounds.end;
  std::optional<std::string> cursor = "";
  while (cursor) {
    Task<Result<std::vector<MetadataRecord>>> next = job.NextPage(range, &cursor);
    LS_CO_ASSIGN(const std::vector<MetadataRecord> records, co_await next);
    for (const MetadataRecord& record : records) {
      Task<Status> mark = MarkRecord(job, record);
      LS_CO_TRY(co_await mark);
    }
  }
  co_return OkStatus();
}

Task<Status> CheckCompactedRecord(FsckJob& job, MetadataRecord stored) {
  LS_CO_ASSIGN(const IndexRecordPtr record, DecodeIndexRecord(stored));
  LS_CO_ASSIGN(const IndexKey key, IndexKey::Decode(stored.key));
  LS_CO_TRY(record->files.status());
  for (std::size_t i = 0; i < record->files->files.size(); ++i) {
    Task<Looked> look = LookAtFile(job, key.log, record, i);
    Looked looked = co_await look;
    if (looked.mismatch.ok() && looked.damaged.ok()) continue;
    Task<Status> report =
        ReportFile(job, key.log, record, stored.version, record->files->files[i].name, std::move(looked));
    LS_CO_TRY(co_await report);
  }
  co_return OkStatus();
}

Task<Status> ReportUnnamedCompacted(FsckJob& job) {
  if (job.compacted_names.AllNamed()) co_return OkStatus();
  const DeploymentTimes& times = job.options.times;
  std::optional<std::string> after = "";
  while (after) {
    Task<Result<std::vector<ObjectInfo>>> next = job.NextObjects(job.compacted, &after);
    LS_CO_ASSIGN(const std::vector<ObjectInfo> objects, co_await next);
    const WallTime now = job.runtime.clock.Wall();
    for (const ObjectInfo& info : objects) {
      if (!job.compacted_names.Holds(info.key) || job.compacted_names.Named(info.key)) continue;
      const Duration age = now - info.modified;
      FindingKind kind = FindingKind::kForeignObject;
      if (IsOwnName(info.key)) {
        kind = age < times.grace ? FindingKind::kYoungObjectInNoIndex : FindingKind::kObjectInNoIndex;
      }
      job.Report(Finding(kind)
                     .With("object", info.key)
                     .With("root", "compacted")
                     .With("bytes", static_cast<std::int64_t>(info.size))
                     .With("age_s", age / std::chrono::seconds(1)));
    }
  }
  co_return OkStatus();
}

}  // namespace lakestream
