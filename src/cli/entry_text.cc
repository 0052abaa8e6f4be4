#include "cli/entry_text.h"

#include <optional>
#include <string_view>

#include "cli/tree_text.h"
#include "codec/utf8.h"
#include "format/json.h"

namespace lakestream {
namespace {

void AddNullable(JsonValue* json, std::string_view name, std::optional<std::string_view> bytes) {
  if (bytes) {
    json->AddBytes(name, *bytes);
  } else {
    json->Add(name, JsonValue::Null());
  }
}

std::string PrintableOrDash(std::optional<std::string_view> bytes) { return bytes ? Printable(*bytes) : "-"; }

}  // namespace

std::string EntryJson(int partition, const LogEntry& entry) {
  JsonValue json = JsonValue::Object();
  json.Add("partition", JsonValue::Int(partition))
      .Add("offset", JsonValue::Int(entry.header.offset.value()))
      .Add("timestamp_ms", JsonValue::Int(entry.header.timestamp_ms))
      .Add("record_count", JsonValue::Int(entry.header.number_of_records))
      .AddBytes("payload", entry.payload.text());
  return DumpJson(json);
}

std::string RecordJson(int partition, const EntryItem& record) {
  JsonValue json = JsonValue::Object();
  json.Add("partition", JsonValue::Int(partition))
      .Add("offset", JsonValue::Int(record.offset))
      .Add("timestamp_ms", JsonValue::Int(record.timestamp_ms));
  AddNullable(&json, "key", record.key);
  JsonValue headers = JsonValue::Array();
  for (const kafka::RecordHeader& header : record.headers) {
    JsonValue item = JsonValue::Object();
    item.AddBytes("key", header.key);
    AddNullable(&item, "value", header.value);
    headers.Append(std::move(item));
  }
  json.Add("headers", std::move(headers));
  AddNullable(&json, "value", record.value);
  return DumpJson(json);
}

std::string RecordLine(const EntryItem& record) {
  std::string headers;
  for (const kafka::RecordHeader& header : record.headers) {
    if (!headers.empty()) headers += ',';
    headers += Printable(header.key) + '=' + PrintableOrDash(header.value);
  }
  return std::to_string(record.offset) + '\t' + UtcText(record.timestamp_ms) + '\t' + PrintableOrDash(record.key) + '\t' +
         (headers.empty() ? "-" : headers) + '\t' + PrintableOrDash(record.value);
}

std::string HexText(ByteSpan bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes.size());
  for (const std::uint8_t byte : bytes) {
    text += kDigits[byte >> 4];
    text += kDigits[byte & 15];
  }
  return text;
}

}  // namespace lakestream
