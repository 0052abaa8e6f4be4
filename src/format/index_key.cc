#include "format/index_key.h"

#include <array>

#include "base/invariant.h"
#include "base/try.h"
#include "codec/byte_reader.h"

namespace lakestream {

namespace {

constexpr std::size_t kDigits = 20;

void AppendNumber(std::string& out, std::int64_t value) {
  LS_INVARIANT(value >= 0, "the numbers of an index key are not negative");
  const std::size_t end = out.size() + kDigits;
  out.resize(end, '0');
  for (std::size_t at = end; value > 0; value /= 10) out[--at] = static_cast<char>('0' + value % 10);
}

Result<std::int64_t> ReadNumber(std::string_view key, std::size_t at, std::string_view field) {
  std::uint64_t value = 0;
  for (std::size_t i = at; i < at + kDigits; ++i) {
    if (key[i] < '0' || key[i] > '9')
      return CorruptAt("index key holds another character than a digit", key, field, i);
    const auto digit = static_cast<std::uint64_t>(key[i] - '0');
    constexpr auto kMax = static_cast<std::uint64_t>(kMaxIndexKeyNumber);
    if (value > kMax / 10 || value * 10 + digit > kMax) {
      return CorruptAt("index key holds a number above 2^63-1", key, field, at);
    }
    value = value * 10 + digit;
  }
  return static_cast<std::int64_t>(value);
}

}  // namespace

std::string IndexKey::Encode() const {
  std::string key;
  key.reserve(kIndexKeySize);
  AppendNumber(key, log.value());
  key += '-';
  AppendNumber(key, end.value());
  key += '-';
  AppendNumber(key, cumulative_size);
  return key;
}

Result<IndexKey> IndexKey::Decode(std::string_view key) {
  if (key.size() != kIndexKeySize) {
    return Corrupt("index key is not 62 bytes long")
        .With("object", key)
        .With("field", "key")
        .With("offset", key.size());
  }
  constexpr std::array<std::string_view, 3> kFields = {"log_id", "end_offset", "cumulative_size"};
  std::array<std::int64_t, 3> numbers{};
  for (std::size_t i = 0; i < kFields.size(); ++i) {
    const std::size_t at = i * (kDigits + 1);
    LS_ASSIGN(numbers[i], ReadNumber(key, at, kFields[i]));
    if (i < 2 && key[at + kDigits] != '-') {
      return CorruptAt("index key holds another separator than -", key, kFields[i], at + kDigits);
    }
  }
  return IndexKey{LogId(numbers[0]), Offset(numbers[1]), numbers[2]};
}

std::string IndexKeyPrefix(LogId log) {
  std::string prefix;
  AppendNumber(prefix, log.value());
  return prefix;
}

bool IsIndexKeyOf(std::string_view key, LogId log) {
  return key.size() > kDigits && key[kDigits] == '-' && key.starts_with(IndexKeyPrefix(log));
}

std::string IndexKeyFloorOf(LogId log, Offset x) { return IndexKey{log, x, 0}.Encode(); }
std::string IndexKeyCeilingOf(LogId log, Offset x) { return IndexKey{log, x, kMaxIndexKeyNumber}.Encode(); }
std::string FirstIndexKey(LogId log) { return IndexKeyFloorOf(log, Offset(0)); }
std::string LastIndexKey(LogId log) { return IndexKeyCeilingOf(log, Offset(kMaxIndexKeyNumber)); }

}  // namespace lakestream
