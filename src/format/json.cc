#include "format/json.h"

#include <cstddef>
#include <nlohmann/json.hpp>
#include <set>

#include "base/try.h"
#include "codec/base64.h"
#include "codec/utf8.h"
#include "lakestream/buffer.h"

namespace lakestream {

namespace {

// Builds the tree as the parser goes. The parser itself does not recurse, so the depth is bounded here.
class TreeBuilder : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit TreeBuilder(std::string_view object) : object_(object) {}

  Result<JsonValue> Take(bool parsed) {
    if (!status_.ok()) return status_;
    if (!parsed) return Fail("text is not valid json");
    return std::move(root_);
  }

  bool null() override { return Place(JsonValue()); }
  bool boolean(bool value) override { return Place(JsonValue::Bool(value)); }
  bool number_integer(number_integer_t value) override { return Place(JsonValue::Int(value)); }
  bool number_unsigned(number_unsigned_t value) override {
    if (std::in_range<std::int64_t>(value)) return Place(JsonValue::Int(static_cast<std::int64_t>(value)));
    return PlaceNumber(std::to_string(value));
  }
  bool number_float(number_float_t, const string_t& text) override { return PlaceNumber(text); }
  bool string(string_t& value) override { return Place(JsonValue::String(value)); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return Open(JsonValue::Object()); }
  bool end_object() override { return Close(); }
  bool start_array(std::size_t) override { return Open(JsonValue::Array()); }
  bool end_array() override { return Close(); }

  bool key(string_t& name) override {
    JsonValue& parent = *open_.back();
    if (!names_.back().insert(name).second) {
      status_ = Corrupt("json member is named twice").With("object", object_).With("field", name);
      return false;
    }
    parent.members.push_back(JsonMember{name, JsonValue()});
    return true;
  }

  bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception&) override {
    if (status_.ok()) status_ = Fail("text is not valid json").With("offset", position);
    return false;
  }

 private:
  Status Fail(std::string_view sentence) const { return Corrupt(sentence).With("object", object_); }

  bool PlaceNumber(std::string text) {
    JsonValue value;
    value.kind = JsonValue::Kind::kNumber;
    value.text = std::move(text);
    return Place(std::move(value));
  }

  JsonValue* Slot(JsonValue value) {
    if (open_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    JsonValue& parent = *open_.back();
    if (parent.kind == JsonValue::Kind::kObject) {
      parent.members.back().value = std::move(value);
      return &parent.members.back().value;
    }
    parent.items.push_back(std::move(value));
    return &parent.items.back();
  }

  bool Place(JsonValue value) {
    Slot(std::move(value));
    return true;
  }

  // A pointer into a parent stays good: the parent grows only after this child is closed.
  bool Open(JsonValue value) {
    if (open_.size() == kMaxJsonDepth) {
      status_ = Fail("json is nested too deeply");
      return false;
    }
    JsonValue* slot = Slot(std::move(value));
    open_.push_back(slot);
    names_.emplace_back();
    return true;
  }

  bool Close() {
    open_.pop_back();
    names_.pop_back();
    return true;
  }

  std::string_view object_;
  Status status_;
  JsonValue root_;
  std::vector<JsonValue*> open_;
  std::vector<std::set<std::string>> names_;
};

void DumpEscape(char c, std::string& out) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  switch (c) {
    case '"': out += "\\\""; break;
    case '\\': out += "\\\\"; break;
    case '\b': out += "\\b"; break;
    case '\f': out += "\\f"; break;
    case '\n': out += "\\n"; break;
    case '\r': out += "\\r"; break;
    case '\t': out += "\\t"; break;
    default:
      out += "\\u00";
      out += kHex[static_cast<unsigned char>(c) >> 4];
      out += kHex[static_cast<unsigned char>(c) & 15];
  }
}

void DumpString(std::string_view text, std::string& out) {
  out += '"';
  std::size_t done = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\') continue;
    out.append(text, done, i - done);
    DumpEscape(c, out);
    done = i + 1;
  }
  out.append(text, done);
  out += '"';
}

void Dump(const JsonValue& value, std::string& out) {
  switch (value.kind) {
    case JsonValue::Kind::kNull: out += "null"; return;
    case JsonValue::Kind::kBool: out += value.boolean ? "true" : "false"; return;
    case JsonValue::Kind::kInt: out += std::to_string(value.integer); return;
    case JsonValue::Kind::kNumber: out += value.text; return;
    case JsonValue::Kind::kString: DumpString(value.text, out); return;
    case JsonValue::Kind::kArray:
      out += '[';
      for (std::size_t i = 0; i < value.items.size(); ++i) {
        if (i > 0) out += ',';
        Dump(value.items[i], out);
      }
      out += ']';
      return;
    case JsonValue::Kind::kObject:
      out += '{';
      for (std::size_t i = 0; i < value.members.size(); ++i) {
        if (i > 0) out += ',';
        DumpString(value.members[i].name, out);
        out += ':';
        Dump(value.members[i].value, out);
      }
      out += '}';
      return;
  }
}

}  // namespace

// Here, where JsonMember is complete.
JsonValue::JsonValue() = default;
JsonValue::JsonValue(const JsonValue&) = default;
JsonValue::JsonValue(JsonValue&&) noexcept = default;
JsonValue& JsonValue::operator=(const JsonValue&) = default;
JsonValue& JsonValue::operator=(JsonValue&&) noexcept = default;
JsonValue::~JsonValue() = default;

bool operator==(const JsonValue& a, const JsonValue& b) {
  return a.kind == b.kind && a.boolean == b.boolean && a.integer == b.integer && a.text == b.text &&
         a.items == b.items && a.members == b.members;
}

JsonValue JsonValue::OfKind(Kind kind) {
  JsonValue value;
  value.kind = kind;
  return value;
}

JsonValue JsonValue::Bool(bool b) {
  JsonValue value = OfKind(Kind::kBool);
  value.boolean = b;
  return value;
}

JsonValue JsonValue::Int(std::int64_t i) {
  JsonValue value = OfKind(Kind::kInt);
  value.integer = i;
  return value;
}

JsonValue JsonValue::String(std::string_view s) {
  JsonValue value = OfKind(Kind::kString);
  value.text = s;
  return value;
}

JsonValue& JsonValue::Add(std::string_view name, JsonValue value) {
  members.push_back(JsonMember{std::string(name), std::move(value)});
  return *this;
}

JsonValue& JsonValue::Append(JsonValue value) {
  items.push_back(std::move(value));
  return *this;
}

JsonValue& JsonValue::AddBytes(std::string_view name, std::string_view bytes) {
  if (IsUtf8(bytes)) return Add(name, String(bytes));
  return Add(std::string(name) + "_base64", String(Base64Encode(AsBytes(bytes))));
}

const JsonValue* JsonValue::Find(std::string_view name) const {
  for (const JsonMember& member : members) {
    if (member.name == name) return &member.value;
  }
  return nullptr;
}

Result<JsonValue> ParseJson(std::string_view text, std::string_view object) {
  TreeBuilder builder(object);
  // The parser steps over a byte order mark, which strict JSON has not.
  if (text.starts_with("\xef\xbb\xbf"))
    return Corrupt("text is not valid json").With("object", object).With("offset", 0);
  const bool parsed = nlohmann::json::sax_parse(text.begin(), text.end(), &builder);
  return builder.Take(parsed);
}

std::string DumpJson(const JsonValue& value) {
  std::string out;
  Dump(value, out);
  return out;
}

Result<JsonFields> JsonFields::Parse(std::string_view text, std::string_view object) {
  LS_ASSIGN(JsonValue value, ParseJson(text, object));
  if (value.kind != JsonValue::Kind::kObject) return Corrupt("json is not an object").With("object", object);
  return JsonFields(std::move(value), object, "");
}

Status JsonFields::Fail(std::string_view sentence, std::string_view name) const {
  return Corrupt(sentence).With("object", object_).With("field", path_ + std::string(name));
}

std::optional<JsonValue> JsonFields::Take(std::string_view name) {
  for (auto it = members_.begin(); it != members_.end(); ++it) {
    if (it->name != name) continue;
    JsonValue value = std::move(it->value);
    members_.erase(it);
    return value;
  }
  return std::nullopt;
}

Result<std::optional<std::int64_t>> JsonFields::TakeOptionalInt(std::string_view name, std::int64_t min,
                                                                std::int64_t max) {
  const std::optional<JsonValue> value = Take(name);
  if (!value || value->kind == JsonValue::Kind::kNull) return std::optional<std::int64_t>();
  if (value->kind != JsonValue::Kind::kInt) return Fail("json field is not a 64-bit integer", name);
  if (value->integer < min || value->integer > max) {
    return Fail("json field is out of range", name).With("value", value->integer);
  }
  return std::optional<std::int64_t>(value->integer);
}

Result<std::int64_t> JsonFields::TakeInt(std::string_view name, std::int64_t min, std::int64_t max) {
  LS_ASSIGN(const std::optional<std::int64_t> value, TakeOptionalInt(name, min, max));
  if (!value) return Fail("json field is missing", name);
  return *value;
}

Result<std::optional<std::string>> JsonFields::TakeOptionalString(std::string_view name) {
  std::optional<JsonValue> value = Take(name);
  if (!value || value->kind == JsonValue::Kind::kNull) return std::optional<std::string>();
  if (value->kind != JsonValue::Kind::kString) return Fail("json field is not a string", name);
  return std::optional<std::string>(std::move(value->text));
}

Result<std::string> JsonFields::TakeString(std::string_view name) {
  LS_ASSIGN(std::optional<std::string> value, TakeOptionalString(name));
  if (!value) return Fail("json field is missing", name);
  return *std::move(value);
}

Result<bool> JsonFields::TakeOptionalBool(std::string_view name, bool absent) {
  const std::optional<JsonValue> value = Take(name);
  if (!value || value->kind == JsonValue::Kind::kNull) return absent;
  if (value->kind != JsonValue::Kind::kBool) return Fail("json field is not a boolean", name);
  return value->boolean;
}

Result<StringMap> JsonFields::TakeStringMap(std::string_view name) {
  std::optional<JsonValue> value = Take(name);
  StringMap map;
  if (!value || value->kind == JsonValue::Kind::kNull) return map;
  if (value->kind != JsonValue::Kind::kObject) return Fail("json field is not an object", name);
  for (JsonMember& member : value->members) {
    if (member.value.kind != JsonValue::Kind::kString) {
      return Fail("json field is not a string", std::string(name) + "." + member.name);
    }
    map.emplace_back(std::move(member.name), std::move(member.value.text));
  }
  return map;
}

Result<JsonFields> JsonFields::TakeObject(std::string_view name) {
  std::optional<JsonValue> value = Take(name);
  if (!value || value->kind == JsonValue::Kind::kNull) value = JsonValue::Object();
  if (value->kind != JsonValue::Kind::kObject) return Fail("json field is not an object", name);
  return JsonFields(*std::move(value), object_, path_ + std::string(name) + ".");
}

Result<std::vector<JsonValue>> JsonFields::TakeArray(std::string_view name) {
  std::optional<JsonValue> value = Take(name);
  if (!value || value->kind == JsonValue::Kind::kNull) return std::vector<JsonValue>();
  if (value->kind != JsonValue::Kind::kArray) return Fail("json field is not an array", name);
  return std::move(value->items);
}

JsonValue ToJson(const StringMap& map) {
  JsonValue object = JsonValue::Object();
  for (const auto& [name, value] : map) object.Add(name, JsonValue::String(value));
  return object;
}

}  // namespace lakestream
