#include "cli/entry_text.h"

#include <string_view>

#include "format/json.h"

namespace lakestream {

std::string EntryJson(int partition, const LogEntry& entry) {
  JsonValue json = JsonValue::Object();
  json.Add("partition", JsonValue::Int(partition))
      .Add("offset", JsonValue::Int(entry.header.offset.value()))
      .Add("timestamp_ms", JsonValue::Int(entry.header.timestamp_ms))
      .Add("record_count", JsonValue::Int(entry.header.number_of_records))
      .AddBytes("payload", entry.payload.text());
  return DumpJson(json);
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
