#include "kafka/records/message_set.h"

#include <limits>

#include "base/try.h"
#include "codec/byte_reader.h"
#include "codec/compression/crc32.h"

namespace lakestream::kafka {
namespace {

constexpr std::size_t kMagicAt = 16;  // the first byte that the checksum covers
constexpr unsigned kCodecBits = 0x07;

struct Message {
  ByteSpan bytes;
  int magic = 0;
  unsigned attributes = 0;
  std::int64_t timestamp_ms = -1;
  std::optional<std::string_view> key;
  std::optional<std::string_view> value;
};

Result<std::optional<std::string_view>> ReadNullable(ByteReader& reader, std::string_view field) {
  LS_ASSIGN(const std::int32_t length, reader.ReadInt32(field));
  if (length == -1) return std::optional<std::string_view>();
  if (length < 0) return reader.Fail("a length is below -1", field);
  LS_ASSIGN(const ByteSpan bytes, reader.ReadBytes(static_cast<std::uint64_t>(length), field));
  return std::optional<std::string_view>(AsText(bytes));
}

/// The message that begins `bytes`.
Result<Message> ParseMessage(ByteSpan bytes, const BatchSource& source) {
  ByteReader frame(bytes, source.object, source.offset);
  LS_TRY(frame.ReadInt64("offset").status());
  LS_ASSIGN(const std::int32_t size, frame.ReadInt32("message_size"));
  LS_ASSIGN(const ByteSpan body,
            frame.ReadBytes(size < 0 ? std::numeric_limits<std::uint64_t>::max() : static_cast<std::uint64_t>(size),
                            "message_size"));
  Message message;
  message.bytes = bytes.first(12 + body.size());
  ByteReader reader(body, source.object, source.offset + 12);
  LS_TRY(reader.ReadInt32("crc").status());
  LS_ASSIGN(const ByteSpan kind, reader.ReadBytes(2, "magic"));
  message.magic = kind[0];
  message.attributes = kind[1];
  if (message.magic > 1) return reader.Fail("there is no such magic number", "magic");
  if (message.magic == 1) {
    LS_ASSIGN(message.timestamp_ms, reader.ReadInt64("timestamp"));
  }
  LS_ASSIGN(message.key, ReadNullable(reader, "key"));
  LS_ASSIGN(message.value, ReadNullable(reader, "value"));
  if (!reader.done()) return reader.Fail("bytes follow the last field of a record", "message_size");
  return message;
}

}  // namespace

Result<Buffer> UncompressMessages(ByteSpan message, int magic, Compression compression, const BatchSource& source) {
  if (magic == 0 && compression == Compression::kLz4) {
    return Unimplemented("LZ4 in messages of magic 0 is not read").With("object", source.object);
  }
  LS_ASSIGN(const Message outer, ParseMessage(message, source));
  Result<Buffer> inside =
      Decompress(compression, AsBytes(outer.value.value_or(std::string_view())), source.max_uncompressed_bytes);
  if (inside.ok()) return inside;
  return inside.status().With("object", source.object).With("field", "value").With("offset", source.offset);
}

Result<std::int32_t> CountMessages(ByteSpan message, int magic, Compression compression, const BatchSource& source) {
  if (compression == Compression::kNone) {
    LS_TRY(ParseMessage(message, source).status());
    return 1;
  }
  LS_ASSIGN(const Buffer inside, UncompressMessages(message, magic, compression, source));
  std::size_t at = 0;
  std::int32_t count = 0;
  while (at < inside.size()) {
    LS_ASSIGN(const Message one, ParseMessage(inside.span().subspan(at), source));
    at += one.bytes.size();
    ++count;
  }
  if (count == 0) return CorruptAt("a batch must hold a record", source.object, "value", source.offset);
  return count;
}

Status CheckMessageCrc(ByteSpan message, std::uint32_t crc, const BatchSource& source) {
  if (Crc32(message.subspan(kMagicAt)) == crc) return OkStatus();
  return CorruptAt("the batch does not match its checksum", source.object, "crc", source.offset + 12);
}

Status ReadMessage(ByteSpan messages, const BatchHeader& outer, const BatchSource& source, std::size_t* at,
                   Record* record) {
  LS_ASSIGN(const Message message, ParseMessage(messages.subspan(*at), source));
  const bool inside = outer.compression != Compression::kNone;
  if (inside) {
    if ((message.attributes & kCodecBits) != 0) {
      return CorruptAt("a compressed message is inside another", source.object, "attributes", source.offset);
    }
    LS_ASSIGN(const std::int32_t crc, ByteReader(message.bytes.subspan(12), source.object).ReadInt32("crc"));
    LS_TRY(CheckMessageCrc(message.bytes, static_cast<std::uint32_t>(crc), source));
  }
  record->key = message.key;
  record->value = message.value;
  record->headers.clear();
  record->timestamp_ms = outer.timestamp_type == TimestampType::kLogAppend ? outer.max_timestamp : message.timestamp_ms;
  *at += message.bytes.size();
  return OkStatus();
}

}  // namespace lakestream::kafka
