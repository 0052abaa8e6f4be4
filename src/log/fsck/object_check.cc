#include "log/fsck/object_check.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/broken_rule.h"
#include "format/log_records.h"
#include "log/writer/wal_name.h"
#include "model/read_plan.h"
#include "runtime/when_all.h"

namespace lakestream {

namespace {

constexpr std::size_t kObjectsAtOnce = 32;
constexpr std::uint64_t kFirstFetchBytes = std::uint64_t{64} << 10;
constexpr std::uint64_t kPieceBytes = std::uint64_t{1} << 20;

/// What was seen in one object.
struct Looked {
  bool gone = false;
  Status unreadable;  ///< why the header cannot be read
  Status damaged;     ///< why the bytes are not right; only with `deep`
  bool unchecked = false;
  std::uint64_t bytes_read = 0;
  std::vector<SectionTable::Section> sections;
  std::optional<LogId> greatest_log;
};

Task<Status> ReadBytes(FsckJob& job, ObjectInfo info, Looked* looked) {
  const Result<ObjectInfo> head = co_await job.wal.Head(job.context, info.key);
  if (head.status().code() == StatusCode::kNotFound) co_return OkStatus();
  LS_CO_TRY(head.status());
  looked->unchecked = !head->crc32c;
  for (std::uint64_t at = 0; at < info.size; at += kPieceBytes) {
    const ByteRange piece = {at, kPieceBytes};
    const Result<Buffer> got = co_await job.wal.Get(job.context, info.key, piece);
    if (got.status().code() == StatusCode::kNotFound) co_return OkStatus();
    if (got.status().code() == StatusCode::kCorrupt) {
      looked->damaged = got.status();
      co_return OkStatus();
    }
    LS_CO_TRY(got.status());
    looked->bytes_read += got->size();
  }
  co_return OkStatus();
}

Task<Result<Looked>> LookAt(FsckJob& job, ObjectInfo info) {
  Looked looked;
  Task<Result<WalHeader>> fetch = FetchWalHeader(job.wal, job.context, info.key, info.size);
  const Result<WalHeader> header = co_await fetch;
  const StatusCode code = header.status().code();
  if (code == StatusCode::kNotFound) {
    looked.gone = true;
    co_return looked;
  }
  if (code == StatusCode::kCorrupt) {
    looked.unreadable = header.status();
    co_return looked;
  }
  LS_CO_TRY(header.status());
  for (const WalSection& section : header->index.sections) {
    looked.sections.push_back(SectionTable::Of(info.key, section, header->payload_size));
    looked.greatest_log = std::max(looked.greatest_log.value_or(section.log), section.log);
  }
  if (job.options.deep) {
    Task<Status> read = ReadBytes(job, info, &looked);
    LS_CO_TRY(co_await read);
  }
  co_return looked;
}

void Take(FsckJob& job, const ObjectInfo& info, const Looked& looked) {
  if (looked.gone) return;
  ++job.totals.objects;
  job.totals.sections += looked.sections.size();
  job.totals.bytes_read += looked.bytes_read;
  for (const SectionTable::Section& section : looked.sections) job.table.Add(section);
  if (looked.greatest_log) job.SeeLogId(*looked.greatest_log, info.key);
  if (!looked.unreadable.ok()) {
    // What has no name of ours was not written by us; should a record name it all the same, that record tells.
    const bool ours = IsWalObjectName(info.key);
    Finding finding(ours ? FindingKind::kUnreadableObject : FindingKind::kForeignObject);
    finding.With("object", info.key).With("bytes", static_cast<std::int64_t>(info.size));
    job.Report(ours ? finding.With("why", looked.unreadable.message()) : finding);
  }
  if (!looked.damaged.ok()) {
    job.Report(Finding(FindingKind::kDamagedObject).With("object", info.key).With("why", looked.damaged.message()));
  }
  if (looked.unchecked) job.Report(Finding(FindingKind::kUncheckedObject).With("object", info.key));
}

Task<Status> LookAtAll(FsckJob& job, std::vector<ObjectInfo> objects) {
  for (std::size_t from = 0; from < objects.size(); from += kObjectsAtOnce) {
    std::vector<Task<Result<Looked>>> tasks;
    for (std::size_t i = from; i < std::min(objects.size(), from + kObjectsAtOnce); ++i) {
      tasks.push_back(LookAt(job, objects[i]));
    }
    const std::vector<Result<Looked>> looked = co_await WhenAll(job.runtime, std::move(tasks));
    for (std::size_t i = 0; i < looked.size(); ++i) {
      LS_CO_TRY(looked[i].status());
      Take(job, objects[from + i], *looked[i]);
    }
    job.ShowProgress();
  }
  co_return OkStatus();
}

/// Where the record and the trim marker stand now.
struct RecordNow {
  bool stands = false;
  bool trimmed = false;
};

Task<Result<RecordNow>> ReadAgain(FsckJob& job, const NamedSection& named) {
  const Partition partition = Partition::OfLog(named.key.log);
  std::vector<ReadRequest> requests;
  requests.push_back(ReadRequest{partition, named.record_key, KeyComparison::kEqual});
  requests.push_back(ReadRequest{partition, TrimMarkerKey(named.key.log), KeyComparison::kEqual});
  LS_CO_ASSIGN(const std::vector<ReadAnswer> answers, co_await job.meta.Read(job.context, std::move(requests)));
  RecordNow now;
  now.stands = answers[0] && answers[0]->version == named.record_version;
  if (answers[1]) {
    const Result<Offset> marker = DecodeTrimMarker(answers[1]->value.text(), answers[1]->key);
    now.trimmed = marker.ok() && named.key.end <= *marker;
  }
  co_return now;
}

/// ok, or what is wrong between the record and the object.
Task<Status> CompareWithObject(FsckJob& job, const NamedSection& named) {
  const std::string& location = named.index.location;
  if (!CheckObjectKey(location).ok()) co_return NotFound("no object can have this name");
  const Result<ObjectInfo> head = co_await job.wal.Head(job.context, location);
  LS_CO_TRY(head.status());
  Task<Result<WalHeader>> fetch = FetchWalHeader(job.wal, job.context, location, head->size);
  LS_CO_ASSIGN(const WalHeader header, co_await fetch);
  const WalSection* const section = header.index.Find(named.key.log);
  if (section == nullptr) co_return Corrupt("the object holds no entries of the log");
  co_return model::CheckSection(named.index, *section, header.payload_size);
}

}  // namespace

Task<Result<WalHeader>> FetchWalHeader(ObjectStore& store, OpContext context, std::string key, std::uint64_t size) {
  const ByteRange first_range = {0, kFirstFetchBytes};
  LS_CO_ASSIGN(Buffer prefix, co_await store.Get(context, key, first_range));
  LS_CO_ASSIGN(const std::uint64_t header_size, WalHeaderSize(prefix.span(), size, key));
  if (header_size > prefix.size()) {
    const ByteRange whole = {0, header_size};
    Result<Buffer> longer = co_await store.Get(context, key, whole);
    LS_CO_TRY(longer.status());
    prefix = *std::move(longer);
  }
  co_return DecodeWalHeader(prefix.span(), size, key);
}

Task<Status> ReadObjects(FsckJob& job) {
  std::optional<std::string> after = "";
  while (after) {
    Task<Result<std::vector<ObjectInfo>>> next = job.NextObjects(job.wal, &after);
    LS_CO_ASSIGN(std::vector<ObjectInfo> objects, co_await next);
    Task<Status> look = LookAtAll(job, std::move(objects));
    LS_CO_TRY(co_await look);
  }
  job.table.Seal();
  co_return OkStatus();
}

Task<Status> ReportUnnamedObjects(FsckJob& job) {
  if (job.table.AllNamed()) co_return OkStatus();
  const DeploymentTimes& times = job.options.times;
  std::optional<std::string> after = "";
  while (after) {
    Task<Result<std::vector<ObjectInfo>>> next = job.NextObjects(job.wal, &after);
    LS_CO_ASSIGN(const std::vector<ObjectInfo> objects, co_await next);
    const WallTime now = job.runtime.clock.Wall();
    for (const ObjectInfo& info : objects) {
      const std::uint64_t hash = SectionTable::ObjectHash(info.key);
      if (!job.table.Holds(hash) || job.table.AnyNamed(hash)) continue;
      const Duration age = now - info.modified;
      // An index record may still come for it.
      if (age < times.publish_deadline + times.index_deadline) continue;
      const bool young = age < times.grace;
      job.Report(Finding(young ? FindingKind::kYoungObjectInNoIndex : FindingKind::kObjectInNoIndex)
                     .With("object", info.key)
                     .With("bytes", static_cast<std::int64_t>(info.size))
                     .With("age_s", age / std::chrono::seconds(1)));
    }
  }
  co_return OkStatus();
}

Task<Status> CheckNamedSection(FsckJob& job, NamedSection named) {
  Task<Status> compare = CompareWithObject(job, named);
  Status compared = co_await compare;
  if (Broken(Rule::kFsckAsksForTheObject)) compared = NotFound("the object is in no listing");
  if (compared.ok()) co_return OkStatus();
  const bool missing = compared.code() == StatusCode::kNotFound;
  if (!missing && compared.code() != StatusCode::kCorrupt) co_return compared;
  Task<Result<RecordNow>> read = ReadAgain(job, named);
  LS_CO_ASSIGN(const RecordNow now, co_await read);
  if (!now.stands) co_return OkStatus();
  FindingKind kind = FindingKind::kSectionMismatch;
  if (missing) kind = now.trimmed ? FindingKind::kTrimmedRecordLacksObject : FindingKind::kMissingObject;
  Finding finding(kind);
  finding.With("record", named.record_key)
      .With("object", named.index.location)
      .With("log", named.key.log.value())
      .With("from", named.key.end.value() - named.index.message_count)
      .With("to", named.key.end.value());
  if (!missing) finding.With("why", compared.message());
  job.Report(finding);
  co_return OkStatus();
}

}  // namespace lakestream
