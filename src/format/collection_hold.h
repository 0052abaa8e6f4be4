#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "format/json.h"
#include "format/log_records.h"
#include "lakestream/status.h"

namespace lakestream {

// Holds: while a deployment has one, nobody deletes its objects. Each is a record of its own, so that whoever releases
// one leaves the others.

inline constexpr std::string_view kCollectionHoldPrefix = "/lakestream/holds/";

/// ok, or invalid_argument: a name has 1 to 100 bytes of a-z, 0-9 and "-".
Status CheckHoldName(std::string_view name);
/// /lakestream/holds/{name}; lives in the partition that its key names.
std::string CollectionHoldKey(std::string_view name);
/// All holds of a deployment.
KeyBounds CollectionHoldKeys();
/// The name in a key; nothing where the key is none of a hold.
std::optional<std::string> HoldOfKey(std::string_view key);

struct CollectionHold {
  std::string reason;               ///< for people; not empty
  std::vector<JsonMember> unknown;  ///< fields of later releases
  friend bool operator==(const CollectionHold&, const CollectionHold&) = default;
};

/// Errors: invalid_argument (no reason).
Result<std::string> EncodeCollectionHold(const CollectionHold& hold);
/// Errors: corrupt. A hold that cannot be read holds all the same.
Result<CollectionHold> DecodeCollectionHold(std::string_view value, std::string_view object);

}  // namespace lakestream
