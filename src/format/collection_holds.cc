#include "format/collection_holds.h"

#include <optional>
#include <utility>

#include "base/plain_name.h"
#include "base/try.h"

namespace lakestream {

namespace {

constexpr std::size_t kMaxNameBytes = 100;
constexpr std::size_t kMaxReasonBytes = 1000;
constexpr std::string_view kHolds = "holds";
constexpr std::string_view kName = "name";
constexpr std::string_view kReason = "reason";
constexpr std::string_view kCreated = "created_ms";

Result<CollectionHold> TakeHold(JsonFields fields) {
  CollectionHold hold;
  LS_ASSIGN(hold.name, fields.TakeString(kName));
  if (!CheckHoldName(hold.name).ok()) return fields.Fail("a hold's name has 1 to 100 of a-z, 0-9 and -", kName);
  LS_ASSIGN(hold.reason, fields.TakeString(kReason));
  if (!CheckHoldReason(hold.reason).ok()) return fields.Fail("a hold's reason has 1 to 1000 bytes", kReason);
  LS_ASSIGN(hold.created_ms, fields.TakeInt(kCreated, 0));
  hold.unknown = fields.TakeRest();
  return hold;
}

}  // namespace

Status CheckHoldName(std::string_view name) {
  if (IsPlainName(name, kMaxNameBytes)) return OkStatus();
  return InvalidArgument("a hold's name has 1 to 100 of a-z, 0-9 and -").With("name", name);
}

Status CheckHoldReason(std::string_view reason) {
  if (!reason.empty() && reason.size() <= kMaxReasonBytes) return OkStatus();
  return InvalidArgument("a hold's reason has 1 to 1000 bytes").With("bytes", reason.size());
}

std::string EncodeCollectionHolds(const CollectionHolds& holds) {
  JsonValue list = JsonValue::Array();
  for (const CollectionHold& hold : holds.holds) {
    JsonValue item = JsonValue::Object();
    item.Add(kName, JsonValue::String(hold.name))
        .Add(kReason, JsonValue::String(hold.reason))
        .Add(kCreated, JsonValue::Int(hold.created_ms));
    for (const JsonMember& member : hold.unknown) item.Add(member.name, member.value);
    list.Append(std::move(item));
  }
  JsonValue json = JsonValue::Object();
  json.Add(kHolds, std::move(list));
  for (const JsonMember& member : holds.unknown) json.Add(member.name, member.value);
  return DumpJson(json);
}

Result<CollectionHolds> DecodeCollectionHolds(std::string_view value, std::string_view object) {
  LS_ASSIGN(JsonFields fields, JsonFields::Parse(value, object));
  const std::optional<JsonValue> list = fields.Take(kHolds);
  // Not "none" where it is missing: a record of another form may hold anything.
  if (!list || list->kind != JsonValue::Kind::kArray) return fields.Fail("json field is not an array", kHolds);
  if (list->items.size() > kMaxCollectionHolds) return fields.Fail("there are more than 100 holds", kHolds);
  CollectionHolds holds;
  for (const JsonValue& item : list->items) {
    if (item.kind != JsonValue::Kind::kObject) return fields.Fail("json field is not an object", kHolds);
    LS_ASSIGN(CollectionHold hold, TakeHold(JsonFields(item, object, "holds.")));
    if (!holds.holds.empty() && hold.name <= holds.holds.back().name) {
      return fields.Fail("holds do not ascend", kHolds).With("value", hold.name);
    }
    holds.holds.push_back(std::move(hold));
  }
  holds.unknown = fields.TakeRest();
  return holds;
}

}  // namespace lakestream
