#include "log/fsck/catalog_pass.h"

#include <algorithm>
#include <array>
#include <utility>

#include "format/catalog_records.h"
#include "format/compaction_record.h"
#include "format/entry_index.h"
#include "format/index_key.h"
#include "format/log_records.h"
#include "format/metadata_record.h"
#include "log/fsck/placement.h"
#include "model/index_check.h"

namespace lakestream {

namespace {

constexpr std::string_view kAfterAll = "\xf4\x8f\xbf\xbf";  // U+10FFFF: after every key in UTF-8
constexpr std::int32_t kPartitionsAtOnce = 1000;
/// Below these there are no keys but known ones.
constexpr std::array<std::string_view, 11> kFamilies = {
    "/mark-deleted-offsets/", "/stream-write-fences/",      "/stream-write-leases/",
    "/stream-id/",            "/stream-id-generator",       "/streams/",
    "/lakestream/compaction/", "/first-uncompacted-offset/", "/lakestream/compaction-claim/",  "/lakestream/isolated/",
    "/lakestream/gc/"};

/// Records that go with whoever made them.
bool GoesWithItsSession(RecordKind kind) {
  return kind == RecordKind::kWriteLease || kind == RecordKind::kCompactionClaim;
}

/// ok, or why the partition's log id is not bound to it as it should be.
Status CheckBinding(LogId log, const std::string& mapping_name, const ReadAnswer& registration,
                    const ReadAnswer& mapping) {
  if (!registration) return Corrupt("the log is not registered");
  LS_ASSIGN(const LogRegistrationRecord registered,
            DecodeLogRegistration(registration->value.text(), registration->key));
  if (registered.key && *registered.key != mapping_name) {
    return Corrupt("the log is registered under another name").With("name", *registered.key);
  }
  if (!mapping) return Corrupt("the name is bound to no log id");
  LS_ASSIGN(const LogMappingRecord bound, DecodeLogMapping(mapping->value.text(), mapping->key));
  if (bound.log != log) return Corrupt("the name is bound to another log id").With("bound_to", bound.log.value());
  if (bound.tombstone) return Corrupt("the name's log id is retired");
  return OkStatus();
}

class CatalogPass {
 public:
  explicit CatalogPass(FsckJob& job) : job_(job) {}

  Task<Status> Run() {
    KeyRange range;
    range.from = "/";
    range.to = "/" + std::string(kAfterAll);
    std::optional<std::string> cursor = "";
    while (cursor) {
      Task<Result<std::vector<MetadataRecord>>> next = job_.NextPage(range, &cursor);
      LS_CO_ASSIGN(const std::vector<MetadataRecord> records, co_await next);
      Task<Status> places = CheckPlaces(records);
      LS_CO_TRY(co_await places);
      for (const MetadataRecord& record : records) {
        ++job_.totals.records;
        Task<Status> check = Check(record);
        LS_CO_TRY(co_await check);
      }
    }
    Task<Status> ids = CheckGenerator();
    co_return co_await ids;
  }

 private:
  Task<Status> CheckPlaces(const std::vector<MetadataRecord>& records) {
    std::vector<ReadRequest> requests;
    for (const MetadataRecord& record : records) {
      const KnownKey known = ClassifyKey(record.key);
      // A mark is in every shard.
      if (known.kind == RecordKind::kUnknown || known.kind == RecordKind::kCollectionMark) continue;
      requests.push_back(ReadRequest{Partition::Named(known.partition), record.key, KeyComparison::kEqual});
    }
    const std::vector<ReadRequest> asked = requests;
    LS_CO_ASSIGN(const std::vector<ReadAnswer> answers, co_await job_.meta.Read(job_.context, std::move(requests)));
    for (std::size_t i = 0; i < answers.size(); ++i) {
      if (answers[i]) continue;
      Task<Status> misplaced = CheckMisplaced(job_, asked[i].partition, asked[i].key);
      LS_CO_TRY(co_await misplaced);
    }
    co_return OkStatus();
  }

  /// Tells of a record that cannot be read, if there is something to tell.
  void ReportUnreadable(const MetadataRecord& record, const Status& why) {
    if (why.ok()) return;
    job_.Report(Finding(FindingKind::kUnreadableRecord).With("record", record.key).With("why", why.message()));
  }

  Task<Status> Check(const MetadataRecord& record) {
    const RecordKind kind = ClassifyKey(record.key).kind;
    if (record.ephemeral && !GoesWithItsSession(kind) && kind != RecordKind::kUnknown) {
      job_.Report(
          Finding(FindingKind::kLastingRecordInSession).With("record", record.key).With("session", record.session));
    }
    switch (kind) {
      case RecordKind::kTrimMarker:
        return CheckMarker(record);
      case RecordKind::kWriteFence:
        return CheckFence(record);
      case RecordKind::kWriteLease:
        return CheckLease(record);
      case RecordKind::kCompactionClaim:
        return CheckClaim(record);
      case RecordKind::kStreamConfig:
        return CheckConfig(record);
      case RecordKind::kPartition:
        return CheckPartition(record);
      case RecordKind::kLogRegistration:
        return CheckRegistration(record);
      default:
        return CheckAlone(record, kind);
    }
  }

  /// A record that needs no other one.
  Task<Status> CheckAlone(const MetadataRecord& record, RecordKind kind) {
    if (kind == RecordKind::kUnknown) {
      const bool ours = std::any_of(kFamilies.begin(), kFamilies.end(),
                                    [&](std::string_view family) { return record.key.starts_with(family); });
      job_.Report(Finding(ours ? FindingKind::kMalformedKey : FindingKind::kForeignRecord).With("key", record.key));
      co_return OkStatus();
    }
    ReportUnreadable(record, DescribeRecord(record.key, record.value.span()).damage);
    if (kind == RecordKind::kCompaction) job_.SeeLogId(*LogOfCompactionRecordKey(record.key), record.key);
    if (kind == RecordKind::kLogIdMapping) {
      const Result<LogMappingRecord> mapping = DecodeLogMapping(record.value.text(), record.key);
      if (mapping.ok()) job_.SeeLogId(mapping->log, record.key);
    }
    co_return OkStatus();
  }

  Task<Status> CheckMarker(const MetadataRecord& record) {
    const LogId log = *LogOfRecordKey(record.key);
    job_.SeeLogId(log, record.key);
    const Partition partition = Partition::OfLog(log);
    std::vector<ReadRequest> requests;
    requests.push_back(ReadRequest{partition, record.key, KeyComparison::kEqual});
    requests.push_back(ReadRequest{partition, WriteFenceKey(log), KeyComparison::kEqual});
    requests.push_back(ReadRequest{partition, LastIndexKey(log), KeyComparison::kFloor});
    LS_CO_ASSIGN(const std::vector<ReadAnswer> answers, co_await job_.meta.Read(job_.context, std::move(requests)));
    if (!answers[0]) co_return OkStatus();
    const Result<Offset> marker = DecodeTrimMarker(answers[0]->value.text(), record.key);
    ReportUnreadable(record, marker.status());
    // Of a deleted log the marker stays.
    if (!marker.ok() || answers[1]) co_return OkStatus();
    std::optional<model::IndexSpan> last;
    bool parquet = false;
    if (answers[2] && IsIndexKeyOf(answers[2]->key, log)) {
      const Result<IndexKey> key = IndexKey::Decode(answers[2]->key);
      const Result<EntryIndex> index = DecodeEntryIndex(answers[2]->value.span(), answers[2]->key);
      // What cannot be read is told with the index.
      if (!key.ok() || !index.ok()) co_return OkStatus();
      LS_CO_ASSIGN(last, model::SpanOf(*key, *index));
      parquet = index->file_type == FileType::kParquet;
    }
    if (model::JudgeMarker(*marker, last, parquet) == model::MarkerFlaw::kNone) co_return OkStatus();
    Finding finding(FindingKind::kTrimMarker);
    finding.With("log", log.value()).With("marker", marker->value());
    if (last) finding.With("last_record_from", last->start.value()).With("to", last->end.value());
    job_.Report(finding);
    co_return OkStatus();
  }

  Task<Status> CheckFence(const MetadataRecord& record) {
    const LogId log = *LogOfRecordKey(record.key);
    job_.SeeLogId(log, record.key);
    const std::string registration_key = LogRegistrationKey(log);
    Task<Result<ReadAnswer>> get = job_.Get(Partition::OfKey(registration_key), registration_key);
    LS_CO_ASSIGN(const ReadAnswer registration, co_await get);
    if (!registration) co_return OkStatus();
    const Result<LogRegistrationRecord> registered =
        DecodeLogRegistration(registration->value.text(), registration_key);
    if (!registered.ok() || !registered->key) co_return OkStatus();
    const std::optional<PartitionName> name = ParseLogMappingName(*registered->key);
    if (!name) co_return OkStatus();
    const std::string config_key = StreamConfigKey(name->ns, name->name);
    const std::string partition_key = PartitionKeyOf(name->ns, name->name, name->partition);
    Task<Result<ReadAnswer>> get_partition = job_.Get(Partition::OfKey(partition_key), partition_key);
    LS_CO_ASSIGN(const ReadAnswer partition, co_await get_partition);
    // Read last: a drop changes it before it fences.
    Task<Result<ReadAnswer>> get_config = job_.Get(Partition::OfKey(config_key), config_key);
    LS_CO_ASSIGN(const ReadAnswer config, co_await get_config);
    if (!config || !partition) co_return OkStatus();
    const Result<StreamConfigRecord> stream = DecodeStreamConfig(config->value.text(), config_key);
    const Result<LogMetadataRecord> metadata = DecodeLogMetadata(partition->value.text(), partition_key);
    if (!stream.ok() || !metadata.ok() || stream->state != ProvisioningState::kActive) co_return OkStatus();
    if (metadata->log != log || metadata->deleted || name->partition >= stream->partitions) co_return OkStatus();
    job_.Report(Finding(FindingKind::kFencedLogOfActiveStream)
                    .With("log", log.value())
                    .With("stream", name->ns + "/" + name->name)
                    .With("partition", name->partition));
    co_return OkStatus();
  }

  Task<Status> CheckLease(const MetadataRecord& record) {
    const LogId log = *LogOfRecordKey(record.key);
    job_.SeeLogId(log, record.key);
    const std::string prefix = WriteLeaseKeys(log).first;
    const bool token = record.key.substr(prefix.size()) == record.value.text();
    if (record.ephemeral && token) co_return OkStatus();
    Task<Result<bool>> look = job_.StillStands(Partition::OfLog(log), record.key, record.version);
    LS_CO_ASSIGN(const bool stands, co_await look);
    if (!stands) co_return OkStatus();
    if (!token) ReportUnreadable(record, Corrupt("a lease's value is not its token"));
    if (!record.ephemeral) {
      job_.Report(Finding(FindingKind::kLeaseWithoutSession).With("record", record.key).With("log", log.value()));
    }
    co_return OkStatus();
  }

  Task<Status> CheckClaim(const MetadataRecord& record) {
    const LogId log = *LogOfCompactionClaimKey(record.key);
    job_.SeeLogId(log, record.key);
    if (record.ephemeral) co_return OkStatus();
    Task<Result<bool>> look = job_.StillStands(Partition::OfLog(log), record.key, record.version);
    LS_CO_ASSIGN(const bool stands, co_await look);
    if (!stands) co_return OkStatus();
    job_.Report(Finding(FindingKind::kClaimWithoutSession).With("record", record.key).With("log", log.value()));
    co_return OkStatus();
  }

  Task<Status> CheckConfig(const MetadataRecord& record) {
    const Result<StreamConfigRecord> config = DecodeStreamConfig(record.value.text(), record.key);
    ReportUnreadable(record, config.status());
    if (!config.ok()) co_return OkStatus();
    const std::string_view path = std::string_view(record.key).substr(StreamConfigKey("", "").size() - 1);
    const std::string ns(path.substr(0, path.find('/')));
    const std::string name(path.substr(path.find('/') + 1));
    if (config->state == ProvisioningState::kProvisioning) {
      const DeploymentTimes& times = job_.options.times;
      const std::int64_t age_ms = ToMillis(job_.runtime.clock.Wall()) - record.created_ms;
      if (age_ms < ToMillis(times.publish_deadline + times.index_deadline)) co_return OkStatus();
      job_.Report(Finding(FindingKind::kUnfinishedCreation).With("stream", ns + "/" + name));
    }
    if (config->state != ProvisioningState::kActive) co_return OkStatus();
    const std::string ns_key = NamespaceKey(ns);
    Task<Result<ReadAnswer>> get = job_.Get(Partition::OfKey(ns_key), ns_key);
    LS_CO_ASSIGN(const ReadAnswer space, co_await get);
    if (!space) job_.Report(Finding(FindingKind::kStreamWithoutNamespace).With("stream", ns + "/" + name));
    for (std::int32_t from = 0; from < config->partitions; from += kPartitionsAtOnce) {
      Task<Status> check = CheckPartitions(record, ns, name, from, std::min(config->partitions, from + kPartitionsAtOnce));
      LS_CO_TRY(co_await check);
    }
    co_return OkStatus();
  }

  Task<Status> CheckPartitions(const MetadataRecord& config, std::string ns, std::string name, std::int32_t from,
                               std::int32_t to) {
    std::vector<ReadRequest> requests;
    for (std::int32_t i = from; i < to; ++i) {
      const std::string key = PartitionKeyOf(ns, name, i);
      requests.push_back(ReadRequest{Partition::OfKey(key), key, KeyComparison::kEqual});
    }
    LS_CO_ASSIGN(const std::vector<ReadAnswer> answers, co_await job_.meta.Read(job_.context, std::move(requests)));
    std::vector<std::int32_t> lacking;
    for (std::int32_t i = from; i < to; ++i) {
      const ReadAnswer& answer = answers[static_cast<std::size_t>(i - from)];
      // One that cannot be read is told by itself.
      const Result<LogMetadataRecord> metadata =
          answer ? DecodeLogMetadata(answer->value.text(), answer->key) : LogMetadataRecord();
      if (metadata.ok() && (!metadata->log || metadata->deleted)) lacking.push_back(i);
    }
    if (lacking.empty()) co_return OkStatus();
    // A drop changes the configuration before it removes anything.
    Task<Result<bool>> look = job_.StillStands(Partition::OfKey(config.key), config.key, config.version);
    LS_CO_ASSIGN(const bool stands, co_await look);
    if (!stands) co_return OkStatus();
    for (const std::int32_t partition : lacking) {
      job_.Report(Finding(FindingKind::kStreamLacksPartition)
                      .With("stream", ns + "/" + name)
                      .With("partition", partition));
    }
    co_return OkStatus();
  }

  Task<Status> CheckPartition(const MetadataRecord& record) {
    const Result<LogMetadataRecord> metadata = DecodeLogMetadata(record.value.text(), record.key);
    ReportUnreadable(record, metadata.status());
    if (!metadata.ok() || !metadata->log || metadata->deleted) co_return OkStatus();
    const LogId log = *metadata->log;
    job_.SeeLogId(log, record.key);
    const PartitionName name = *ParsePartitionKey(record.key);
    const std::string config_key = StreamConfigKey(name.ns, name.name);
    const std::string tombstone_key = StreamTombstoneKey(name.ns, name.name);
    const std::string registration_key = LogRegistrationKey(log);
    const std::string mapping_name = LogMappingNameOf(name.ns, name.name, name.partition);
    const std::string mapping_key = LogMappingKey(mapping_name);
    std::vector<ReadRequest> requests;
    requests.push_back(ReadRequest{Partition::OfKey(registration_key), registration_key, KeyComparison::kEqual});
    requests.push_back(ReadRequest{Partition::Named(kLogIdGeneratorKey), mapping_key, KeyComparison::kEqual});
    LS_CO_ASSIGN(const std::vector<ReadAnswer> ids, co_await job_.meta.Read(job_.context, std::move(requests)));
    // Read after the ids: a drop, or the undoing of a creation, changes the configuration first and removes this record
    // before it.
    Task<Result<ReadAnswer>> get_tombstone = job_.Get(Partition::OfKey(tombstone_key), tombstone_key);
    LS_CO_ASSIGN(const ReadAnswer tombstone, co_await get_tombstone);
    Task<Result<ReadAnswer>> get_config = job_.Get(Partition::OfKey(config_key), config_key);
    LS_CO_ASSIGN(const ReadAnswer config, co_await get_config);
    Task<Result<bool>> look = job_.StillStands(Partition::OfKey(record.key), record.key, record.version);
    LS_CO_ASSIGN(const bool stands, co_await look);
    if (!stands || (!config && tombstone)) co_return OkStatus();
    if (!config) {
      job_.Report(Finding(FindingKind::kPartitionWithoutStream).With("record", record.key).With("log", log.value()));
      co_return OkStatus();
    }
    const Result<StreamConfigRecord> stream = DecodeStreamConfig(config->value.text(), config_key);
    if (!stream.ok() || stream->state != ProvisioningState::kActive) co_return OkStatus();
    std::int32_t partitions = stream->partitions;
    if (stream->pending_expansion) partitions = std::max(partitions, stream->pending_expansion->target_partitions);
    if (name.partition >= partitions) {
      job_.Report(Finding(FindingKind::kPartitionWithoutStream).With("record", record.key).With("log", log.value()));
      co_return OkStatus();
    }
    const Status bound = CheckBinding(log, mapping_name, ids[0], ids[1]);
    if (bound.ok()) co_return OkStatus();
    job_.Report(Finding(FindingKind::kLogIdsDisagree)
                    .With("log", log.value())
                    .With("record", record.key)
                    .With("why", bound.message()));
    co_return OkStatus();
  }

  Task<Status> CheckRegistration(const MetadataRecord& record) {
    const LogId log(*ParseDecimal(std::string_view(record.key).substr(LogRegistrationKeys().first.size())));
    job_.SeeLogId(log, record.key);
    const Result<LogRegistrationRecord> registered = DecodeLogRegistration(record.value.text(), record.key);
    ReportUnreadable(record, registered.status());
    if (!registered.ok() || !registered->key) co_return OkStatus();
    const std::string mapping_key = LogMappingKey(*registered->key);
    Task<Result<ReadAnswer>> get = job_.Get(Partition::Named(kLogIdGeneratorKey), mapping_key);
    LS_CO_ASSIGN(const ReadAnswer mapping, co_await get);
    const Result<LogMappingRecord> bound =
        mapping ? DecodeLogMapping(mapping->value.text(), mapping_key) : NotFound("the name is bound to no log id");
    // One that cannot be read is told by itself.
    if (bound.status().code() == StatusCode::kCorrupt) co_return OkStatus();
    if (bound.ok() && bound->log == log) co_return OkStatus();
    Task<Result<bool>> look = job_.StillStands(Partition::OfKey(record.key), record.key, record.version);
    LS_CO_ASSIGN(const bool stands, co_await look);
    if (!stands) co_return OkStatus();
    Finding finding(FindingKind::kLogIdsDisagree);
    finding.With("log", log.value()).With("record", record.key);
    job_.Report(bound.ok() ? finding.With("why", "the name is bound to another log id").With("bound_to", bound->log.value())
                           : finding.With("why", bound.status().message()));
    co_return OkStatus();
  }

  Task<Status> CheckGenerator() {
    if (!job_.greatest_log) co_return OkStatus();
    const std::string key(kLogIdGeneratorKey);
    Task<Result<ReadAnswer>> get = job_.Get(Partition::OfKey(key), key);
    LS_CO_ASSIGN(const ReadAnswer generator, co_await get);
    if (generator && job_.greatest_log->value() <= generator->version) co_return OkStatus();
    Finding finding(FindingKind::kLogIdNotGivenOut);
    finding.With("log", job_.greatest_log->value()).With("object", job_.greatest_log_seen_in);
    if (generator) finding.With("given_out", generator->version);
    job_.Report(finding);
    co_return OkStatus();
  }

  FsckJob& job_;
};

}  // namespace

Task<Status> CheckCatalog(FsckJob& job) {
  CatalogPass pass(job);
  Task<Status> run = pass.Run();
  co_return co_await run;
}

}  // namespace lakestream
