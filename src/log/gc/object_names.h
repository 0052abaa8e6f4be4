#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lakestream {

/// Where objects lie, in the order in which a pass goes through them.
enum class ObjectRoot : std::uint8_t { kCompacted, kWal };
inline constexpr int kObjectRoots = 2;

/// "compacted", "wal".
std::string_view ObjectRootName(ObjectRoot root);

/// An object of a deployment by one name: its root, "/", and its key below that.
struct RootedName {
  ObjectRoot root = ObjectRoot::kWal;
  std::string key;

  std::string ToString() const;
  /// Nothing for a text of another form.
  static std::optional<RootedName> Parse(std::string_view text);
  friend bool operator==(const RootedName&, const RootedName&) = default;
};

/// What records name an object by, as 64 bits: a WAL object by its key; a compacted file and its companion by the one
/// name that they share, whatever directory they are in. Two names that are alike in these bits count as one, which keeps
/// an object at most. Nothing for a key that is not of this project's, which is left alone.
std::optional<std::uint64_t> ReferenceOf(ObjectRoot root, std::string_view key);
/// The same of a RAW record's location, and of a name in a file index or a compaction record.
std::uint64_t ReferenceOfLocation(std::string_view location);
std::uint64_t ReferenceOfFile(std::string_view parquet_name);

}  // namespace lakestream
