#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "format/json.h"
#include "lakestream/status.h"

namespace lakestream {

// Holds: while a deployment has one, nobody deletes its objects. All of them are one record, so that whoever looks for
// them needs no scan: one that is cut short shows no hold, and that is taken for a permission to delete.

/// Lives in the partition that it names.
inline constexpr std::string_view kCollectionHoldsKey = "/lakestream/holds";
inline constexpr std::size_t kMaxCollectionHolds = 100;

/// ok, or invalid_argument: a name has 1 to 100 bytes of a-z, 0-9 and "-".
Status CheckHoldName(std::string_view name);
/// ok, or invalid_argument: a reason has 1 to 1000 bytes.
Status CheckHoldReason(std::string_view reason);

struct CollectionHold {
  std::string name;
  std::string reason;               ///< for people
  std::int64_t created_ms = 0;      ///< by the clock of who added it
  std::vector<JsonMember> unknown;  ///< fields of later releases
  friend bool operator==(const CollectionHold&, const CollectionHold&) = default;
};

/// Those that stand; none is good, too.
struct CollectionHolds {
  std::vector<CollectionHold> holds;  ///< ascending by name
  std::vector<JsonMember> unknown;
  friend bool operator==(const CollectionHolds&, const CollectionHolds&) = default;
};

/// Requires: as Decode accepts them.
std::string EncodeCollectionHolds(const CollectionHolds& holds);
/// Errors: corrupt. Then nobody knows what is held, and nothing may be deleted.
Result<CollectionHolds> DecodeCollectionHolds(std::string_view value, std::string_view object);

}  // namespace lakestream
