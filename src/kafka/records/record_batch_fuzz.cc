#include <string>

#include "codec/crc32c.h"
#include "fuzz/fuzz_target.h"
#include "kafka/records/batch_builder.h"
#include "kafka/records/entry_payload.h"

// The input is a payload as it is, and then again with the checksum of its first batch made right.

namespace lakestream::kafka {
namespace {

constexpr std::int64_t kFirst = 1000;

BatchSource Source() {
  BatchSource source;
  source.object = "o";
  source.max_uncompressed_bytes = std::uint64_t{64} << 10;
  return source;
}

bool Inside(ByteSpan input, std::string_view bytes) {
  return bytes.empty() || (AsBytes(bytes).data() >= input.data() &&
                           AsBytes(bytes).data() + bytes.size() <= input.data() + input.size());
}

/// Builds a batch of the records and reads them again.
void CheckBuilt(const std::vector<Record>& records) {
  BatchBuilder builder(Compression::kNone);
  for (const Record& record : records) {
    if (record.timestamp_ms < -1) return;
    LS_INVARIANT(builder.Append(record.timestamp_ms, record.key, record.value, record.headers).ok(), "it is taken");
  }
  const Result<Buffer> batch = builder.Finish();
  LS_INVARIANT(batch.ok(), "it is built");
  PayloadReader reader(batch->span(), kFirst, kFirst, Source());
  Record again;
  for (const Record& record : records) {
    const Result<bool> more = reader.Next(&again);
    LS_INVARIANT(more.ok() && *more && again.offset == record.offset && again.timestamp_ms == record.timestamp_ms &&
                     again.key == record.key && again.value == record.value && again.headers == record.headers,
                 "what is built comes back");
  }
}

void CheckRecords(ByteSpan input, const PayloadSummary& summary) {
  bool plain = true;
  for (const BatchSummary& batch : summary.batches) plain = plain && batch.header.compression == Compression::kNone;
  PayloadReader reader(input, kFirst, kFirst, Source());
  std::vector<Record> records;
  Record record;
  std::int64_t count = 0;
  for (Result<bool> more = reader.Next(&record); more.ok() && *more; more = reader.Next(&record)) {
    LS_INVARIANT(record.offset == kFirst + count++, "one offset after another");
    LS_INVARIANT(!plain || (Inside(input, record.key.value_or("")) && Inside(input, record.value.value_or(""))),
                 "uncompressed records are not copied");
    if (plain) records.push_back(record);
  }
  LS_INVARIANT(count == summary.record_count && reader.next_offset() == kFirst + count, "as many as are stated");
  if (plain) CheckBuilt(records);
  const Buffer payload = Buffer::CopyOf(input);
  const Result<BufferChain> assigned = AssignOffsets(payload, 0, Source());
  LS_INVARIANT(!assigned.ok() || assigned->size() == input.size(), "assigning offsets changes no length");
}

void Try(const char* decoder, ByteSpan input) {
  const Result<PayloadSummary> summary = CheckPayload(input, Source());
  if (FuzzAnswer(decoder, summary.status(),
                 {StatusCode::kCorrupt, StatusCode::kResourceExhausted, StatusCode::kUnimplemented}, {"object=o"})) {
    CheckRecords(input, *summary);
    return;
  }
  PayloadReader reader(input, kFirst, kFirst, Source());
  Record record;
  Result<bool> more = reader.Next(&record);
  while (more.ok() && *more) more = reader.Next(&record);
  LS_INVARIANT(!more.ok() && more.status().code() == summary.status().code(), "both ways say the same");
}

}  // namespace
}  // namespace lakestream::kafka

namespace lakestream {

void FuzzOne(ByteSpan input) {
  kafka::Try("payload", input);
  const Result<kafka::BatchHeader> header = kafka::DecodeBatchHeader(input, kafka::Source());
  if (!header.ok() || header->magic < 2) return;
  std::string mended(AsText(input));
  const std::uint32_t crc = Crc32c(input.subspan(21, header->size_bytes - 21));
  for (int i = 0; i < 4; ++i) mended[17 + static_cast<std::size_t>(i)] = static_cast<char>(crc >> (24 - 8 * i));
  kafka::Try("mended payload", AsBytes(mended));
}

}  // namespace lakestream
