#include "format/log_records.h"

#include "fuzz/fuzz_target.h"

namespace lakestream {
namespace {

bool IsKeyOf(std::string_view key, LogId log) {
  if (key == TrimMarkerKey(log) || key == WriteFenceKey(log) || key == CompactionCursorKey(log)) return true;
  const KeyBounds leases = WriteLeaseKeys(log);
  return key.starts_with(leases.first) && key == WriteLeaseKey(log, key.substr(leases.first.size()));
}

}  // namespace

void FuzzOne(ByteSpan input) {
  const std::string_view text = AsText(input);
  const Result<Offset> marker = DecodeTrimMarker(text, "o");
  if (FuzzAnswer("trim marker", marker.status(), {StatusCode::kCorrupt}, {"object=o", "field="}))
    LS_INVARIANT(EncodeTrimMarker(*marker) == text, "there is one form of an offset");
  const Result<Offset> cursor = DecodeCompactionCursor(text, "o");
  if (FuzzAnswer("cursor", cursor.status(), {StatusCode::kCorrupt}, {"object=o", "field="}))
    LS_INVARIANT(EncodeCompactionCursor(*cursor) == text, "there is one form of an offset");
  const std::optional<std::int64_t> number = ParseDecimal(text);
  LS_INVARIANT(number.has_value() == marker.ok() && (!number || std::to_string(*number) == text), "one rule");
  const std::optional<LogId> log = LogOfRecordKey(text);
  if (FuzzAnswer("key", log.has_value())) LS_INVARIANT(log->value() >= 0 && IsKeyOf(text, *log), "the key is its log's");
}

}  // namespace lakestream
