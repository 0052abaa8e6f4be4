#include "kafka/records/batch_builder.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/invariant.h"
#include "base/try.h"
#include "codec/byte_writer.h"
#include "codec/crc32c.h"
#include "kafka/records/batch_header.h"

namespace lakestream::kafka {
namespace {

constexpr std::int32_t kMaxRecords = std::numeric_limits<std::int32_t>::max();
constexpr std::size_t kMaxBytes = std::numeric_limits<std::int32_t>::max();
constexpr std::size_t kLengthEnd = 12;
constexpr std::size_t kAttributesAt = 21;
constexpr std::size_t kMaxReserved = std::size_t{1} << 20;
constexpr std::uint64_t kNull = 1;  // -1 in zigzag

constexpr std::uint64_t Zigzag(std::int64_t value) {
  return static_cast<std::uint64_t>(value) << 1 ^ static_cast<std::uint64_t>(value >> 63);
}

std::size_t SizeOf(std::optional<std::string_view> bytes) {
  return bytes ? VarintSize(Zigzag(static_cast<std::int64_t>(bytes->size()))) + bytes->size() : VarintSize(kNull);
}

/// Writes over bytes that are there, which is quicker than making a string longer again and again.
class Cursor {
 public:
  explicit Cursor(char* at) : at_(at) {}
  const char* at() const { return at_; }

  void Byte(char value) { *at_++ = value; }
  void Varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) Byte(static_cast<char>(value | 0x80));
    Byte(static_cast<char>(value));
  }
  void Nullable(std::optional<std::string_view> bytes) {
    Varint(bytes ? Zigzag(static_cast<std::int64_t>(bytes->size())) : kNull);
    if (bytes) at_ = std::copy(bytes->begin(), bytes->end(), at_);
  }

 private:
  char* at_;
};

/// Puts a number over bytes that are there.
void Overwrite(std::string* out, std::size_t at, std::uint64_t value, int bytes) {
  for (int i = bytes - 1; i >= 0; --i, value >>= 8) (*out)[at + static_cast<std::size_t>(i)] = static_cast<char>(value);
}

}  // namespace

BatchBuilder::BatchBuilder(Compression compression, BatchProducer producer)
    : compression_(compression), producer_(producer) {
  Clear();
}

void BatchBuilder::Clear() {
  // The next batch will be about as large, and a string that grows is copied.
  bytes_.reserve(std::min(last_bytes_, kMaxReserved));
  bytes_.assign(kBatchHeaderBytes, '\0');
  count_ = 0;
  base_timestamp_ = max_timestamp_ = -1;
}

Status BatchBuilder::Append(std::int64_t timestamp_ms, std::optional<std::string_view> key,
                            std::optional<std::string_view> value, std::span<const RecordHeader> headers) {
  if (timestamp_ms < -1) return InvalidArgument("a timestamp is below -1").With("timestamp_ms", timestamp_ms);
  const std::int64_t delta = count_ == 0 ? 0 : timestamp_ms - base_timestamp_;
  std::size_t size = 1 + VarintSize(Zigzag(delta)) + VarintSize(Zigzag(count_)) + SizeOf(key) + SizeOf(value) +
                     VarintSize(Zigzag(static_cast<std::int64_t>(headers.size())));
  for (const RecordHeader& header : headers) size += SizeOf(header.key) + SizeOf(header.value);
  if (size > kMaxBytes) return InvalidArgument("a record is larger than a batch can be").With("bytes", size);
  if (count_ == kMaxRecords || bytes_.size() + size + kMaxVarint32Bytes > kMaxBytes) {
    return ResourceExhausted("the batch is full").With("records", count_).With("bytes", bytes_.size());
  }
  const std::uint64_t length = Zigzag(static_cast<std::int64_t>(size));
  const std::size_t begin = bytes_.size();
  bytes_.resize(begin + VarintSize(length) + size);
  Cursor cursor(bytes_.data() + begin);
  cursor.Varint(length);
  cursor.Byte('\0');  // attributes, without meaning
  cursor.Varint(Zigzag(delta));
  cursor.Varint(Zigzag(count_));
  cursor.Nullable(key);
  cursor.Nullable(value);
  cursor.Varint(Zigzag(static_cast<std::int64_t>(headers.size())));
  for (const RecordHeader& header : headers) {
    cursor.Nullable(header.key);
    cursor.Nullable(header.value);
  }
  LS_INVARIANT(cursor.at() == bytes_.data() + bytes_.size(), "a record is as long as its length says");
  if (count_ == 0) base_timestamp_ = timestamp_ms;
  max_timestamp_ = std::max(max_timestamp_, timestamp_ms);
  ++count_;
  return OkStatus();
}

Result<Buffer> BatchBuilder::Finish() {
  LS_INVARIANT(count_ > 0, "a batch holds a record");
  std::string batch;
  last_bytes_ = bytes_.size();
  if (compression_ == Compression::kNone) {
    batch = std::move(bytes_);
  } else {
    batch.assign(kBatchHeaderBytes, '\0');
    LS_TRY(Compress(compression_, AsBytes(bytes_).subspan(kBatchHeaderBytes), &batch));
    if (batch.size() > kMaxBytes) return ResourceExhausted("the batch is full").With("bytes", batch.size());
  }
  WriteHeader(&batch);
  Clear();
  return Buffer(std::move(batch));
}

void BatchBuilder::WriteHeader(std::string* batch) const {
  std::string header;
  AppendInt64(header, 0);  // base offset
  AppendInt32(header, static_cast<std::int32_t>(batch->size() - kLengthEnd));
  AppendInt32(header, -1);  // partition leader epoch
  header.push_back(2);      // magic
  AppendInt32(header, 0);   // room for the checksum
  AppendBigEndian(header, static_cast<std::uint64_t>(compression_), 2);
  AppendInt32(header, count_ - 1);
  AppendInt64(header, base_timestamp_);
  AppendInt64(header, max_timestamp_);
  AppendInt64(header, producer_.id);
  AppendBigEndian(header, static_cast<std::uint16_t>(producer_.epoch), 2);
  AppendInt32(header, producer_.base_sequence);
  AppendInt32(header, count_);
  batch->replace(0, kBatchHeaderBytes, header);
  Overwrite(batch, kAttributesAt - 4, Crc32c(AsBytes(*batch).subspan(kAttributesAt)), 4);
}

}  // namespace lakestream::kafka
