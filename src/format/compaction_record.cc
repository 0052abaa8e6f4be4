#include "format/compaction_record.h"

#include <array>
#include <set>
#include <utility>

#include "base/invariant.h"
#include "base/try.h"
#include "codec/base64.h"
#include "format/entry_index.h"
#include "format/file_index.h"

namespace lakestream {

namespace {

constexpr std::string_view kFamily = "/lakestream/compaction/";
constexpr std::string_view kClaims = "/lakestream/compaction-claim/";
constexpr std::string_view kAfterAll = "\xef\xbf\xbf";
// In the order of the states in CompactionRecord.
constexpr std::array<std::string_view, 4> kStates = {"idle", "working", "installing", "dropped"};
// Fields that some state has. One that another state has is no unknown field: kept, it would stand there twice later.
constexpr std::array<std::string_view, 6> kFields = {"next", "owner", "range", "files", "key", "value"};

std::string KeyIn(std::string_view family, LogId log) {
  LS_INVARIANT(log.value() >= 0, "a log id is not negative");
  return std::string(family) + log.ToString();
}

std::optional<LogId> LogIn(std::string_view family, std::string_view key) {
  if (!key.starts_with(family)) return std::nullopt;
  const std::optional<std::int64_t> log = ParseDecimal(key.substr(family.size()));
  return log ? std::optional<LogId>(LogId(*log)) : std::nullopt;
}

JsonValue ToJson(const CompactionRange& range) {
  return JsonValue::Object()
      .Add("start", JsonValue::Int(range.start.value()))
      .Add("end", JsonValue::Int(range.end.value()));
}

Result<CompactionRange> TakeRange(JsonFields& fields) {
  LS_ASSIGN(const std::int64_t start, fields.TakeInt("start", 0));
  LS_ASSIGN(const std::int64_t end, fields.TakeInt("end", 0));
  if (start >= end) return fields.Fail("a range is empty", "end").With("start", start).With("end", end);
  return CompactionRange{Offset(start), Offset(end)};
}

Result<CompactionRange> TakeStateRange(JsonFields& fields) {
  LS_ASSIGN(JsonFields inner, fields.TakeObject("range"));
  return TakeRange(inner);
}

Result<std::string> TakeOwner(JsonFields& fields) {
  LS_ASSIGN(std::string owner, fields.TakeString("owner"));
  if (owner.empty()) return fields.Fail("an owner has no name", "owner");
  return owner;
}

Result<CompactionWorking> TakeWorking(JsonFields& fields) {
  CompactionWorking working;
  LS_ASSIGN(working.owner, TakeOwner(fields));
  LS_ASSIGN(working.range, TakeStateRange(fields));
  LS_ASSIGN(const std::vector<JsonValue> files, fields.TakeArray("files"));
  if (files.empty()) return fields.Fail("work has no files", "files");
  std::set<std::string_view> names;
  for (const JsonValue& file : files) {
    if (file.kind != JsonValue::Kind::kString) return fields.Fail("json field is not a string", "files");
    const Status plain = CheckCompactedFileName(file.text);
    if (!plain.ok()) return plain.As(StatusCode::kCorrupt).With("object", fields.object()).With("field", "files");
    if (!names.insert(file.text).second) return fields.Fail("a file is named twice", "files").With("name", file.text);
    working.files.push_back(file.text);
  }
  return working;
}

/// What C3 puts must be the PARQUET record of just this range.
Status CheckValue(const JsonFields& fields, const CompactionInstalling& installing) {
  const auto named = [](const Status& status) { return status.With("in", "value"); };
  const Result<EntryIndex> index = DecodeEntryIndex(AsBytes(installing.value), fields.object());
  if (!index.ok()) return named(index.status());
  if (index->file_type != FileType::kParquet) return fields.Fail("what is installed is no parquet record", "value");
  if (index->message_count != installing.range.end - installing.range.start) {
    return fields.Fail("what is installed does not fill its range", "value")
        .With("message_count", index->message_count)
        .With("records", installing.range.end - installing.range.start);
  }
  if (installing.key.cumulative_size < index->entry_size_bytes) {
    return fields.Fail("a range is larger than its log up to it", "key")
        .With("cumulative_size", installing.key.cumulative_size)
        .With("entry_size_bytes", index->entry_size_bytes);
  }
  const Result<FileIndex> files = FileIndexOf(*index, fields.object());
  if (!files.ok()) return named(files.status());
  return named(CheckFileIndexRange(*files, installing.range.start, installing.range.end, fields.object()));
}

Result<CompactionInstalling> TakeInstalling(JsonFields& fields, LogId log) {
  CompactionInstalling installing;
  LS_ASSIGN(installing.owner, TakeOwner(fields));
  LS_ASSIGN(installing.range, TakeStateRange(fields));
  LS_ASSIGN(const std::string key, fields.TakeString("key"));
  const Result<IndexKey> parsed = IndexKey::Decode(key);
  if (!parsed.ok()) return fields.Fail("what is installed has no index key", "key").With("value", key);
  installing.key = *parsed;
  if (installing.key.log != log || installing.key.end != installing.range.end) {
    return fields.Fail("key of what is installed is not that of its range", "key").With("value", key);
  }
  LS_ASSIGN(const std::string packed, fields.TakeString("value"));
  Result<std::string> value = Base64Decode(packed);
  if (!value.ok()) return value.status().With("object", fields.object()).With("field", "value");
  installing.value = *std::move(value);
  LS_TRY(CheckValue(fields, installing));
  return installing;
}

Result<std::vector<QuarantinedRange>> TakeQuarantined(JsonFields& fields) {
  std::vector<QuarantinedRange> quarantined;
  LS_ASSIGN(std::vector<JsonValue> items, fields.TakeArray("quarantined"));
  for (JsonValue& item : items) {
    if (item.kind != JsonValue::Kind::kObject) return fields.Fail("json field is not an object", "quarantined");
    JsonFields inner(std::move(item), fields.object(), "quarantined.");
    QuarantinedRange one;
    LS_ASSIGN(one.range, TakeRange(inner));
    LS_ASSIGN(one.reason, inner.TakeString("reason"));
    if (one.reason.empty()) return inner.Fail("a quarantined range has no reason", "reason");
    if (!quarantined.empty() && one.range.start < quarantined.back().range.end) {
      return inner.Fail("quarantined ranges do not ascend", "start").With("value", one.range.start.value());
    }
    quarantined.push_back(std::move(one));
  }
  return quarantined;
}

/// The state and the quarantined ranges do not contradict each other.
Status CheckWhole(const JsonFields& fields, const CompactionRecord& record) {
  CompactionRange taken;
  if (const auto* working = std::get_if<CompactionWorking>(&record.state)) taken = working->range;
  if (const auto* installing = std::get_if<CompactionInstalling>(&record.state)) taken = installing->range;
  const auto* idle = std::get_if<CompactionIdle>(&record.state);
  for (const QuarantinedRange& one : record.quarantined) {
    if (taken.start < one.range.end && one.range.start < taken.end) {
      return fields.Fail("a quarantined range overlaps the one at work", "quarantined")
          .With("start", one.range.start.value())
          .With("end", one.range.end.value());
    }
    if (idle != nullptr && one.range.start < idle->next && idle->next < one.range.end) {
      return fields.Fail("the next range starts within a quarantined one", "next").With("value", idle->next.value());
    }
  }
  return OkStatus();
}

Status TakeState(JsonFields& fields, LogId log, CompactionRecord& record) {
  LS_ASSIGN(const std::string state, fields.TakeString("state"));
  if (state == kStates[0]) {
    LS_ASSIGN(const std::int64_t next, fields.TakeInt("next", 0));
    record.state = CompactionIdle{Offset(next)};
  } else if (state == kStates[1]) {
    LS_ASSIGN(record.state, TakeWorking(fields));
  } else if (state == kStates[2]) {
    LS_ASSIGN(record.state, TakeInstalling(fields, log));
  } else if (state == kStates[3]) {
    record.state = CompactionDropped{};
  } else {
    return fields.Fail("state of a compaction is unknown", "state").With("value", state);
  }
  return OkStatus();
}

void AddState(const CompactionRecord& record, JsonValue& json) {
  if (const auto* idle = std::get_if<CompactionIdle>(&record.state)) {
    json.Add("next", JsonValue::Int(idle->next.value()));
  } else if (const auto* working = std::get_if<CompactionWorking>(&record.state)) {
    JsonValue files = JsonValue::Array();
    for (const std::string& file : working->files) files.Append(JsonValue::String(file));
    json.Add("owner", JsonValue::String(working->owner));
    json.Add("range", ToJson(working->range));
    json.Add("files", std::move(files));
  } else if (const auto* installing = std::get_if<CompactionInstalling>(&record.state)) {
    json.Add("owner", JsonValue::String(installing->owner));
    json.Add("range", ToJson(installing->range));
    json.Add("key", JsonValue::String(installing->key.Encode()));
    json.Add("value", JsonValue::String(Base64Encode(AsBytes(installing->value))));
  }
}

}  // namespace

std::string CompactionRecordKey(LogId log) { return KeyIn(kFamily, log); }

KeyBounds CompactionRecordKeys() {
  return KeyBounds{std::string(kFamily), std::string(kFamily) + std::string(kAfterAll)};
}

std::optional<LogId> LogOfCompactionRecordKey(std::string_view key) { return LogIn(kFamily, key); }

std::string CompactionClaimKey(LogId log, std::string_view session) {
  return KeyIn(kClaims, log) + "/" + std::string(session);
}
std::optional<LogId> LogOfCompactionClaimKey(std::string_view key) {
  const std::size_t slash = key.rfind('/');
  if (slash == std::string_view::npos || slash + 1 == key.size()) return std::nullopt;
  return LogIn(kClaims, key.substr(0, slash));
}

std::string_view CompactionStateName(const CompactionRecord& record) { return kStates[record.state.index()]; }

std::vector<std::string> FilesOf(const CompactionRecord& record) {
  if (const auto* working = std::get_if<CompactionWorking>(&record.state)) return working->files;
  std::vector<std::string> names;
  if (const auto* installing = std::get_if<CompactionInstalling>(&record.state)) {
    const Result<EntryIndex> index = DecodeEntryIndex(AsBytes(installing->value), "value");
    const Result<FileIndex> files = FileIndexOf(*index, "value");
    for (const CompactedFile& file : files->files) names.push_back(file.name);
  }
  return names;
}

Result<std::string> EncodeCompactionRecord(const CompactionRecord& record, LogId log) {
  if (const auto* installing = std::get_if<CompactionInstalling>(&record.state)) {
    const IndexKey& key = installing->key;
    if (key.log != log || key.end.value() < 0 || key.cumulative_size < 0) {
      return InvalidArgument("key of what is installed is not one of its log").With("field", "key");
    }
  }
  JsonValue json = JsonValue::Object();
  json.Add("state", JsonValue::String(CompactionStateName(record)));
  AddState(record, json);
  if (!record.quarantined.empty()) {
    JsonValue ranges = JsonValue::Array();
    for (const QuarantinedRange& one : record.quarantined) {
      ranges.Append(ToJson(one.range).Add("reason", JsonValue::String(one.reason)));
    }
    json.Add("quarantined", std::move(ranges));
  }
  for (const JsonMember& member : record.unknown) json.Add(member.name, member.value);
  std::string text = DumpJson(json);
  const Result<CompactionRecord> again = DecodeCompactionRecord(text, log);
  if (!again.ok()) return again.status().As(StatusCode::kInvalidArgument);
  return text;
}

Result<CompactionRecord> DecodeCompactionRecord(std::string_view value, LogId log) {
  LS_ASSIGN(JsonFields fields, JsonFields::Parse(value, CompactionRecordKey(log)));
  CompactionRecord record;
  LS_TRY(TakeState(fields, log, record));
  LS_ASSIGN(record.quarantined, TakeQuarantined(fields));
  LS_TRY(CheckWhole(fields, record));
  for (const std::string_view name : kFields) {
    if (fields.Take(name)) return fields.Fail("field belongs to another state", name);
  }
  record.unknown = fields.TakeRest();
  return record;
}

}  // namespace lakestream
