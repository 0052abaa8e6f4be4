#include <initializer_list>
#include <utility>

#include "base/invariant.h"
#include "codec/utf8.h"
#include "format/catalog_records.h"

namespace lakestream {

namespace {

constexpr std::string_view kStreams = "/admin/streams/";
constexpr std::string_view kNamespaces = "/admin/streams/_namespaces/";
constexpr std::string_view kTombstones = "/admin/streams/_tombstones/";
constexpr std::string_view kPartitions = "/streams/";
constexpr std::string_view kRegistrations = "/stream-id/";
constexpr std::string_view kPartitionMark = "-partition-";
constexpr std::string_view kMappingNames = "lakestream-native/";
constexpr std::string_view kMappingMark = "/partition-";
constexpr std::string_view kAfterAll = "\xef\xbf\xbf";  // U+FFFF: after every name, in the same path segment
constexpr std::size_t kMaxNameBytes = 200;

std::string Join(std::initializer_list<std::string_view> parts) {
  std::string out;
  for (const std::string_view part : parts) out += part;
  return out;
}

KeyBounds AllBelow(std::string first) {
  std::string end = Join({first, kAfterAll});
  return KeyBounds{std::move(first), std::move(end)};
}

Status CheckName(std::string_view name, std::string_view field) {
  const auto bad = [&](std::string_view sentence) { return InvalidArgument(sentence).With("field", field); };
  if (name.empty()) return bad("name is empty");
  if (name.size() > kMaxNameBytes) return bad("name has more than 200 bytes").With("bytes", name.size());
  for (std::size_t i = 0; i < name.size();) {
    const std::size_t length = Utf8Length(name.substr(i));
    if (length == 0) return bad("name is not valid utf-8").With("offset", i);
    if (IsControl(name.substr(i, length))) return bad("name holds a control character").With("offset", i);
    i += length;
  }
  if (name.find('/') != std::string_view::npos) return bad("name holds a slash").With("name", name);
  if (name == "." || name == "..") return bad("name is a path of its own").With("name", name);
  if (name.find(".parquet") != std::string_view::npos) return bad("name holds .parquet").With("name", name);
  // Listings end at U+FFFF, so that no name may begin with it or with what sorts after it.
  if (name >= kAfterAll) return bad("name begins with a character above U+FFFE").With("name", name);
  return OkStatus();
}

/// {before}{ns}/{name}{mark}{partition}, read from the right.
std::optional<PartitionName> ParsePartition(std::string_view text, std::string_view before, std::string_view mark) {
  if (!text.starts_with(before)) return std::nullopt;
  const std::string_view rest = text.substr(before.size());
  const std::size_t slash = rest.find('/');
  const std::size_t at = rest.rfind(mark);
  if (slash == std::string_view::npos || at == std::string_view::npos || at <= slash) return std::nullopt;
  const std::optional<std::int64_t> partition = ParseDecimal(rest.substr(at + mark.size()));
  if (!partition || !std::in_range<std::int32_t>(*partition)) return std::nullopt;
  PartitionName name{std::string(rest.substr(0, slash)), std::string(rest.substr(slash + 1, at - slash - 1)),
                     static_cast<std::int32_t>(*partition)};
  if (!CheckStreamName(name.ns, name.name).ok()) return std::nullopt;
  return name;
}

}  // namespace

Status CheckNamespaceName(std::string_view ns) {
  const Status named = CheckName(ns, "namespace");
  if (!named.ok()) return named;
  if (ns[0] == '_')
    return InvalidArgument("namespace begins with an underscore").With("field", "namespace").With("name", ns);
  return OkStatus();
}

Status CheckStreamName(std::string_view ns, std::string_view name) {
  const Status space = CheckNamespaceName(ns);
  return space.ok() ? CheckName(name, "stream") : space;
}

std::string NamespaceKey(std::string_view ns) { return Join({kNamespaces, ns}); }
std::string StreamConfigKey(std::string_view ns, std::string_view name) {
  return Join({kStreams, ns, "/", name});
}
KeyBounds NamespaceKeys() { return AllBelow(std::string(kNamespaces)); }
KeyBounds StreamConfigKeys(std::string_view ns) { return AllBelow(StreamConfigKey(ns, "")); }
std::string StreamTombstoneKey(std::string_view ns, std::string_view name) {
  return Join({kTombstones, ns, "/", name});
}
KeyBounds StreamTombstoneKeys(std::string_view ns) { return AllBelow(StreamTombstoneKey(ns, "")); }

std::string PartitionKeyOf(std::string_view ns, std::string_view name, std::int32_t partition) {
  return Join({kPartitions, LogNameOf(ns, name, partition)});
}

std::string LogNameOf(std::string_view ns, std::string_view name, std::int32_t partition) {
  LS_INVARIANT(partition >= 0, "a partition is not negative");
  return Join({ns, "/", name, kPartitionMark, std::to_string(partition)});
}

std::string LogMappingNameOf(std::string_view ns, std::string_view name, std::int32_t partition) {
  LS_INVARIANT(partition >= 0, "a partition is not negative");
  return Join({kMappingNames, ns, "/", name, kMappingMark, std::to_string(partition)});
}

std::string LogMappingKey(std::string_view mapping_name) {
  return Join({kLogIdGeneratorKey, "/", mapping_name});
}
std::string LogRegistrationKey(LogId log) { return Join({kRegistrations, log.ToString()}); }
KeyBounds LogRegistrationKeys() { return AllBelow(std::string(kRegistrations)); }

std::optional<PartitionName> ParsePartitionKey(std::string_view key) {
  return ParsePartition(key, kPartitions, kPartitionMark);
}

std::optional<PartitionName> ParseLogMappingName(std::string_view mapping_name) {
  return ParsePartition(mapping_name, kMappingNames, kMappingMark);
}

}  // namespace lakestream
