#include "format/collection_hold.h"

#include <algorithm>
#include <utility>

#include "base/try.h"

namespace lakestream {

namespace {

constexpr std::size_t kMaxNameBytes = 100;
constexpr std::string_view kReason = "reason";

}  // namespace

Status CheckHoldName(std::string_view name) {
  const bool plain = std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  });
  if (plain && !name.empty() && name.size() <= kMaxNameBytes) return OkStatus();
  return InvalidArgument("a hold's name has 1 to 100 of a-z, 0-9 and -").With("name", name);
}

std::string CollectionHoldKey(std::string_view name) { return std::string(kCollectionHoldPrefix) + std::string(name); }

KeyBounds CollectionHoldKeys() {
  const std::string prefix(kCollectionHoldPrefix);
  return KeyBounds{prefix, prefix + "\xef\xbf\xbf"};
}

std::optional<std::string> HoldOfKey(std::string_view key) {
  if (!key.starts_with(kCollectionHoldPrefix)) return std::nullopt;
  const std::string_view name = key.substr(kCollectionHoldPrefix.size());
  if (!CheckHoldName(name).ok()) return std::nullopt;
  return std::string(name);
}

Result<std::string> EncodeCollectionHold(const CollectionHold& hold) {
  if (hold.reason.empty()) return InvalidArgument("a hold has a reason");
  JsonValue json = JsonValue::Object();
  json.Add(kReason, JsonValue::String(hold.reason));
  for (const JsonMember& member : hold.unknown) json.Add(member.name, member.value);
  return DumpJson(json);
}

Result<CollectionHold> DecodeCollectionHold(std::string_view value, std::string_view object) {
  LS_ASSIGN(JsonFields fields, JsonFields::Parse(value, object));
  CollectionHold hold;
  LS_ASSIGN(hold.reason, fields.TakeString(kReason));
  if (hold.reason.empty()) return fields.Fail("a hold has no reason", kReason);
  hold.unknown = fields.TakeRest();
  return hold;
}

}  // namespace lakestream
