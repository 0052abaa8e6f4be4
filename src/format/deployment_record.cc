#include "format/deployment_record.h"

#include <limits>
#include <optional>
#include <utility>

#include "base/plain_name.h"
#include "base/try.h"

namespace lakestream {

namespace {

constexpr std::int64_t kGraceFactor = 10;
constexpr std::int32_t kMaxShards = 255;  // a shard is one byte of a key, and one value is the store's own
constexpr std::int64_t kMaxMillis = std::int64_t{1} << 53;
constexpr std::size_t kMaxFamilyBytes = 64;

bool IsUuid(std::string_view text) {
  if (text.size() != 36) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool hyphen = i == 8 || i == 13 || i == 18 || i == 23;
    if (hyphen ? c != '-' : !((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'))) return false;
  }
  return true;
}

Status CheckRecord(const DeploymentRecord& r) {
  const auto bad = [](std::string_view sentence, std::string_view field) {
    return Corrupt(sentence).With("object", kDeploymentKey).With("field", field);
  };
  if (!IsUuid(r.deployment_id)) return bad("deployment id is not a lower-case uuid", "deployment_id");
  if (r.epoch < 1) return bad("epoch is below 1", "epoch").With("value", r.epoch);
  if (r.wal_root.empty()) return bad("root is empty", "wal_root");
  if (r.compacted_root.empty()) return bad("root is empty", "compacted_root");
  for (const auto& [name, value] :
       {std::pair("grace_ms", r.grace_ms), std::pair("publish_deadline_ms", r.publish_deadline_ms),
        std::pair("index_deadline_ms", r.index_deadline_ms)}) {
    if (value < 1 || value > kMaxMillis) return bad("duration is out of range", name).With("value", value);
  }
  const std::int64_t deadlines = r.publish_deadline_ms + r.index_deadline_ms;
  if (deadlines > kMaxMillis / kGraceFactor || r.grace_ms < kGraceFactor * deadlines) {
    return bad("grace is below 10 times the sum of the deadlines", "grace_ms")
        .With("value", r.grace_ms)
        .With("publish_deadline_ms", r.publish_deadline_ms)
        .With("index_deadline_ms", r.index_deadline_ms);
  }
  if (r.metadata_shards < 1 || r.metadata_shards > kMaxShards) {
    return bad("shard count is out of range", "metadata_shards").With("value", r.metadata_shards);
  }
  if (!IsPlainName(r.compactor_family, kMaxFamilyBytes)) {
    return bad("compactor family is not 1 to 64 of a-z, 0-9 and \"-\"", "compactor_family");
  }
  return OkStatus();
}

}  // namespace

Result<std::string> EncodeDeploymentRecord(const DeploymentRecord& r) {
  if (r.format_version != kFormatVersion) {
    return InvalidArgument("format version is not written by this release").With("version", r.format_version);
  }
  JsonValue json = JsonValue::Object();
  json.Add("format_version", JsonValue::Int(r.format_version))
      .Add("deployment_id", JsonValue::String(r.deployment_id))
      .Add("epoch", JsonValue::Int(r.epoch))
      .Add("wal_root", JsonValue::String(r.wal_root))
      .Add("compacted_root", JsonValue::String(r.compacted_root))
      .Add("grace_ms", JsonValue::Int(r.grace_ms))
      .Add("publish_deadline_ms", JsonValue::Int(r.publish_deadline_ms))
      .Add("index_deadline_ms", JsonValue::Int(r.index_deadline_ms))
      .Add("metadata_shards", JsonValue::Int(r.metadata_shards))
      .Add("compactor_family", JsonValue::String(r.compactor_family));
  for (const JsonMember& member : r.unknown) json.Add(member.name, member.value);
  std::string text = DumpJson(json);
  const Result<DeploymentRecord> again = DecodeDeploymentRecord(text);
  if (!again.ok()) return again.status().As(StatusCode::kInvalidArgument);
  return text;
}

Result<DeploymentRecord> DecodeDeploymentRecord(std::string_view value) {
  LS_ASSIGN(JsonFields fields, JsonFields::Parse(value, kDeploymentKey));
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t kMaxInt32 = std::numeric_limits<std::int32_t>::max();
  DeploymentRecord r;
  LS_ASSIGN(const std::int64_t version, fields.TakeInt("format_version", 1, kMaxInt32));
  if (version != kFormatVersion) {
    return Unimplemented("deployment has another format version than this release reads")
        .With("version", version)
        .With("supported", kFormatVersion);
  }
  LS_ASSIGN(r.deployment_id, fields.TakeString("deployment_id"));
  LS_ASSIGN(r.epoch, fields.TakeInt("epoch", kLeast));
  LS_ASSIGN(r.wal_root, fields.TakeString("wal_root"));
  LS_ASSIGN(r.compacted_root, fields.TakeString("compacted_root"));
  LS_ASSIGN(r.grace_ms, fields.TakeInt("grace_ms", kLeast));
  LS_ASSIGN(r.publish_deadline_ms, fields.TakeInt("publish_deadline_ms", kLeast));
  LS_ASSIGN(r.index_deadline_ms, fields.TakeInt("index_deadline_ms", kLeast));
  LS_ASSIGN(const std::int64_t shards, fields.TakeInt("metadata_shards", 0, kMaxInt32));
  r.metadata_shards = static_cast<std::int32_t>(shards);
  LS_ASSIGN(std::optional<std::string> family, fields.TakeOptionalString("compactor_family"));
  if (family) r.compactor_family = std::move(*family);
  r.unknown = fields.TakeRest();
  LS_TRY(CheckRecord(r));
  return r;
}

}  // namespace lakestream
