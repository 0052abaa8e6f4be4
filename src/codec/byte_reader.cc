#include "codec/byte_reader.h"

namespace lakestream {

namespace {

std::uint64_t BigEndian(ByteSpan bytes) {
  std::uint64_t value = 0;
  for (const std::uint8_t byte : bytes) value = value << 8 | byte;
  return value;
}

}  // namespace

Status CorruptAt(std::string_view sentence, std::string_view object, std::string_view field,
                 std::uint64_t offset) {
  return Corrupt(sentence).With("object", object).With("field", field).With("offset", offset);
}

Status ByteReader::Short(std::string_view field) const {
  return Fail("field does not end within its bytes", field).With("remaining", remaining());
}

Status ByteReader::BadVarint32(std::string_view field) const {
  return Fail("varint32 is truncated, longer than 5 bytes or above 2147483647", field);
}

Result<std::int32_t> ByteReader::ReadInt32(std::string_view field) {
  if (remaining() < 4) return Short(field);
  const auto value = static_cast<std::int32_t>(BigEndian(bytes_.subspan(at_, 4)));
  at_ += 4;
  return value;
}

Result<std::int64_t> ByteReader::ReadInt64(std::string_view field) {
  if (remaining() < 8) return Short(field);
  const auto value = static_cast<std::int64_t>(BigEndian(bytes_.subspan(at_, 8)));
  at_ += 8;
  return value;
}

Result<ByteSpan> ByteReader::ReadBytes(std::uint64_t count, std::string_view field) {
  if (remaining() < count) return Short(field).With("length", count);
  const ByteSpan bytes = bytes_.subspan(at_, count);
  at_ += count;
  return bytes;
}

Result<std::uint64_t> ByteReader::ReadVarint64(std::string_view field) {
  std::uint64_t value = 0;
  const std::size_t used = DecodeVarint64(bytes_.subspan(at_), &value);
  if (used == 0) return Fail("varint is truncated or longer than 64 bits", field);
  at_ += used;
  return value;
}

}  // namespace lakestream
