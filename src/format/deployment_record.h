#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "format/json.h"
#include "lakestream/status.h"

namespace lakestream {

inline constexpr std::string_view kDeploymentKey = "/lakestream/deployment";
inline constexpr std::int32_t kFormatVersion = 3;
/// Who compacts as this project does: by the records of format/compaction_record.h.
inline constexpr std::string_view kCompactorFamily = "lakestream";

/// What all processes of a deployment must agree on. Stored as JSON under kDeploymentKey, with these names.
struct DeploymentRecord {
  std::int32_t format_version = kFormatVersion;
  std::string deployment_id;  ///< a UUID, lower case
  std::int64_t epoch = 1;     ///< at least 1; a restore writes a new one
  std::string wal_root = "wal";
  std::string compacted_root = "compacted";
  std::int64_t grace_ms = 86'400'000;         ///< at least 10 * (publish_deadline_ms + index_deadline_ms)
  std::int64_t publish_deadline_ms = 30'000;  ///< at least 1
  std::int64_t index_deadline_ms = 30'000;    ///< at least 1
  std::int32_t metadata_shards = 1;           ///< 1 to 255; part of how local stores lay out keys
  /// Whose compactors work here: those of two families would not know of each other. 1 to 64 of a-z, 0-9 and "-".
  std::string compactor_family = std::string(kCompactorFamily);
  std::vector<JsonMember> unknown;            ///< fields of later releases; kept and written last
  friend bool operator==(const DeploymentRecord&, const DeploymentRecord&) = default;
};

/// Errors: invalid_argument for values out of range.
Result<std::string> EncodeDeploymentRecord(const DeploymentRecord& record);
/// Errors: unimplemented for another format version (names both); corrupt for anything else that the encoder
/// refuses, for missing fields and wrong types, naming the field.
Result<DeploymentRecord> DecodeDeploymentRecord(std::string_view value);

}  // namespace lakestream
