#include "format/catalog_records.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "base/try.h"

namespace lakestream {

namespace {

constexpr std::int64_t kMaxInt32 = std::numeric_limits<std::int32_t>::max();
constexpr std::string_view kNumPartitions = "numPartitions";
constexpr std::string_view kNativeCreate = "NATIVE_CREATE";
constexpr std::array<std::string_view, 4> kStates = {"ACTIVE", "PROVISIONING", "ABORTING", "DROPPED"};

void AddRest(JsonValue& json, const std::vector<JsonMember>& unknown) {
  for (const JsonMember& member : unknown) json.Add(member.name, member.value);
}
void AddIfSet(JsonValue& json, std::string_view name, const std::optional<std::string>& value) {
  if (value) json.Add(name, JsonValue::String(*value));
}
void AddIfSet(JsonValue& json, std::string_view name, const std::optional<std::int64_t>& value) {
  if (value) json.Add(name, JsonValue::Int(*value));
}
void AddIfSet(JsonValue& json, std::string_view name, const std::optional<JsonValue>& value) {
  if (value) json.Add(name, *value);
}
JsonValue OrNull(const std::optional<std::string>& value) {
  return value ? JsonValue::String(*value) : JsonValue::Null();
}
JsonValue OrNull(const std::optional<std::int64_t>& value) {
  return value ? JsonValue::Int(*value) : JsonValue::Null();
}

// What is written must be readable; anything else is the caller's mistake.
template <class Record>
Result<std::string> Verified(const JsonValue& json,
                             Result<Record> (*decode)(std::string_view, std::string_view)) {
  std::string text = DumpJson(json);
  const Result<Record> again = decode(text, "new record");
  if (!again.ok()) return again.status().As(StatusCode::kInvalidArgument);
  return text;
}

Status CheckPartitionCount(const JsonFields& fields, const StreamConfigRecord& record) {
  for (const auto& [name, value] : record.partitioning.config) {
    if (name != kNumPartitions) continue;
    const std::optional<std::int64_t> count = ParseDecimal(value);
    if (count && *count == record.partitions) return OkStatus();
    return fields.Fail("partition counts disagree", "partitioning.config.numPartitions")
        .With("value", value)
        .With("partitions", record.partitions);
  }
  return fields.Fail("json field is missing", "partitioning.config.numPartitions");
}

Status TakeExpansion(JsonFields& fields, StreamConfigRecord& record) {
  std::optional<JsonValue> value = fields.Take("_pendingExpansion");
  if (!value || value->kind == JsonValue::Kind::kNull) return OkStatus();
  if (value->kind != JsonValue::Kind::kObject)
    return fields.Fail("json field is not an object", "_pendingExpansion");
  JsonFields inner(*std::move(value), fields.object(), "_pendingExpansion.");
  StreamConfigRecord::PendingExpansion expansion;
  LS_ASSIGN(const std::int64_t base, inner.TakeInt("basePartitions", 0, kMaxInt32));
  LS_ASSIGN(const std::int64_t target, inner.TakeInt("targetPartitions", base, kMaxInt32));
  expansion.base_partitions = static_cast<std::int32_t>(base);
  expansion.target_partitions = static_cast<std::int32_t>(target);
  expansion.unknown = inner.TakeRest();
  record.pending_expansion = std::move(expansion);
  return OkStatus();
}

// _provisioning and _provisioningState stand together, and only where the stream is not active.
Result<ProvisioningState> TakeState(JsonFields& fields) {
  LS_ASSIGN(const bool provisioning, fields.TakeOptionalBool("_provisioning", false));
  LS_ASSIGN(const std::optional<std::string> name, fields.TakeOptionalString("_provisioningState"));
  if (!name) {
    if (provisioning) return fields.Fail("json field is missing", "_provisioningState");
    return ProvisioningState::kActive;
  }
  const auto it = std::find(kStates.begin(), kStates.end(), *name);
  if (it == kStates.end()) return fields.Fail("state is unknown", "_provisioningState").With("value", *name);
  const auto state = static_cast<ProvisioningState>(it - kStates.begin());
  if (provisioning != (state != ProvisioningState::kActive)) {
    return fields.Fail("state and flag disagree", "_provisioningState").With("value", *name);
  }
  return state;
}

Status TakeNested(JsonFields& fields, StreamConfigRecord& record) {
  LS_ASSIGN(JsonFields config, fields.TakeObject("streamConfig"));
  LS_ASSIGN(record.stream_config.properties, config.TakeStringMap("properties"));
  record.stream_config.unknown = config.TakeRest();

  LS_ASSIGN(JsonFields partitioning, fields.TakeObject("partitioning"));
  LS_ASSIGN(std::optional<std::string> strategy, partitioning.TakeOptionalString("strategy"));
  if (strategy) record.partitioning.strategy = *std::move(strategy);
  LS_ASSIGN(record.partitioning.config, partitioning.TakeStringMap("config"));
  record.partitioning.unknown = partitioning.TakeRest();

  LS_ASSIGN(JsonFields schema, fields.TakeObject("schema"));
  LS_ASSIGN(std::optional<std::string> type, schema.TakeOptionalString("schemaType"));
  if (type) record.schema.schema_type = *std::move(type);
  LS_ASSIGN(record.schema.properties, schema.TakeStringMap("properties"));
  record.schema.unknown = schema.TakeRest();
  return OkStatus();
}

Result<std::vector<LogId>> TakeLogs(JsonFields& fields, std::string_view name) {
  LS_ASSIGN(const std::vector<JsonValue> items, fields.TakeArray(name));
  std::vector<LogId> logs;
  for (const JsonValue& item : items) {
    if (item.kind != JsonValue::Kind::kInt || item.integer < 0)
      return fields.Fail("json item is not a log id", name);
    logs.push_back(LogId(item.integer));
  }
  return logs;
}

Status TakeRegistrant(JsonFields& fields, LogMetadataRecord& record) {
  LS_ASSIGN(std::optional<std::string> incarnation, fields.TakeOptionalString("registrationIncarnationId"));
  LS_ASSIGN(std::optional<std::string> token, fields.TakeOptionalString("registrationOwnerToken"));
  LS_ASSIGN(const std::optional<std::int64_t> generation,
            fields.TakeOptionalInt("registrationOwnerGeneration", 0));
  if (!incarnation && !token && !generation) return OkStatus();
  if (!incarnation || !token || !generation) {
    return fields.Fail("registration fields are not all set", "registrationIncarnationId");
  }
  record.registrant = LogRegistrant{*std::move(incarnation), *std::move(token), *generation};
  return OkStatus();
}

Status TakeRetired(JsonFields& fields, LogMetadataRecord& record) {
  LS_ASSIGN(record.retired_logs, TakeLogs(fields, "retiredStreamIds"));
  LS_ASSIGN(record.purgeable_retired_logs, TakeLogs(fields, "purgeableRetiredStreamIds"));
  LS_ASSIGN(std::vector<JsonValue> mappings, fields.TakeArray("retiredStreamMappings"));
  for (JsonValue& item : mappings) {
    if (item.kind != JsonValue::Kind::kObject)
      return fields.Fail("json item is not an object", "retiredStreamMappings");
    JsonFields inner(std::move(item), fields.object(), "retiredStreamMappings.");
    RetiredMapping mapping;
    LS_ASSIGN(const std::int64_t log, inner.TakeInt("streamId", 0));
    mapping.log = LogId(log);
    LS_ASSIGN(mapping.mapping_key, inner.TakeString("mappingKey"));
    if (const std::optional<JsonValue> purge = inner.Take("purge")) {
      if (purge->kind != JsonValue::Kind::kBool) return inner.Fail("json field is not a boolean", "purge");
      mapping.purge = purge->boolean;
    }
    record.retired_mappings.push_back(std::move(mapping));
  }
  LS_ASSIGN(std::vector<JsonValue> keys, fields.TakeArray("retiredMappingKeys"));
  for (JsonValue& key : keys) {
    if (key.kind != JsonValue::Kind::kString)
      return fields.Fail("json item is not a string", "retiredMappingKeys");
    record.retired_mapping_keys.push_back(std::move(key.text));
  }
  return OkStatus();
}

void AddLogs(JsonValue& json, std::string_view name, const std::vector<LogId>& logs) {
  if (logs.empty()) return;
  JsonValue items = JsonValue::Array();
  for (const LogId log : logs) items.Append(JsonValue::Int(log.value()));
  json.Add(name, std::move(items));
}

void AddRetired(JsonValue& json, const LogMetadataRecord& record) {
  AddLogs(json, "retiredStreamIds", record.retired_logs);
  AddLogs(json, "purgeableRetiredStreamIds", record.purgeable_retired_logs);
  if (!record.retired_mappings.empty()) {
    JsonValue items = JsonValue::Array();
    for (const RetiredMapping& mapping : record.retired_mappings) {
      JsonValue item = JsonValue::Object();
      item.Add("streamId", JsonValue::Int(mapping.log.value()))
          .Add("mappingKey", JsonValue::String(mapping.mapping_key));
      if (mapping.purge) item.Add("purge", JsonValue::Bool(*mapping.purge));
      items.Append(std::move(item));
    }
    json.Add("retiredStreamMappings", std::move(items));
  }
  if (!record.retired_mapping_keys.empty()) {
    JsonValue items = JsonValue::Array();
    for (const std::string& key : record.retired_mapping_keys) items.Append(JsonValue::String(key));
    json.Add("retiredMappingKeys", std::move(items));
  }
}

}  // namespace

std::string_view ProvisioningStateName(ProvisioningState state) {
  return kStates[static_cast<std::size_t>(state)];
}

void StreamConfigRecord::SetPartitions(std::int32_t count) {
  partitions = count;
  for (auto& [name, value] : partitioning.config) {
    if (name != kNumPartitions) continue;
    value = std::to_string(count);
    return;
  }
  partitioning.config.emplace_back(kNumPartitions, std::to_string(count));
}

Result<std::string> EncodeStreamConfig(const StreamConfigRecord& r) {
  JsonValue config = JsonValue::Object();
  config.Add("properties", ToJson(r.stream_config.properties));
  AddRest(config, r.stream_config.unknown);
  JsonValue partitioning = JsonValue::Object();
  partitioning.Add("strategy", JsonValue::String(r.partitioning.strategy))
      .Add("config", ToJson(r.partitioning.config));
  AddRest(partitioning, r.partitioning.unknown);
  JsonValue schema = JsonValue::Object();
  schema.Add("schemaType", JsonValue::String(r.schema.schema_type))
      .Add("properties", ToJson(r.schema.properties));
  AddRest(schema, r.schema.unknown);

  JsonValue json = JsonValue::Object();
  json.Add("partitions", JsonValue::Int(r.partitions))
      .Add("properties", ToJson(r.properties))
      .Add("streamConfig", std::move(config))
      .Add("partitioning", std::move(partitioning))
      .Add("schema", std::move(schema));
  if (r.pending_expansion) {
    JsonValue expansion = JsonValue::Object();
    expansion.Add("basePartitions", JsonValue::Int(r.pending_expansion->base_partitions))
        .Add("targetPartitions", JsonValue::Int(r.pending_expansion->target_partitions));
    AddRest(expansion, r.pending_expansion->unknown);
    json.Add("_pendingExpansion", std::move(expansion));
  }
  AddIfSet(json, "_propertiesSourceRevision", r.properties_source_revision);
  AddIfSet(json, "materialization", r.materialization);
  AddIfSet(json, "_incarnationId", r.incarnation_id);
  AddIfSet(json, "_ownerToken", r.owner_token);
  AddIfSet(json, "_ownerGeneration", r.owner_generation);
  AddIfSet(json, "_metadataSourceOwnerToken", r.metadata_source_owner_token);
  AddIfSet(json, "_metadataSourceGeneration", r.metadata_source_generation);
  json.Add("_creationKind", JsonValue::String(r.creation_kind));
  if (r.state != ProvisioningState::kActive) {
    json.Add("_provisioning", JsonValue::Bool(true))
        .Add("_provisioningState", JsonValue::String(ProvisioningStateName(r.state)));
  }
  if (r.purge_requested) json.Add("_purgeRequested", JsonValue::Bool(true));
  AddRest(json, r.unknown);
  return Verified(json, &DecodeStreamConfig);
}

Result<StreamConfigRecord> DecodeStreamConfig(std::string_view value, std::string_view object) {
  LS_ASSIGN(JsonFields fields, JsonFields::Parse(value, object));
  StreamConfigRecord r;
  LS_ASSIGN(const std::int64_t partitions, fields.TakeInt("partitions", 0, kMaxInt32));
  r.partitions = static_cast<std::int32_t>(partitions);
  LS_ASSIGN(r.properties, fields.TakeStringMap("properties"));
  LS_TRY(TakeNested(fields, r));
  LS_TRY(CheckPartitionCount(fields, r));
  LS_TRY(TakeExpansion(fields, r));
  r.properties_source_revision = fields.Take("_propertiesSourceRevision");
  r.materialization = fields.Take("materialization");
  LS_ASSIGN(r.incarnation_id, fields.TakeOptionalString("_incarnationId"));
  LS_ASSIGN(r.owner_token, fields.TakeOptionalString("_ownerToken"));
  LS_ASSIGN(r.owner_generation, fields.TakeOptionalInt("_ownerGeneration", 0));
  LS_ASSIGN(r.metadata_source_owner_token, fields.TakeOptionalString("_metadataSourceOwnerToken"));
  LS_ASSIGN(r.metadata_source_generation, fields.TakeOptionalInt("_metadataSourceGeneration", 0));
  LS_ASSIGN(r.creation_kind, fields.TakeString("_creationKind"));
  if (r.creation_kind != kNativeCreate) {
    return fields.Fail("stream was created in a way that is not known", "_creationKind")
        .With("value", r.creation_kind);
  }
  LS_ASSIGN(r.state, TakeState(fields));
  LS_ASSIGN(r.purge_requested, fields.TakeOptionalBool("_purgeRequested", false));
  r.unknown = fields.TakeRest();
  return r;
}

Result<std::string> EncodeLogMetadata(const LogMetadataRecord& r) {
  JsonValue json = JsonValue::Object();
  json.Add("streamId", JsonValue::Int(r.log ? r.log->value() : -1))
      .Add("properties", ToJson(r.properties))
      .Add("terminatedOffset", OrNull(r.terminated_offset));
  if (r.registrant) {
    json.Add("registrationIncarnationId", JsonValue::String(r.registrant->incarnation_id))
        .Add("registrationOwnerToken", JsonValue::String(r.registrant->owner_token))
        .Add("registrationOwnerGeneration", JsonValue::Int(r.registrant->owner_generation));
  }
  AddRetired(json, r);
  AddRest(json, r.unknown);
  json.Add("deleted", JsonValue::Bool(r.deleted));
  return Verified(json, &DecodeLogMetadata);
}

Result<LogMetadataRecord> DecodeLogMetadata(std::string_view value, std::string_view object) {
  LogMetadataRecord r;
  if (value.empty()) return r;
  LS_ASSIGN(JsonFields fields, JsonFields::Parse(value, object));
  LS_ASSIGN(const std::int64_t log, fields.TakeInt("streamId", -1));
  if (log >= 0) r.log = LogId(log);
  LS_ASSIGN(r.properties, fields.TakeStringMap("properties"));
  LS_ASSIGN(r.terminated_offset,
            fields.TakeOptionalInt("terminatedOffset", std::numeric_limits<std::int64_t>::min()));
  LS_TRY(TakeRegistrant(fields, r));
  LS_TRY(TakeRetired(fields, r));
  LS_ASSIGN(r.deleted, fields.TakeOptionalBool("deleted", false));
  r.unknown = fields.TakeRest();
  return r;
}

Result<std::string> EncodeLogMapping(const LogMappingRecord& r) {
  JsonValue json = JsonValue::Object();
  json.Add("version", JsonValue::Int(1))
      .Add("state", JsonValue::String(r.tombstone ? "TOMBSTONE" : "ACTIVE"))
      .Add("streamId", JsonValue::Int(r.log.value()))
      .Add("incarnationId", OrNull(r.incarnation_id))
      .Add("ownerToken", OrNull(r.owner_token))
      .Add("ownerGeneration", OrNull(r.owner_generation));
  AddRest(json, r.unknown);
  return Verified(json, &DecodeLogMapping);
}

Result<LogMappingRecord> DecodeLogMapping(std::string_view value, std::string_view object) {
  LogMappingRecord r;
  if (const std::optional<std::int64_t> plain = ParseDecimal(value)) {
    r.log = LogId(*plain);
    return r;
  }
  LS_ASSIGN(JsonFields fields, JsonFields::Parse(value, object));
  LS_TRY(fields.TakeInt("version", 1, 1).status());
  LS_ASSIGN(const std::string state, fields.TakeString("state"));
  if (state != "ACTIVE" && state != "TOMBSTONE")
    return fields.Fail("state is unknown", "state").With("value", state);
  r.tombstone = state == "TOMBSTONE";
  LS_ASSIGN(const std::int64_t log, fields.TakeInt("streamId", 0));
  r.log = LogId(log);
  LS_ASSIGN(r.incarnation_id, fields.TakeOptionalString("incarnationId"));
  LS_ASSIGN(r.owner_token, fields.TakeOptionalString("ownerToken"));
  LS_ASSIGN(r.owner_generation, fields.TakeOptionalInt("ownerGeneration", 0));
  r.unknown = fields.TakeRest();
  return r;
}

Result<std::string> EncodeLogRegistration(const LogRegistrationRecord& r) {
  JsonValue json = JsonValue::Object();
  json.Add("key", OrNull(r.key));
  AddRest(json, r.unknown);
  return Verified(json, &DecodeLogRegistration);
}

Result<LogRegistrationRecord> DecodeLogRegistration(std::string_view value, std::string_view object) {
  LS_ASSIGN(JsonFields fields, JsonFields::Parse(value, object));
  LogRegistrationRecord r;
  LS_ASSIGN(r.key, fields.TakeOptionalString("key"));
  r.unknown = fields.TakeRest();
  return r;
}

Result<std::string> EncodeNamespace(const NamespaceRecord& r) {
  JsonValue json = JsonValue::Object();
  json.Add("properties", ToJson(r.properties));
  AddRest(json, r.unknown);
  return Verified(json, &DecodeNamespace);
}

Result<NamespaceRecord> DecodeNamespace(std::string_view value, std::string_view object) {
  LS_ASSIGN(JsonFields fields, JsonFields::Parse(value, object));
  NamespaceRecord r;
  LS_ASSIGN(r.properties, fields.TakeStringMap("properties"));
  r.unknown = fields.TakeRest();
  return r;
}

}  // namespace lakestream
