#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "format/json.h"
#include "format/log_records.h"
#include "lakestream/status.h"
#include "lakestream/types.h"

namespace lakestream {

// Ursa's catalog records: JSON whose field order is kept, and whose unknown fields survive a rewrite (they are
// written after the known ones; only "deleted" stays last). `object` is the record's key, for messages.
// Decoders fail with corrupt and name the object and the field. Encoders fail with invalid_argument for what
// their decoder would refuse.

// ---- keys ----------------------------------------------------------------------------------------------

inline constexpr std::string_view kLogIdGeneratorKey = "/stream-id-generator";

/// invalid_argument for what no namespace or stream may be called: empty, ".", "..", with "/", control
/// characters or ".parquet", not UTF-8, over 200 bytes; a namespace also not with a leading "_".
Status CheckNamespaceName(std::string_view ns);
Status CheckStreamName(std::string_view ns, std::string_view name);

std::string NamespaceKey(std::string_view ns);                            ///< /admin/streams/_namespaces/{ns}
std::string StreamConfigKey(std::string_view ns, std::string_view name);  ///< /admin/streams/{ns}/{name}
KeyBounds NamespaceKeys();                                                ///< all namespaces
KeyBounds StreamConfigKeys(std::string_view ns);                          ///< all streams of a namespace
std::string StreamTombstoneKey(std::string_view ns, std::string_view name);
KeyBounds StreamTombstoneKeys(std::string_view ns);                       ///< all tombstones of a namespace
struct PartitionName {
  std::string ns;
  std::string name;
  std::int32_t partition = 0;
};

std::string PartitionKeyOf(std::string_view ns, std::string_view name, std::int32_t partition);
/// {ns}/{name}-partition-{i}: the canonical name of a log.
std::string LogNameOf(std::string_view ns, std::string_view name, std::int32_t partition);
/// lakestream-native/{ns}/{name}/partition-{i}: the name under which a log's id is kept.
std::string LogMappingNameOf(std::string_view ns, std::string_view name, std::int32_t partition);
/// Takes a LogMappingNameOf name apart; nothing where it is not exactly of that form.
std::optional<PartitionName> ParseLogMappingName(std::string_view mapping_name);
/// /stream-id-generator/{mapping name}; lives in the partition named kLogIdGeneratorKey.
std::string LogMappingKey(std::string_view mapping_name);
std::string LogRegistrationKey(LogId log);  ///< /stream-id/{L}
KeyBounds LogRegistrationKeys();            ///< all registered logs

/// Reads a PartitionKeyOf key from the right; nothing where the key is not exactly of that form.
std::optional<PartitionName> ParsePartitionKey(std::string_view key);

// ---- stream configuration ------------------------------------------------------------------------------

enum class ProvisioningState : std::uint8_t { kActive, kProvisioning, kAborting, kDropped };
std::string_view ProvisioningStateName(ProvisioningState state);

/// /admin/streams/{ns}/{name}, and its tombstone.
struct StreamConfigRecord {
  struct StreamConfig {
    StringMap properties;
    std::vector<JsonMember> unknown;
    friend bool operator==(const StreamConfig&, const StreamConfig&) = default;
  };
  struct Partitioning {
    std::string strategy = "INDEXED";
    StringMap config;  ///< holds numPartitions, equal to `partitions`
    std::vector<JsonMember> unknown;
    friend bool operator==(const Partitioning&, const Partitioning&) = default;
  };
  struct Schema {
    std::string schema_type = "NONE";
    StringMap properties;
    std::vector<JsonMember> unknown;
    friend bool operator==(const Schema&, const Schema&) = default;
  };
  struct PendingExpansion {
    std::int32_t base_partitions = 0;
    std::int32_t target_partitions = 0;
    std::vector<JsonMember> unknown;
    friend bool operator==(const PendingExpansion&, const PendingExpansion&) = default;
  };

  std::int32_t partitions = 0;
  StringMap properties;
  StreamConfig stream_config;
  Partitioning partitioning;
  Schema schema;
  std::optional<PendingExpansion> pending_expansion;
  std::optional<JsonValue> properties_source_revision;
  std::optional<JsonValue> materialization;
  std::optional<std::string> incarnation_id;
  std::optional<std::string> owner_token;
  std::optional<std::int64_t> owner_generation;
  std::optional<std::string> metadata_source_owner_token;
  std::optional<std::int64_t> metadata_source_generation;
  std::string creation_kind = "NATIVE_CREATE";  ///< no other value is taken
  ProvisioningState state = ProvisioningState::kActive;
  bool purge_requested = false;
  std::vector<JsonMember> unknown;

  /// Sets `partitions` and partitioning.config's numPartitions together.
  void SetPartitions(std::int32_t count);
  friend bool operator==(const StreamConfigRecord&, const StreamConfigRecord&) = default;
};

Result<std::string> EncodeStreamConfig(const StreamConfigRecord& record);
Result<StreamConfigRecord> DecodeStreamConfig(std::string_view value, std::string_view object);

// ---- partitions, ids, namespaces -----------------------------------------------------------------------

struct LogRegistrant {
  std::string incarnation_id;
  std::string owner_token;
  std::int64_t owner_generation = 0;
  friend bool operator==(const LogRegistrant&, const LogRegistrant&) = default;
};

struct RetiredMapping {
  LogId log;
  std::string mapping_key;
  std::optional<bool> purge;
  friend bool operator==(const RetiredMapping&, const RetiredMapping&) = default;
};

/// /streams/{ns}/{name}-partition-{i}: which log a partition is.
struct LogMetadataRecord {
  std::optional<LogId> log;  ///< absent in a node that holds no log yet (stored as -1, or as an empty value)
  StringMap properties;
  std::optional<std::int64_t> terminated_offset;
  std::optional<LogRegistrant> registrant;
  std::vector<LogId> retired_logs;  ///< ascending
  std::vector<LogId> purgeable_retired_logs;
  std::vector<RetiredMapping> retired_mappings;
  std::vector<std::string> retired_mapping_keys;
  bool deleted = false;
  std::vector<JsonMember> unknown;
  friend bool operator==(const LogMetadataRecord&, const LogMetadataRecord&) = default;
};

Result<std::string> EncodeLogMetadata(const LogMetadataRecord& record);
Result<LogMetadataRecord> DecodeLogMetadata(std::string_view value, std::string_view object);

/// /stream-id-generator/{mapping name}: the log id that a mapping name has got.
struct LogMappingRecord {
  LogId log;
  bool tombstone = false;
  std::optional<std::string> incarnation_id;
  std::optional<std::string> owner_token;
  std::optional<std::int64_t> owner_generation;
  std::vector<JsonMember> unknown;
  friend bool operator==(const LogMappingRecord&, const LogMappingRecord&) = default;
};

Result<std::string> EncodeLogMapping(const LogMappingRecord& record);
/// Also takes the older form, a plain decimal log id.
Result<LogMappingRecord> DecodeLogMapping(std::string_view value, std::string_view object);

/// /stream-id/{L}: says that the log exists, and under which mapping name.
struct LogRegistrationRecord {
  std::optional<std::string> key;
  std::vector<JsonMember> unknown;
  friend bool operator==(const LogRegistrationRecord&, const LogRegistrationRecord&) = default;
};

Result<std::string> EncodeLogRegistration(const LogRegistrationRecord& record);
Result<LogRegistrationRecord> DecodeLogRegistration(std::string_view value, std::string_view object);

/// /admin/streams/_namespaces/{ns}.
struct NamespaceRecord {
  StringMap properties;
  std::vector<JsonMember> unknown;
  friend bool operator==(const NamespaceRecord&, const NamespaceRecord&) = default;
};

Result<std::string> EncodeNamespace(const NamespaceRecord& record);
Result<NamespaceRecord> DecodeNamespace(std::string_view value, std::string_view object);

}  // namespace lakestream
