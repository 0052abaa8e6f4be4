#include "format/metadata_record.h"

#include <optional>

#include "format/catalog_records.h"
#include "format/collection_holds.h"
#include "format/collection_records.h"
#include "format/compaction_record.h"
#include "format/deployment_record.h"
#include "format/entry_index.h"
#include "format/index_key.h"
#include "format/log_isolation.h"
#include "format/log_records.h"
#include "format/topic_record.h"

namespace lakestream {

namespace {

constexpr std::string_view kStreams = "/admin/streams/";
constexpr std::string_view kNamespacesPart = "_namespaces";
constexpr std::string_view kTombstonesPart = "_tombstones";

/// What lies below /admin/streams/ (`rest` is what follows that).
RecordKind ClassifyAdmin(std::string_view rest) {
  const std::size_t slash = rest.find('/');
  if (slash == std::string_view::npos) return RecordKind::kUnknown;
  const std::string_view first = rest.substr(0, slash);
  rest = rest.substr(slash + 1);
  if (first == kNamespacesPart) return CheckNamespaceName(rest).ok() ? RecordKind::kNamespace : RecordKind::kUnknown;
  if (first != kTombstonesPart) {
    return CheckStreamName(first, rest).ok() ? RecordKind::kStreamConfig : RecordKind::kUnknown;
  }
  const std::size_t next = rest.find('/');
  if (next == std::string_view::npos) return RecordKind::kUnknown;
  const bool named = CheckStreamName(rest.substr(0, next), rest.substr(next + 1)).ok();
  return named ? RecordKind::kStreamTombstone : RecordKind::kUnknown;
}

RecordKind ClassifyLogRecord(std::string_view key, LogId log) {
  if (key == TrimMarkerKey(log)) return RecordKind::kTrimMarker;
  if (key == WriteFenceKey(log)) return RecordKind::kWriteFence;
  if (key == CompactionCursorKey(log)) return RecordKind::kCompactionCursor;
  return RecordKind::kWriteLease;
}

template <class Record>
Description DescribeJson(std::string_view key, std::string_view value,
                         Result<Record> (*decode)(std::string_view, std::string_view)) {
  Description description;
  description.damage = decode(value, key).status();
  Result<JsonValue> json = ParseJson(value, key);
  if (json.ok()) {
    description.fields = *std::move(json);
  } else if (!value.empty()) {
    description.fields.AddBytes("value", value);
  }
  return description;
}

Result<DeploymentRecord> DecodeDeployment(std::string_view value, std::string_view) {
  return DecodeDeploymentRecord(value);
}

Result<CompactionRecord> DecodeCompaction(std::string_view value, std::string_view key) {
  return DecodeCompactionRecord(value, *LogOfCompactionRecordKey(key));
}

Description DescribeOffset(std::string_view value, const Result<Offset>& offset) {
  Description description;
  description.damage = offset.status();
  if (offset.ok()) {
    description.fields.Add("offset", JsonValue::Int(offset->value()));
  } else {
    description.fields.AddBytes("value", value);
  }
  return description;
}

Description DescribeMark(std::string_view key, std::string_view value) {
  const Result<std::int64_t> pass = DecodeCollectionMark(value, key);
  Description description;
  description.damage = pass.status();
  if (pass.ok()) {
    description.fields.Add("pass", JsonValue::Int(*pass));
  } else {
    description.fields.AddBytes("value", value);
  }
  return description;
}

Description DescribeBytes(std::string_view name, std::string_view value) {
  Description description;
  if (!value.empty()) description.fields.AddBytes(name, value);
  return description;
}

/// kUnknown where the key is none of a collector's.
RecordKind ClassifyCollection(std::string_view key) {
  if (IsCollectionMark(key)) return RecordKind::kCollectionMark;
  if (NumberOfCollectionPassKey(key)) return RecordKind::kCollectionPass;
  if (NumberOfCollectionResultKey(key)) return RecordKind::kCollectionResult;
  if (PassOfCandidatesKey(key)) return RecordKind::kCollectionCandidates;
  return RecordKind::kUnknown;
}

}  // namespace

std::string_view RecordKindName(RecordKind kind) {
  switch (kind) {
    case RecordKind::kIndexRecord: return "index_record";
    case RecordKind::kTrimMarker: return "trim_marker";
    case RecordKind::kWriteFence: return "write_fence";
    case RecordKind::kWriteLease: return "write_lease";
    case RecordKind::kCompactionCursor: return "compaction_cursor";
    case RecordKind::kCompaction: return "compaction";
    case RecordKind::kCompactionClaim: return "compaction_claim";
    case RecordKind::kNamespace: return "namespace";
    case RecordKind::kStreamConfig: return "stream_config";
    case RecordKind::kStreamTombstone: return "stream_tombstone";
    case RecordKind::kPartition: return "partition";
    case RecordKind::kLogIdGenerator: return "log_id_generator";
    case RecordKind::kLogIdMapping: return "log_id_mapping";
    case RecordKind::kLogRegistration: return "log_registration";
    case RecordKind::kDeployment: return "deployment";
    case RecordKind::kCollectionHolds: return "collection_holds";
    case RecordKind::kLogIsolation: return "log_isolation";
    case RecordKind::kCollectionMark: return "collection_mark";
    case RecordKind::kCollectionPass: return "collection_pass";
    case RecordKind::kCollectionResult: return "collection_result";
    case RecordKind::kCollectionCandidates: return "collection_candidates";
    case RecordKind::kTopic: return "topic";
    case RecordKind::kUnknown: return "unknown";
  }
  return "unknown";
}

KnownKey ClassifyKey(std::string_view key) {
  KnownKey known;
  known.partition = std::string(key);
  if (const Result<IndexKey> index = IndexKey::Decode(key); index.ok()) {
    known.kind = RecordKind::kIndexRecord;
    known.partition = index->log.ToString();
  } else if (const std::optional<LogId> log = LogOfRecordKey(key)) {
    known.kind = ClassifyLogRecord(key, *log);
    // The cursor alone is written without a partition key (Appendix B).
    if (known.kind != RecordKind::kCompactionCursor) known.partition = log->ToString();
  } else if (const std::optional<LogId> compacted = LogOfCompactionRecordKey(key)) {
    known.kind = RecordKind::kCompaction;
    known.partition = compacted->ToString();
  } else if (const std::optional<LogId> claimed = LogOfCompactionClaimKey(key)) {
    known.kind = RecordKind::kCompactionClaim;
    known.partition = claimed->ToString();
  } else if (key == kLogIdGeneratorKey) {
    known.kind = RecordKind::kLogIdGenerator;
  } else if (key.starts_with(LogMappingKey("")) && key != LogMappingKey("")) {
    known.kind = RecordKind::kLogIdMapping;
    known.partition = kLogIdGeneratorKey;
  } else if (key.starts_with(LogRegistrationKeys().first)) {
    const bool numbered = ParseDecimal(key.substr(LogRegistrationKeys().first.size())).has_value();
    if (numbered) known.kind = RecordKind::kLogRegistration;
  } else if (key.starts_with(kStreams)) {
    known.kind = ClassifyAdmin(key.substr(kStreams.size()));
  } else if (ParsePartitionKey(key)) {
    known.kind = RecordKind::kPartition;
  } else if (key == kDeploymentKey) {
    known.kind = RecordKind::kDeployment;
  } else if (key == kCollectionHoldsKey) {
    known.kind = RecordKind::kCollectionHolds;
  } else if (LogOfIsolationKey(key)) {
    known.kind = RecordKind::kLogIsolation;
    known.partition = kLogIsolationPartition;
  } else if (IsTopicKey(key)) {
    known.kind = RecordKind::kTopic;
  } else {
    known.kind = ClassifyCollection(key);
    const bool placed = known.kind != RecordKind::kUnknown && known.kind != RecordKind::kCollectionMark;
    if (placed) known.partition = kCollectionPartition;
  }
  return known;
}

Description DescribeRecord(std::string_view key, ByteSpan bytes) {
  const std::string_view value = AsText(bytes);
  switch (ClassifyKey(key).kind) {
    case RecordKind::kIndexRecord: return DescribeEntryIndex(bytes, key);
    case RecordKind::kTrimMarker: return DescribeOffset(value, DecodeTrimMarker(value, key));
    case RecordKind::kCompactionCursor: return DescribeOffset(value, DecodeCompactionCursor(value, key));
    case RecordKind::kCompaction: return DescribeJson(key, value, &DecodeCompaction);
    case RecordKind::kCompactionClaim: return DescribeBytes("session", value);
    case RecordKind::kWriteLease: return DescribeBytes("token", value);
    case RecordKind::kNamespace: return DescribeJson(key, value, &DecodeNamespace);
    case RecordKind::kStreamConfig:
    case RecordKind::kStreamTombstone: return DescribeJson(key, value, &DecodeStreamConfig);
    case RecordKind::kPartition: return DescribeJson(key, value, &DecodeLogMetadata);
    case RecordKind::kLogIdMapping: return DescribeJson(key, value, &DecodeLogMapping);
    case RecordKind::kLogRegistration: return DescribeJson(key, value, &DecodeLogRegistration);
    case RecordKind::kDeployment: return DescribeJson(key, value, &DecodeDeployment);
    case RecordKind::kCollectionHolds: return DescribeJson(key, value, &DecodeCollectionHolds);
    case RecordKind::kCollectionMark: return DescribeMark(key, value);
    case RecordKind::kCollectionPass: return DescribeJson(key, value, &DecodeCollectionPass);
    case RecordKind::kCollectionResult: return DescribeJson(key, value, &DecodeCollectionResult);
    case RecordKind::kCollectionCandidates: return DescribeJson(key, value, &DecodeCandidates);
    case RecordKind::kTopic: return DescribeJson(key, value, &DecodeTopic);
    case RecordKind::kWriteFence:
    case RecordKind::kLogIsolation:
    case RecordKind::kLogIdGenerator:
    case RecordKind::kUnknown: break;
  }
  return DescribeBytes("value", value);
}

}  // namespace lakestream
