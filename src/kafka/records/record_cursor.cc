#include "kafka/records/record_cursor.h"

#include <limits>
#include <string>
#include <utility>

#include "base/try.h"
#include "codec/byte_reader.h"
#include "codec/varint.h"
#include "kafka/records/message_set.h"

namespace lakestream::kafka {
namespace {

constexpr std::string_view kCut = "a field does not end within its record";

/// Fields of one record. The first that is wrong is remembered, and all after it are empty.
class FieldReader {
 public:
  FieldReader(ByteSpan bytes, std::size_t at, std::size_t end) : bytes_(bytes), at_(at), end_(end) {}

  bool failed() const { return failed_field_ != nullptr; }
  const char* failed_field() const { return failed_field_; }
  std::string_view sentence() const { return sentence_; }
  std::size_t at() const { return at_; }

  void Fail(std::string_view sentence, const char* field) {
    if (failed()) return;
    failed_field_ = field;
    sentence_ = sentence;
    end_ = at_;
  }

  std::int32_t Varint(const char* field) {
    return static_cast<std::int32_t>(Zigzag(kMaxVarint32Bytes, std::numeric_limits<std::uint32_t>::max(), field));
  }
  std::int64_t Varlong(const char* field) {
    return Zigzag(kMaxVarint64Bytes, std::numeric_limits<std::uint64_t>::max(), field);
  }

  void Skip(std::size_t count, const char* field) {
    if (end_ - at_ < count) return Fail(kCut, field);
    at_ += count;
  }

  /// A length and so many bytes; -1 is null.
  std::optional<std::string_view> Bytes(const char* field) {
    const std::int32_t length = Varint(field);
    if (length == -1 || failed()) return std::nullopt;
    if (length < 0 || end_ - at_ < static_cast<std::size_t>(length)) {
      Fail(kCut, field);
      return std::nullopt;
    }
    const std::string_view bytes = AsText(bytes_.subspan(at_, static_cast<std::size_t>(length)));
    at_ += bytes.size();
    return bytes;
  }

 private:
  std::int64_t Zigzag(std::size_t max_bytes, std::uint64_t limit, const char* field) {
    std::uint64_t value = 0;
    if (at_ < end_ && bytes_[at_] < 0x80) [[likely]] {
      value = bytes_[at_++];
    } else {
      const std::size_t used = DecodeVarint(bytes_.subspan(at_, end_ - at_), max_bytes, limit, &value);
      if (used == 0) {
        Fail("a number is cut off or too large", field);
        return 0;
      }
      at_ += used;
    }
    return static_cast<std::int64_t>(value >> 1) ^ -static_cast<std::int64_t>(value & 1);
  }

  const ByteSpan bytes_;
  std::size_t at_;
  std::size_t end_;
  const char* failed_field_ = nullptr;
  std::string_view sentence_;
};

void ReadHeaders(FieldReader& fields, std::vector<RecordHeader>* headers) {
  headers->clear();
  const std::int32_t count = fields.Varint("header_count");
  if (count < 0) return fields.Fail("a count is below 0", "header_count");
  for (std::int32_t i = 0; i < count && !fields.failed(); ++i) {
    const std::optional<std::string_view> key = fields.Bytes("header_key");
    if (!key) return fields.Fail("the key of a header is null", "header_key");
    headers->push_back(RecordHeader{*key, fields.Bytes("header_value")});
  }
}

}  // namespace

Result<RecordCursor> RecordCursor::Open(ByteSpan bytes, const BatchHeader& header, std::int64_t offset,
                                        const BatchSource& source) {
  RecordCursor cursor(header, offset, source);
  const ByteSpan batch = bytes.first(header.size_bytes);
  if (header.magic < 2) {
    if (header.compression == Compression::kNone) {
      cursor.records_ = batch;
      return cursor;
    }
    LS_ASSIGN(cursor.uncompressed_, UncompressMessages(batch, header.magic, header.compression, source));
    cursor.records_ = cursor.uncompressed_.span();
    return cursor;
  }
  cursor.records_ = batch.subspan(kBatchHeaderBytes);
  if (header.compression == Compression::kNone) return cursor;
  Result<Buffer> records = Decompress(header.compression, cursor.records_, source.max_uncompressed_bytes);
  if (!records.ok()) {
    return records.status()
        .With("object", source.object)
        .With("field", "records")
        .With("offset", source.offset + kBatchHeaderBytes);
  }
  cursor.uncompressed_ = *std::move(records);
  cursor.records_ = cursor.uncompressed_.span();
  return cursor;
}

Status RecordCursor::Corrupted(std::string_view sentence, std::string_view field, std::size_t at) const {
  const std::uint64_t begin = source_.offset + (header_.magic < 2 ? 0 : kBatchHeaderBytes);
  const bool inside = header_.compression != Compression::kNone;
  return WithPlace(CorruptAt(sentence, source_.object, field, begin + (inside ? 0 : at)), at);
}

Status RecordCursor::WithPlace(const Status& status, std::size_t at) const {
  const Status placed = status.With("record", next_);
  return header_.compression == Compression::kNone ? placed : placed.With("uncompressed_offset", at);
}

Status RecordCursor::Next(Record* record) {
  if (header_.magic < 2) {
    const Status read = ReadMessage(records_, header_, source_, &at_, record);
    if (!read.ok()) return WithPlace(read, at_);
    record->offset = offset_ + next_++;
    return OkStatus();
  }
  FieldReader prefix(records_, at_, records_.size());
  const std::int32_t length = prefix.Varint("length");
  const std::size_t begin = prefix.at();
  if (prefix.failed()) return Corrupted(prefix.sentence(), "length", at_);
  if (length < 0 || records_.size() - begin < static_cast<std::size_t>(length)) {
    return Corrupted("a record does not end within its batch", "length", at_).With("length", length);
  }
  const std::size_t end = begin + static_cast<std::size_t>(length);
  FieldReader fields(records_, begin, end);
  fields.Skip(1, "attributes");  // without meaning
  const std::int64_t timestamp_delta = fields.Varlong("timestamp_delta");
  const std::int32_t offset_delta = fields.Varint("offset_delta");
  record->key = fields.Bytes("key");
  record->value = fields.Bytes("value");
  ReadHeaders(fields, &record->headers);
  if (fields.failed()) return Corrupted(fields.sentence(), fields.failed_field(), fields.at());
  if (fields.at() != end) return Corrupted("bytes follow the last field of a record", "length", fields.at());
  if (offset_delta != next_) {
    return Corrupted("the records of a batch must have one offset after another", "offset_delta", begin)
        .With("offset_delta", offset_delta);
  }
  record->timestamp_ms = header_.max_timestamp;
  if (header_.timestamp_type != TimestampType::kLogAppend &&
      __builtin_add_overflow(header_.base_timestamp, timestamp_delta, &record->timestamp_ms)) {
    return Corrupted("a timestamp is too large", "timestamp_delta", begin);
  }
  record->offset = offset_ + next_;
  at_ = end;
  if (next_ + 1 == count_ && at_ != records_.size()) {
    return Corrupted("bytes follow the last record of a batch", "records", at_);
  }
  ++next_;
  return OkStatus();
}

}  // namespace lakestream::kafka
