#include "format/log_records.h"

#include "base/invariant.h"

namespace lakestream {

namespace {

constexpr std::string_view kTrimMarkers = "/mark-deleted-offsets/";
constexpr std::string_view kWriteFences = "/stream-write-fences/";
constexpr std::string_view kWriteLeases = "/stream-write-leases/";
constexpr std::string_view kCompactionCursors = "/first-uncompacted-offset/";
// U+FFFF sorts after every character that these keys hold, and adds no path segment.
constexpr std::string_view kAfterAll = "\xef\xbf\xbf";

std::string KeyOf(std::string_view family, LogId log) {
  LS_INVARIANT(log.value() >= 0, "a log id is not negative");
  return std::string(family) + log.ToString();
}

std::string EncodeOffset(Offset offset) {
  LS_INVARIANT(offset.value() >= 0, "an offset is not negative");
  return std::to_string(offset.value());
}

Result<Offset> DecodeOffset(std::string_view value, std::string_view object) {
  const std::optional<std::int64_t> number = ParseDecimal(value);
  if (number) return Offset(*number);
  return Corrupt("value is not a decimal offset")
      .With("object", object)
      .With("field", "value")
      .With("offset", 0);
}

}  // namespace

std::optional<std::int64_t> ParseDecimal(std::string_view text) {
  if (text.empty() || (text.size() > 1 && text[0] == '0')) return std::nullopt;
  std::int64_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, c - '0', &value))
      return std::nullopt;
  }
  return value;
}

std::string TrimMarkerKey(LogId log) { return KeyOf(kTrimMarkers, log); }
KeyBounds TrimMarkerKeys() {
  return KeyBounds{std::string(kTrimMarkers), std::string(kTrimMarkers) + std::string(kAfterAll)};
}
std::string EncodeTrimMarker(Offset b) { return EncodeOffset(b); }
Result<Offset> DecodeTrimMarker(std::string_view value, std::string_view object) {
  return DecodeOffset(value, object);
}

std::string WriteFenceKey(LogId log) { return KeyOf(kWriteFences, log); }

std::string WriteLeaseKey(LogId log, std::string_view token) {
  return KeyOf(kWriteLeases, log) + "/" + std::string(token);
}
KeyBounds WriteLeaseKeys(LogId log) {
  const std::string first = WriteLeaseKey(log, "");
  return KeyBounds{first, first + std::string(kAfterAll)};
}

std::optional<LogId> LogOfRecordKey(std::string_view key) {
  for (const std::string_view family : {kTrimMarkers, kWriteFences, kWriteLeases, kCompactionCursors}) {
    if (!key.starts_with(family)) continue;
    std::string_view rest = key.substr(family.size());
    if (family == kWriteLeases) {
      const std::size_t slash = rest.find('/');
      if (slash == std::string_view::npos || slash + 1 == rest.size()) return std::nullopt;
      rest = rest.substr(0, slash);
    }
    const std::optional<std::int64_t> log = ParseDecimal(rest);
    return log ? std::optional<LogId>(LogId(*log)) : std::nullopt;
  }
  return std::nullopt;
}

std::string CompactionCursorKey(LogId log) { return KeyOf(kCompactionCursors, log); }
std::string EncodeCompactionCursor(Offset first_uncompacted) { return EncodeOffset(first_uncompacted); }
Result<Offset> DecodeCompactionCursor(std::string_view value, std::string_view object) {
  return DecodeOffset(value, object);
}

}  // namespace lakestream
