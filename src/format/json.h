#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lakestream/status.h"

namespace lakestream {

struct JsonMember;

/// A JSON value that keeps the order of members and the text of numbers, so that what this project does not
/// know survives a rewrite. A plain value; the parser behind it is seen by json.cc alone.
struct JsonValue {
  enum class Kind : std::uint8_t { kNull, kBool, kInt, kNumber, kString, kArray, kObject };

  Kind kind = Kind::kNull;
  bool boolean = false;
  std::int64_t integer = 0;  ///< of a kInt
  std::string text;          ///< a kString, or a kNumber as it was written (fractions, beyond 64 bits)
  std::vector<JsonValue> items;
  std::vector<JsonMember> members;

  JsonValue();
  JsonValue(const JsonValue&);
  JsonValue(JsonValue&&) noexcept;
  JsonValue& operator=(const JsonValue&);
  JsonValue& operator=(JsonValue&&) noexcept;
  ~JsonValue();

  static JsonValue Null() { return JsonValue(); }
  static JsonValue Bool(bool value);
  static JsonValue Int(std::int64_t value);
  static JsonValue String(std::string_view value);
  static JsonValue Array() { return OfKind(Kind::kArray); }
  static JsonValue Object() { return OfKind(Kind::kObject); }

  /// Appends a member or an item; returns this value.
  JsonValue& Add(std::string_view name, JsonValue value);
  JsonValue& Append(JsonValue value);
  /// Appends bytes of unknown nature: as a string where they are valid UTF-8, else in Base64 as `name`_base64.
  JsonValue& AddBytes(std::string_view name, std::string_view bytes);
  /// The member, or null.
  const JsonValue* Find(std::string_view name) const;

  friend bool operator==(const JsonValue& a, const JsonValue& b);

 private:
  static JsonValue OfKind(Kind kind);
};

struct JsonMember {
  std::string name;
  JsonValue value;
  friend bool operator==(const JsonMember&, const JsonMember&) = default;
};

/// Deeper documents are refused.
inline constexpr int kMaxJsonDepth = 64;

/// Strict JSON (RFC 8259). Errors: corrupt with object= and offset= (the byte where it breaks), also for a
/// member named twice, more than kMaxJsonDepth levels and numbers that no double can hold.
Result<JsonValue> ParseJson(std::string_view text, std::string_view object);

/// Compact, no white space, members in order; only quotes, backslashes and control characters are escaped.
std::string DumpJson(const JsonValue& value);

using StringMap = std::vector<std::pair<std::string, std::string>>;

/// The members of one JSON object, taken one by one; what is left over is unknown and must be kept.
/// Errors of the Take calls: corrupt, naming object and field.
class JsonFields {
 public:
  /// Parses a document that must be an object.
  static Result<JsonFields> Parse(std::string_view text, std::string_view object);
  /// `path` goes before the names in messages, for example "partitioning.".
  JsonFields(JsonValue value, std::string_view object, std::string_view path)
      : object_(object), path_(path), members_(std::move(value.members)) {}

  Result<std::int64_t> TakeInt(std::string_view name, std::int64_t min, std::int64_t max = kMax);
  Result<std::string> TakeString(std::string_view name);
  /// The optional forms take an absent member and null alike.
  Result<std::optional<std::int64_t>> TakeOptionalInt(std::string_view name, std::int64_t min,
                                                      std::int64_t max = kMax);
  Result<std::optional<std::string>> TakeOptionalString(std::string_view name);
  Result<bool> TakeOptionalBool(std::string_view name, bool absent);
  /// An object of strings; empty when absent.
  Result<StringMap> TakeStringMap(std::string_view name);
  /// A nested object; without members when absent.
  Result<JsonFields> TakeObject(std::string_view name);
  /// The items of an array; none when absent.
  Result<std::vector<JsonValue>> TakeArray(std::string_view name);
  /// Any value as it is.
  std::optional<JsonValue> Take(std::string_view name);
  /// What has not been taken, in order.
  std::vector<JsonMember> TakeRest() { return std::move(members_); }

  Status Fail(std::string_view sentence, std::string_view name) const;
  const std::string& object() const { return object_; }

 private:
  static constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

  std::string object_;
  std::string path_;
  std::vector<JsonMember> members_;
};

/// An object of strings.
JsonValue ToJson(const StringMap& map);

}  // namespace lakestream
