#include "kafka/records/batch_header.h"

#include <array>

#include "base/try.h"
#include "codec/byte_reader.h"
#include "codec/crc32c.h"
#include "kafka/records/message_set.h"

namespace lakestream::kafka {
namespace {

constexpr std::size_t kLengthEnd = 12;  // what the length counts comes after it
constexpr std::size_t kMagicAt = 16;
constexpr std::size_t kCrcAt = 17;
constexpr std::size_t kAttributesAt = 21;  // the first byte that the checksum covers
constexpr std::size_t kRecordCountAt = 57;

constexpr unsigned kCodecBits = 0x07;
constexpr unsigned kLogAppendBit = 0x08;
constexpr unsigned kTransactionalBit = 0x10;
constexpr unsigned kControlBit = 0x20;

Status Fail(std::string_view sentence, const BatchSource& source, std::string_view field, std::size_t at) {
  return CorruptAt(sentence, source.object, field, source.offset + at);
}

/// The next `bytes` bytes as a number. They were counted before.
std::uint64_t Take(ByteSpan bytes, std::size_t at, int count) {
  std::uint64_t value = 0;
  for (int i = 0; i < count; ++i) value = value << 8 | bytes[at + static_cast<std::size_t>(i)];
  return value;
}
std::int32_t Int32(ByteSpan bytes, std::size_t at) { return static_cast<std::int32_t>(Take(bytes, at, 4)); }
std::int64_t Int64(ByteSpan bytes, std::size_t at) { return static_cast<std::int64_t>(Take(bytes, at, 8)); }

Status DecodeAttributes(unsigned attributes, const BatchSource& source, std::size_t at, BatchHeader* header) {
  const unsigned codec = attributes & kCodecBits;
  if (codec >= kCompressions) return Fail("there is no such compression", source, "attributes", at).With("codec", codec);
  header->compression = static_cast<Compression>(codec);
  header->timestamp_type = (attributes & kLogAppendBit) != 0 ? TimestampType::kLogAppend : TimestampType::kCreateTime;
  return OkStatus();
}

/// Magic 2. Requires: as many bytes as a header.
Result<BatchHeader> DecodeFields(ByteSpan batch, const BatchSource& source) {
  BatchHeader header;
  header.base_offset = Int64(batch, 0);
  header.partition_leader_epoch = Int32(batch, kLengthEnd);
  header.crc = static_cast<std::uint32_t>(Take(batch, kCrcAt, 4));
  const auto attributes = static_cast<unsigned>(Take(batch, kAttributesAt, 2));
  LS_TRY(DecodeAttributes(attributes, source, kAttributesAt, &header));
  header.transactional = (attributes & kTransactionalBit) != 0;
  header.control = (attributes & kControlBit) != 0;
  header.last_offset_delta = Int32(batch, 23);
  header.base_timestamp = Int64(batch, 27);
  header.max_timestamp = Int64(batch, 35);
  header.producer_id = Int64(batch, 43);
  header.producer_epoch = static_cast<std::int16_t>(Take(batch, 51, 2));
  header.base_sequence = Int32(batch, 53);
  header.record_count = Int32(batch, kRecordCountAt);
  return header;
}

Result<BatchHeader> DecodeMessage(ByteSpan bytes, int magic, const BatchSource& source) {
  BatchHeader header;
  header.base_offset = Int64(bytes, 0);
  header.crc = static_cast<std::uint32_t>(Take(bytes, kLengthEnd, 4));
  LS_TRY(DecodeAttributes(bytes[kCrcAt], source, kCrcAt, &header));
  if (magic == 0) header.timestamp_type = TimestampType::kNone;
  if (magic == 1) header.base_timestamp = header.max_timestamp = Int64(bytes, kCrcAt + 1);
  LS_ASSIGN(header.record_count, CountMessages(bytes, magic, header.compression, source));
  header.last_offset_delta = header.record_count - 1;
  return header;
}

}  // namespace

std::string_view TimestampTypeName(TimestampType type) {
  constexpr std::array<std::string_view, 3> kNames = {"none", "create_time", "log_append_time"};
  return kNames[static_cast<std::size_t>(type)];
}

Result<BatchHeader> DecodeBatchHeader(ByteSpan bytes, const BatchSource& source) {
  if (bytes.size() <= kMagicAt) return Fail("the batch is cut off", source, "batch_length", 0);
  const std::int32_t length = Int32(bytes, 8);
  const int magic = static_cast<std::int8_t>(bytes[kMagicAt]);
  if (magic < 0 || magic > 2) return Fail("there is no such magic number", source, "magic", kMagicAt).With("magic", magic);
  constexpr std::array<std::size_t, 3> kSmallest = {kMessage0Bytes, kMessage1Bytes, kBatchHeaderBytes};
  if (length < 0 || kLengthEnd + static_cast<std::size_t>(length) < kSmallest[static_cast<std::size_t>(magic)]) {
    return Fail("the batch is shorter than its header", source, "batch_length", 8).With("length", length);
  }
  const std::size_t size = kLengthEnd + static_cast<std::size_t>(length);
  if (size > bytes.size()) {
    return Fail("the batch is cut off", source, "batch_length", 8).With("size", size).With("remaining", bytes.size());
  }
  const ByteSpan batch = bytes.first(size);
  Result<BatchHeader> header = magic == 2 ? DecodeFields(batch, source) : DecodeMessage(batch, magic, source);
  LS_TRY(header.status());
  header->magic = magic;
  header->size_bytes = size;
  return header;
}

Status CheckBatch(ByteSpan bytes, const BatchHeader& header, const BatchSource& source) {
  const ByteSpan batch = bytes.first(header.size_bytes);
  if (header.magic < 2) return CheckMessageCrc(batch, header.crc, source);
  if (Crc32c(batch.subspan(kAttributesAt)) != header.crc) {
    return Fail("the batch does not match its checksum", source, "crc", kCrcAt);
  }
  if (header.control) return Fail("an entry must not hold a control batch", source, "attributes", kAttributesAt);
  if (header.transactional) {
    return Fail("an entry must not hold a transactional batch", source, "attributes", kAttributesAt);
  }
  if (header.base_offset != 0) {
    return Fail("the base offset of a stored batch must be 0", source, "base_offset", 0)
        .With("base_offset", header.base_offset);
  }
  if (header.record_count < 1) {
    return Fail("a batch must hold a record", source, "record_count", kRecordCountAt)
        .With("record_count", header.record_count);
  }
  if (header.last_offset_delta != header.record_count - 1) {
    return Fail("a batch must hold as many records as offsets", source, "record_count", kRecordCountAt)
        .With("record_count", header.record_count)
        .With("last_offset_delta", header.last_offset_delta);
  }
  return OkStatus();
}

}  // namespace lakestream::kafka
