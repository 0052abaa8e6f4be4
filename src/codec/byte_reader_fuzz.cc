#include "codec/byte_reader.h"

#include <algorithm>
#include <optional>
#include <string>

#include "fuzz/fuzz_target.h"

// A walk of reads, against a plain second implementation. Input: the number of reads, a byte for each, the bytes
// that are read.

namespace lakestream {
namespace {

constexpr std::uint64_t kBase = 1000;

struct Expected {
  std::size_t used = 0;  ///< 0: refused
  std::uint64_t value = 0;
};

Expected ReadBigEndian(ByteSpan bytes, std::size_t size) {
  Expected expected;
  if (bytes.size() < size) return expected;
  expected.used = size;
  for (const std::uint8_t byte : bytes.first(size)) expected.value = expected.value << 8 | byte;
  return expected;
}

Expected ReadLeb128(ByteSpan bytes, std::size_t max_bytes, unsigned __int128 limit) {
  unsigned __int128 sum = 0;
  for (std::size_t i = 0; i < std::min(bytes.size(), max_bytes); ++i) {
    sum += static_cast<unsigned __int128>(bytes[i] % 128) << (7 * i);
    if (bytes[i] >= 128) continue;
    if (sum > limit) break;
    return Expected{i + 1, static_cast<std::uint64_t>(sum)};
  }
  return Expected();
}

/// The value, or nothing after a refusal that says what it should.
template <class T>
std::optional<std::uint64_t> Check(const char* decoder, const Result<T>& result, std::uint64_t offset) {
  const std::string at = "offset=" + std::to_string(offset);
  if (!FuzzAnswer(decoder, result.status(), {StatusCode::kCorrupt}, {"object=o", "field=f", at})) return std::nullopt;
  return static_cast<std::uint64_t>(*result);
}

void CheckVarint(std::uint64_t value, ByteSpan read) {
  std::string again;
  AppendVarint(again, value);
  LS_INVARIANT(again.size() == VarintSize(value) && again.size() <= read.size(), "the shortest form is written");
  LS_INVARIANT(again.size() < read.size() || AsText(read) == again, "the shortest form is the one that was read");
}

Result<std::int32_t> ReadVarint32(ByteReader& reader) {
  std::int32_t value = 0;
  const Status status = reader.ReadVarint32("f", &value);
  return status.ok() ? Result<std::int32_t>(value) : Result<std::int32_t>(status);
}

void Step(ByteReader& reader, ByteSpan rest, std::uint8_t kind) {
  const std::uint64_t before = reader.offset();
  Expected expected;
  std::optional<std::uint64_t> value;
  switch (kind % 5) {
    case 0:
      expected = ReadBigEndian(rest, 4);
      value = Check("int32", reader.ReadInt32("f"), before);
      if (value) value = static_cast<std::uint32_t>(*value);
      break;
    case 1:
      expected = ReadBigEndian(rest, 8);
      value = Check("int64", reader.ReadInt64("f"), before);
      break;
    case 2:
      expected = ReadLeb128(rest, 5, 0x7fffffff);
      value = Check("varint32", ReadVarint32(reader), before);
      break;
    case 3:
      expected = ReadLeb128(rest, 10, ~std::uint64_t{0});
      value = Check("varint64", reader.ReadVarint64("f"), before);
      break;
    case 4: {
      const std::uint64_t count = kind == 254 ? ~std::uint64_t{0} : kind / 5;
      const Result<ByteSpan> bytes = reader.ReadBytes(count, "f");
      const bool fits = count <= rest.size();
      LS_INVARIANT(bytes.ok() == fits && reader.offset() == before + (fits ? count : 0), "bytes are taken or not");
      if (FuzzAnswer("bytes", bytes.status(), {StatusCode::kCorrupt}, {"object=o", "field=f"}))
        LS_INVARIANT(bytes->data() == rest.data() && bytes->size() == count, "the bytes are those of the input");
      return;
    }
  }
  LS_INVARIANT(value.has_value() == (expected.used > 0), "both implementations take it, or none");
  LS_INVARIANT(reader.offset() == before + expected.used, "a refused read moves nothing");
  LS_INVARIANT(!value || *value == expected.value, "both implementations read the same");
  if (value && (kind % 5 == 2 || kind % 5 == 3)) CheckVarint(*value, rest.first(expected.used));
}

}  // namespace

void FuzzOne(ByteSpan input) {
  if (input.empty()) return;
  const std::size_t steps = std::min<std::size_t>(input[0] % 16, input.size() - 1);
  const ByteSpan bytes = input.subspan(1 + steps);
  ByteReader reader(bytes, "o", kBase);
  for (const std::uint8_t kind : input.subspan(1, steps)) {
    const std::uint64_t at = reader.offset() - kBase;
    LS_INVARIANT(at <= bytes.size() && reader.remaining() == bytes.size() - at, "the cursor is inside");
    Step(reader, bytes.subspan(at), kind);
  }
}

}  // namespace lakestream
