#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "format/json.h"
#include "lakestream/status.h"

namespace lakestream {

// The files of a backup's folder.
inline constexpr std::string_view kBackupManifestFile = "backup.json";  ///< written last
inline constexpr std::string_view kBackupMetadataFile = "metadata.mdb";
inline constexpr std::string_view kBackupConfigFile = "deployment.toml";  ///< where the deployment had one

inline constexpr std::int32_t kBackupVersion = 1;

/// What a copy of the metadata is one of.
struct BackupManifest {
  std::int32_t backup_version = kBackupVersion;
  std::string deployment_id;
  std::int64_t epoch = 1;
  std::int64_t made_ms = 0;   ///< before the copy began; milliseconds since the Unix epoch
  std::int64_t grace_ms = 0;  ///< of the deployment: what the copy names may be collected after that
  std::uint64_t records = 0;
  std::string metadata;   ///< URLs of the deployment that was copied
  std::string wal;
  std::string compacted;
  std::vector<JsonMember> unknown;  ///< fields of later releases
  friend bool operator==(const BackupManifest&, const BackupManifest&) = default;
};

std::string EncodeBackupManifest(const BackupManifest& manifest);
/// Errors: unimplemented (another version), corrupt.
Result<BackupManifest> DecodeBackupManifest(std::string_view text, std::string_view file);

}  // namespace lakestream
