#include "sim/catalog_change.h"

#include <string_view>
#include <utility>

#include "format/log_records.h"
#include "sim/log_change.h"

namespace lakestream::sim {
namespace {

constexpr std::string_view kConfigs = "/admin/streams/";
constexpr std::string_view kTombstones = "/admin/streams/_tombstones/";
constexpr std::string_view kMappings = "/stream-id-generator/lakestream-native/";
constexpr std::string_view kMappingMark = "/partition-";
constexpr std::string_view kRegistrations = "/stream-id/";

/// Of a log's records only those that deleting it is about.
CatalogChange::Kind KindOf(LogChange::Kind kind) {
  switch (kind) {
    case LogChange::Kind::kIndex: return CatalogChange::Kind::kIndex;
    case LogChange::Kind::kFence: return CatalogChange::Kind::kFence;
    case LogChange::Kind::kLease: return CatalogChange::Kind::kLease;
    default: return CatalogChange::Kind::kNone;
  }
}

/// Nothing where it cannot be decoded.
template <class Record>
std::optional<Record> Decoded(Result<Record> decoded) {
  return decoded.ok() ? std::optional<Record>(*std::move(decoded)) : std::nullopt;
}

}  // namespace

CatalogChange CatalogChange::OfKey(const std::string& key) {
  CatalogChange named;
  const std::string_view text = key;
  if (text.starts_with(kTombstones)) {
    named.kind = Kind::kTombstone;
    named.stream = text.substr(kTombstones.size());
  } else if (text.starts_with(kConfigs) && !text.starts_with("/admin/streams/_")) {
    named.kind = Kind::kConfig;
    named.stream = text.substr(kConfigs.size());
  } else if (text.starts_with(kMappings)) {
    const std::size_t mark = text.rfind(kMappingMark);
    named.kind = Kind::kMapping;
    named.stream = text.substr(kMappings.size(), mark - kMappings.size());
    named.partition = static_cast<std::int32_t>(ParseDecimal(text.substr(mark + kMappingMark.size())).value_or(-1));
  } else if (text.starts_with(kRegistrations)) {
    named.kind = Kind::kRegistration;
    named.log = LogId(ParseDecimal(text.substr(kRegistrations.size())).value_or(-1));
  } else if (const std::optional<PartitionName> partition = ParsePartitionKey(key)) {
    named.kind = Kind::kRecord;
    named.stream = partition->ns + "/" + partition->name;
    named.partition = partition->partition;
  } else {
    const LogChange of_log = LogChange::OfKey(key);
    named.kind = KindOf(of_log.kind);
    if (named.kind != Kind::kNone) named.log = of_log.log;
  }
  return named;
}

CatalogChange CatalogChange::Of(const MetadataChange& change) {
  const MetadataRecord& record = change.record;
  CatalogChange read = OfKey(record.key);
  if (change.removed) return read;
  const std::string_view value = record.value.text();
  if (read.kind == Kind::kConfig) read.config = Decoded(DecodeStreamConfig(value, record.key));
  if (read.kind == Kind::kMapping) read.mapping = Decoded(DecodeLogMapping(value, record.key));
  if (read.kind == Kind::kRegistration) read.registration = Decoded(DecodeLogRegistration(value, record.key));
  if (read.kind == Kind::kRecord) read.record = Decoded(DecodeLogMetadata(value, record.key));
  return read;
}

}  // namespace lakestream::sim
