#include "log/backup/manifest.h"

#include <limits>

#include "base/try.h"

namespace lakestream {

std::string EncodeBackupManifest(const BackupManifest& manifest) {
  JsonValue json = JsonValue::Object();
  json.Add("backup_version", JsonValue::Int(manifest.backup_version))
      .Add("deployment_id", JsonValue::String(manifest.deployment_id))
      .Add("epoch", JsonValue::Int(manifest.epoch))
      .Add("made_ms", JsonValue::Int(manifest.made_ms))
      .Add("grace_ms", JsonValue::Int(manifest.grace_ms))
      .Add("records", JsonValue::Int(static_cast<std::int64_t>(manifest.records)))
      .Add("metadata", JsonValue::String(manifest.metadata))
      .Add("wal", JsonValue::String(manifest.wal))
      .Add("compacted", JsonValue::String(manifest.compacted));
  for (const JsonMember& member : manifest.unknown) json.Add(member.name, member.value);
  return DumpJson(json) + "\n";
}

Result<BackupManifest> DecodeBackupManifest(std::string_view text, std::string_view file) {
  LS_ASSIGN(JsonFields fields, JsonFields::Parse(text, file));
  BackupManifest manifest;
  LS_ASSIGN(const std::int64_t version, fields.TakeInt("backup_version", 1, std::numeric_limits<std::int32_t>::max()));
  if (version != kBackupVersion) {
    return Unimplemented("a backup has another version than this release reads")
        .With("file", file)
        .With("backup_version", version)
        .With("supported", kBackupVersion);
  }
  LS_ASSIGN(manifest.deployment_id, fields.TakeString("deployment_id"));
  LS_ASSIGN(manifest.epoch, fields.TakeInt("epoch", 1));
  LS_ASSIGN(manifest.made_ms, fields.TakeInt("made_ms", 0));
  LS_ASSIGN(manifest.grace_ms, fields.TakeInt("grace_ms", 1));
  LS_ASSIGN(const std::int64_t records, fields.TakeInt("records", 0));
  manifest.records = static_cast<std::uint64_t>(records);
  LS_ASSIGN(manifest.metadata, fields.TakeString("metadata"));
  LS_ASSIGN(manifest.wal, fields.TakeString("wal"));
  LS_ASSIGN(manifest.compacted, fields.TakeString("compacted"));
  manifest.unknown = fields.TakeRest();
  return manifest;
}

}  // namespace lakestream
