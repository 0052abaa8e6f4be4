#include "log/gc/object_names.h"

#include <algorithm>

#include "base/hash64.h"
#include "format/collection_records.h"
#include "log/writer/wal_name.h"

namespace lakestream {

namespace {

constexpr std::string_view kParquet = ".parquet";
constexpr std::string_view kCompanion = ".index";
constexpr std::string_view kOurFiles = "lks-";
constexpr std::string_view kUuidForm = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";

std::uint64_t HashOf(std::string_view kind, std::string_view name) {
  Hash64 hash;
  hash.Add(kind);
  hash.Add(name);
  return hash.End();
}

bool IsUuid(std::string_view text) {
  return std::equal(text.begin(), text.end(), kUuidForm.begin(), kUuidForm.end(), [](char c, char form) {
    return form == '-' ? c == '-' : (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
  });
}

std::string_view WithoutEnd(std::string_view name, std::string_view end) {
  return name.ends_with(end) ? name.substr(0, name.size() - end.size()) : name;
}

/// lks-{uuid}.parquet or .index, two directories deep.
bool IsOurFile(std::string_view key) {
  if (std::count(key.begin(), key.end(), '/') != 2) return false;
  const std::string_view name = key.substr(key.rfind('/') + 1);
  if (!name.starts_with(kOurFiles)) return false;
  if (!name.ends_with(kParquet) && !name.ends_with(kCompanion)) return false;
  return IsUuid(name.substr(kOurFiles.size(), name.rfind('.') - kOurFiles.size()));
}

}  // namespace

std::string_view ObjectRootName(ObjectRoot root) { return root == ObjectRoot::kWal ? "wal" : "compacted"; }

std::string RootedName::ToString() const { return std::string(ObjectRootName(root)) + "/" + key; }

std::optional<RootedName> RootedName::Parse(std::string_view text) {
  for (const ObjectRoot root : {ObjectRoot::kCompacted, ObjectRoot::kWal}) {
    const std::string prefix = std::string(ObjectRootName(root)) + "/";
    if (!text.starts_with(prefix) || text.size() == prefix.size()) continue;
    return RootedName{root, std::string(text.substr(prefix.size()))};
  }
  return std::nullopt;
}

std::optional<std::uint64_t> ReferenceOf(ObjectRoot root, std::string_view key) {
  // Of a pass that ended early; nothing ever names it.
  if (IsCollectionProbeName(key)) return HashOf("probe", key);
  if (root == ObjectRoot::kWal) return IsWalObjectName(key) ? std::optional(ReferenceOfLocation(key)) : std::nullopt;
  if (!IsOurFile(key)) return std::nullopt;
  const std::string_view name = key.substr(key.rfind('/') + 1);
  return HashOf("file", WithoutEnd(WithoutEnd(name, kParquet), kCompanion));
}

std::uint64_t ReferenceOfLocation(std::string_view location) { return HashOf("wal", location); }

std::uint64_t ReferenceOfFile(std::string_view parquet_name) {
  return HashOf("file", WithoutEnd(parquet_name, kParquet));
}

}  // namespace lakestream
