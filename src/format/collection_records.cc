#include "format/collection_records.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/invariant.h"
#include "base/try.h"
#include "format/compaction_record.h"
#include "format/json.h"

namespace lakestream {

namespace {

constexpr std::string_view kPasses = "/lakestream/gc/passes/";
constexpr std::string_view kResults = "/lakestream/gc/results/";
constexpr std::string_view kCandidates = "/lakestream/gc/candidates/";
constexpr std::string_view kProbes = "lakestream-gc/";
constexpr std::string_view kAfterAll = "\xef\xbf\xbf";
constexpr std::size_t kNumberDigits = 20;
constexpr std::size_t kRecordDigits = 10;

std::string Padded(std::int64_t number, std::size_t digits) {
  LS_INVARIANT(number >= 0, "numbers of passes and records are not negative");
  const std::string text = std::to_string(number);
  return std::string(digits - std::min(digits, text.size()), '0') + text;
}

/// The number that just these digits are; nothing for any other text.
std::optional<std::int64_t> NumberOf(std::string_view text, std::size_t digits) {
  if (text.size() != digits) return std::nullopt;
  const std::size_t zeros = std::min(text.find_first_not_of('0'), text.size() - 1);
  return ParseDecimal(text.substr(zeros));
}

std::optional<std::int64_t> NumberBelow(std::string_view family, std::string_view key) {
  if (!key.starts_with(family)) return std::nullopt;
  return NumberOf(key.substr(family.size()), kNumberDigits);
}

KeyBounds Below(std::string_view family) {
  return KeyBounds{std::string(family), std::string(family) + std::string(kAfterAll)};
}

Result<BootStamp> TakeBoot(JsonFields fields) {
  BootStamp boot;
  LS_ASSIGN(boot.boot_id, fields.TakeString("id"));
  if (boot.boot_id.empty()) return fields.Fail("a boot has no name", "id");
  LS_ASSIGN(boot.ms, fields.TakeInt("ms", 0));
  return boot;
}

Result<CollectionCandidate> TakeCandidate(JsonFields fields) {
  CollectionCandidate candidate;
  LS_ASSIGN(candidate.object, fields.TakeString("object"));
  const std::size_t slash = candidate.object.find('/');
  const std::string_view root = std::string_view(candidate.object).substr(0, slash);
  const bool below = slash != std::string::npos && slash + 1 < candidate.object.size();
  if (!below || (root != "wal" && root != "compacted")) {
    return fields.Fail("an object is below no root", "object").With("value", candidate.object);
  }
  LS_ASSIGN(candidate.bytes, fields.TakeInt("bytes", 0));
  LS_ASSIGN(candidate.since_ms, fields.TakeOptionalInt("since_ms", 0));
  return candidate;
}

/// What a writer is refused is what a reader is.
template <class Record>
Result<std::string> Checked(std::string text, Result<Record> (*decode)(std::string_view, std::string_view)) {
  const Status refused = decode(text, "new record").status();
  if (!refused.ok()) return refused.As(StatusCode::kInvalidArgument);
  return text;
}

}  // namespace

KeyBounds MarkedIndexKeys() { return KeyBounds{"0", std::string(kIndexMarkKey) + "~"}; }

KeyBounds MarkedCompactionKeys() {
  KeyBounds bounds = CompactionRecordKeys();
  bounds.end = std::string(kCompactionMarkKey) + "~";
  return bounds;
}

bool IsCollectionMark(std::string_view key) { return key == kIndexMarkKey || key == kCompactionMarkKey; }

std::string EncodeCollectionMark(std::int64_t pass) { return std::to_string(pass); }

Result<std::int64_t> DecodeCollectionMark(std::string_view value, std::string_view object) {
  const std::optional<std::int64_t> pass = ParseDecimal(value);
  if (pass) return *pass;
  return Corrupt("a collector's mark is no number").With("object", object);
}

std::string CollectionProbeName(std::string_view uuid) { return std::string(kProbes) + std::string(uuid); }
bool IsCollectionProbeName(std::string_view name) {
  return name.starts_with(kProbes) && name.size() > kProbes.size() && name.find('/', kProbes.size()) == name.npos;
}

std::string CollectionPassKey(std::int64_t number) { return std::string(kPasses) + Padded(number, kNumberDigits); }
KeyBounds CollectionPassKeys() { return Below(kPasses); }
std::optional<std::int64_t> NumberOfCollectionPassKey(std::string_view key) { return NumberBelow(kPasses, key); }

Result<std::string> EncodeCollectionPass(const CollectionPassRecord& record) {
  const JsonValue json = JsonValue::Object().Add("collector", JsonValue::String(record.collector));
  return Checked(DumpJson(json), &DecodeCollectionPass);
}

Result<CollectionPassRecord> DecodeCollectionPass(std::string_view value, std::string_view object) {
  LS_ASSIGN(JsonFields fields, JsonFields::Parse(value, object));
  CollectionPassRecord record;
  LS_ASSIGN(record.collector, fields.TakeString("collector"));
  if (record.collector.empty()) return fields.Fail("a collector has no name", "collector");
  return record;
}

std::string CollectionResultKey(std::int64_t number) { return std::string(kResults) + Padded(number, kNumberDigits); }
KeyBounds CollectionResultKeys() { return Below(kResults); }
std::optional<std::int64_t> NumberOfCollectionResultKey(std::string_view key) { return NumberBelow(kResults, key); }

Result<std::string> EncodeCollectionResult(const CollectionResultRecord& record) {
  JsonValue json = JsonValue::Object();
  json.Add("pass", JsonValue::Int(record.pass))
      .Add("candidates", JsonValue::Int(record.candidates))
      .Add("bytes", JsonValue::Int(record.bytes))
      .Add("records", JsonValue::Int(record.records));
  if (record.boot) {
    JsonValue boot = JsonValue::Object();
    boot.Add("id", JsonValue::String(record.boot->boot_id)).Add("ms", JsonValue::Int(record.boot->ms));
    json.Add("boot", std::move(boot));
  }
  return Checked(DumpJson(json), &DecodeCollectionResult);
}

Result<CollectionResultRecord> DecodeCollectionResult(std::string_view value, std::string_view object) {
  LS_ASSIGN(JsonFields fields, JsonFields::Parse(value, object));
  CollectionResultRecord record;
  LS_ASSIGN(record.pass, fields.TakeInt("pass", 1));
  LS_ASSIGN(record.candidates, fields.TakeInt("candidates", 0));
  LS_ASSIGN(record.bytes, fields.TakeInt("bytes", 0));
  LS_ASSIGN(const std::int64_t records, fields.TakeInt("records", 0, std::numeric_limits<std::int32_t>::max()));
  record.records = static_cast<std::int32_t>(records);
  const std::int64_t room = records * static_cast<std::int64_t>(kMaxCandidatesOfRecord);
  if (record.candidates < records || record.candidates > room) {
    return fields.Fail("candidates do not fit their records", "candidates").With("records", records);
  }
  if (std::optional<JsonValue> boot = fields.Take("boot")) {
    if (boot->kind != JsonValue::Kind::kObject) return fields.Fail("json field is not an object", "boot");
    LS_ASSIGN(record.boot, TakeBoot(JsonFields(*std::move(boot), object, "boot.")));
  }
  return record;
}

std::string CandidatesKey(std::int64_t pass, std::int32_t number) {
  return std::string(kCandidates) + Padded(pass, kNumberDigits) + "-" + Padded(number, kRecordDigits);
}

KeyBounds CandidatesKeys(std::int64_t pass) {
  const std::string prefix = std::string(kCandidates) + Padded(pass, kNumberDigits);
  return KeyBounds{prefix + "-", prefix + "."};
}

std::optional<std::int64_t> PassOfCandidatesKey(std::string_view key) {
  if (!key.starts_with(kCandidates)) return std::nullopt;
  const std::string_view rest = key.substr(kCandidates.size());
  if (rest.size() != kNumberDigits + 1 + kRecordDigits || rest[kNumberDigits] != '-') return std::nullopt;
  const std::optional<std::int64_t> number = NumberOf(rest.substr(kNumberDigits + 1), kRecordDigits);
  if (!number || *number > std::numeric_limits<std::int32_t>::max()) return std::nullopt;
  return NumberOf(rest.substr(0, kNumberDigits), kNumberDigits);
}

Result<std::string> EncodeCandidates(const std::vector<CollectionCandidate>& candidates) {
  JsonValue list = JsonValue::Array();
  for (const CollectionCandidate& candidate : candidates) {
    JsonValue one = JsonValue::Object();
    one.Add("object", JsonValue::String(candidate.object)).Add("bytes", JsonValue::Int(candidate.bytes));
    if (candidate.since_ms) one.Add("since_ms", JsonValue::Int(*candidate.since_ms));
    list.Append(std::move(one));
  }
  JsonValue json = JsonValue::Object();
  json.Add("candidates", std::move(list));
  return Checked(DumpJson(json), &DecodeCandidates);
}

Result<std::vector<CollectionCandidate>> DecodeCandidates(std::string_view value, std::string_view object) {
  LS_ASSIGN(JsonFields fields, JsonFields::Parse(value, object));
  LS_ASSIGN(std::vector<JsonValue> items, fields.TakeArray("candidates"));
  if (items.empty()) return fields.Fail("a record holds no candidates", "candidates");
  if (items.size() > kMaxCandidatesOfRecord) return fields.Fail("a record holds too many candidates", "candidates");
  std::vector<CollectionCandidate> candidates;
  for (JsonValue& item : items) {
    if (item.kind != JsonValue::Kind::kObject) return fields.Fail("json field is not an object", "candidates");
    LS_ASSIGN(CollectionCandidate one, TakeCandidate(JsonFields(std::move(item), object, "candidates.")));
    if (!candidates.empty() && one.object <= candidates.back().object) {
      return fields.Fail("candidates do not ascend", "candidates").With("value", one.object);
    }
    candidates.push_back(std::move(one));
  }
  return candidates;
}

}  // namespace lakestream
