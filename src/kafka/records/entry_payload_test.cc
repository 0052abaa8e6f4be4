#include "kafka/records/entry_payload.h"

#include <gtest/gtest.h>

#include <string>

#include "base/testing/bytes.h"
#include "codec/byte_writer.h"
#include "codec/compression/crc32.h"
#include "codec/crc32c.h"
#include "kafka/records/testing/sample_records.h"

namespace lakestream::kafka {
namespace {

std::string Fixture(const std::string& name) {
  return ReadFile(LAKESTREAM_SOURCE_DIR "/src/kafka/records/testdata/" + name + ".bin");
}

/// A batch of magic 2 of records in hexadecimal digits, with its right checksum.
std::string Batch(std::string_view records, int count, std::string_view attributes = "0000",
                  Compression compression = Compression::kNone) {
  std::string covered = Hex(attributes);
  covered.back() = static_cast<char>(covered.back() | static_cast<char>(compression));
  AppendInt32(covered, count - 1);
  covered += Hex("00000000000003e8 00000000000007d0 ffffffffffffffff ffff ffffffff");
  AppendInt32(covered, count);
  EXPECT_TRUE(Compress(compression, AsBytes(Hex(records)), &covered).ok());
  std::string batch(8, '\0');
  AppendInt32(batch, static_cast<std::int32_t>(9 + covered.size()));
  batch += Hex("ffffffff 02");
  AppendInt32(batch, static_cast<std::int32_t>(Crc32c(AsBytes(covered))));
  return batch + covered;
}

/// A message of magic 0 or 1 with its right checksum.
std::string Message(std::int64_t offset, int magic, int attributes, std::int64_t timestamp, std::string_view value) {
  std::string covered = {static_cast<char>(magic), static_cast<char>(attributes)};
  if (magic == 1) AppendInt64(covered, timestamp);
  AppendInt32(covered, -1);
  AppendInt32(covered, static_cast<std::int32_t>(value.size()));
  covered += value;
  std::string message;
  AppendInt64(message, offset);
  AppendInt32(message, static_cast<std::int32_t>(4 + covered.size()));
  AppendInt32(message, static_cast<std::int32_t>(Crc32(AsBytes(covered))));
  return message + covered;
}

Status Check(std::string_view payload) { return CheckPayload(AsBytes(payload), BatchSource()).status(); }

TEST(EntryPayload, ARecordByHand) {
  // length 9, attributes, timestamp +1, offset +0, key "k", value "vv", no headers.
  const std::string batch = Batch("12 00 02 00 02 6b 04 7676 00", 1);
  PayloadReader reader(AsBytes(batch), 41, 0, BatchSource());
  Record record;
  const Result<bool> more = reader.Next(&record);
  ASSERT_TRUE(more.ok() && *more) << more.status().ToString();
  EXPECT_EQ(record.offset, 41);
  EXPECT_EQ(record.timestamp_ms, 1001);
  EXPECT_EQ(record.key, "k");
  EXPECT_EQ(record.value, "vv");
  // Uncompressed records are not copied.
  EXPECT_EQ(record.value->data(), batch.data() + kBatchHeaderBytes + 7);
}

TEST(EntryPayload, LogAppendTimeIsTheBatchs) {
  const std::string batch = Batch("12 00 02 00 02 6b 04 7676 00", 1, "0008");
  PayloadReader reader(AsBytes(batch), 0, 0, BatchSource());
  Record record;
  ASSERT_TRUE(*reader.Next(&record));
  EXPECT_EQ(record.timestamp_ms, 2000);
}

struct BadRecords {
  const char* records;
  int count;
  const char* sentence;
  const char* field;
};

const BadRecords kBad[] = {
    {"", 1, "a number is cut off or too large", "field=length"},
    {"12 00 02 00 02 6b 04 7676 00", 2, "a number is cut off or too large", "record=1"},
    {"12 00 02 00 02 6b 04 7676 00 00", 1, "bytes follow the last record of a batch", "field=records"},
    {"14 00 02 00 02 6b 04 7676 00 00", 1, "bytes follow the last field of a record", "field=length"},
    {"14 00 02 00 02 6b 04 7676 00", 1, "a record does not end within its batch", "length=10"},
    {"01 00 02 00 02 6b 04 7676 00", 1, "a record does not end within its batch", "length=-1"},
    {"12 00 02 02 02 6b 04 7676 00", 1, "the records of a batch must have one offset after another", "offset_delta=1"},
    {"12 00 02 00 03 6b 04 7676 00", 1, "a field does not end within its record", "field=key"},
    {"12 00 02 00 02 6b 80 7676 00", 1, "a field does not end within its record", "field=value"},
    {"12 00 02 00 02 6b 04 7676 01", 1, "a count is below 0", "field=header_count"},
    {"12 00 02 00 02 6b 02 76 02 01", 1, "the key of a header is null", "field=header_key"},
    {"12 00 02 00 02 6b 02 76 02 04", 1, "a field does not end within its record", "field=header_key"},
    {"12 00 02 00 02 6b 01 02 00 03", 1, "a field does not end within its record", "field=header_value"},
    {"12 00 ffffffffffffffffff03 02 6b 04 7676 00", 1, "a number is cut off or too large", "field=timestamp_delta"},
    {"1a 00 feffffffffffffffff01 00 01", 1, "a number is cut off or too large", "field=value"},
    {"1e 00 feffffffffffffffff01 00 01 01 00", 1, "a timestamp is too large", "field=timestamp_delta"},
};

TEST(EntryPayload, EachBrokenRuleOfARecordIsNamed) {
  for (const BadRecords& bad : kBad) {
    SCOPED_TRACE(bad.records);
    ExpectStatus(Check(Batch(bad.records, bad.count)), StatusCode::kCorrupt,
                 {bad.sentence, bad.field, "object=payload", "offset=", "record=", "batch=0"});
    ExpectStatus(Check(Batch(bad.records, bad.count, "0000", Compression::kGzip)), StatusCode::kCorrupt,
                 {bad.sentence, bad.field, "offset=61", "uncompressed_offset="});
  }
}

TEST(EntryPayload, EachBrokenRuleOfABatchIsNamed) {
  const std::string good = Batch("12 00 02 00 02 6b 04 7676 00", 1);
  ExpectStatus(Check(good), StatusCode::kOk, {});
  ExpectStatus(Check(Batch("", 0)), StatusCode::kCorrupt, {"a batch must hold a record", "record_count=0"});
  ExpectStatus(Check(Batch("", -5)), StatusCode::kCorrupt, {"a batch must hold a record", "record_count=-5"});
  ExpectStatus(Check(Batch("00", 1, "0005")), StatusCode::kCorrupt, {"there is no such compression", "codec=5"});
  std::string changed = good;
  changed[16] = 3;
  ExpectStatus(Check(changed), StatusCode::kCorrupt, {"there is no such magic number", "offset=16", "magic=3"});
  changed[16] = -1;
  ExpectStatus(Check(changed), StatusCode::kCorrupt, {"there is no such magic number", "magic=-1"});
  changed = good;
  changed[11] = 48;
  ExpectStatus(Check(changed), StatusCode::kCorrupt, {"the batch is shorter than its header", "length=48"});
  changed[8] = -1;
  ExpectStatus(Check(changed), StatusCode::kCorrupt, {"the batch is shorter than its header", "length=-"});
  ExpectStatus(Check(good + good.substr(0, 40)), StatusCode::kCorrupt, {"the batch is cut off", "offset=79", "batch=1"});
}

TEST(EntryPayload, SaysHowFarItCame) {
  PayloadSummary so_far;
  const std::string payload = Fixture("three-batches") + Fixture("bad-control");
  EXPECT_FALSE(CheckPayload(AsBytes(payload), BatchSource(), &so_far).ok());
  EXPECT_EQ(so_far.record_count, 9);
  ASSERT_EQ(so_far.batches.size(), 4u);
  EXPECT_TRUE(so_far.batches[3].header.control);
}

TEST(EntryPayload, DecompressionHasALimit) {
  BatchSource source;
  source.max_uncompressed_bytes = 300;
  ExpectStatus(CheckPayload(AsBytes(Fixture("v2-zstd")), source).status(), StatusCode::kResourceExhausted,
               {"limit=300", "field=records", "offset=61", "batch=0"});
}

TEST(EntryPayload, StartsAtAnyRecord) {
  const std::string payload = Fixture("three-batches");
  for (std::int64_t from = 0; from <= 9; ++from) {
    PayloadReader reader(AsBytes(payload), 100, 100 + from, BatchSource());
    Record record;
    std::int64_t i = from;
    for (Result<bool> more = reader.Next(&record); more.ok() && *more; more = reader.Next(&record)) {
      EXPECT_EQ(record.offset, 100 + i);
      ExpectSample(record, i++);
    }
    EXPECT_EQ(i, 9) << from;
    EXPECT_EQ(reader.next_offset(), 109);
  }
}

TEST(EntryPayload, BatchesBelowTheStartAreNotUncompressed) {
  const std::string broken = Batch("ff", 3);  // its only record is damaged
  const std::string payload = broken + Batch("12 00 02 00 02 6b 04 7676 00", 1);
  PayloadReader reader(AsBytes(payload), 0, 3, BatchSource());
  Record record;
  const Result<bool> more = reader.Next(&record);
  ASSERT_TRUE(more.ok() && *more) << more.status().ToString();
  EXPECT_EQ(record.offset, 3);
  PayloadReader from_start(AsBytes(payload), 0, 2, BatchSource());
  ExpectStatus(from_start.Next(&record).status(), StatusCode::kCorrupt, {"batch=0"});
}

TEST(EntryPayload, CompressedMessagesOfMagicOneAreRead) {
  const std::string inside = Message(0, 1, 0, 11, "a") + Message(1, 1, 0, 12, "b") + Message(2, 1, 0, 13, "c");
  std::string small;
  ASSERT_TRUE(Compress(Compression::kGzip, AsBytes(inside), &small).ok());
  const std::string payload = Message(2, 1, 1, 99, small) + Message(0, 1, 0, 14, "d");
  const Result<PayloadSummary> summary = CheckPayload(AsBytes(payload), BatchSource());
  ASSERT_TRUE(summary.ok()) << summary.status().ToString();
  ASSERT_EQ(summary->batches.size(), 2u);
  EXPECT_EQ(summary->batches[0].header.record_count, 3);
  EXPECT_EQ(summary->batches[0].largest_timestamp_ms, 13);
  PayloadReader reader(AsBytes(payload), 50, 51, BatchSource());
  Record record;
  for (const char* value : {"b", "c", "d"}) {
    ASSERT_TRUE(*reader.Next(&record));
    EXPECT_EQ(record.value, value);
  }
  EXPECT_EQ(record.offset, 53);
  EXPECT_EQ(record.timestamp_ms, 14);
  // With the time of the log, that of the outer message is everyone's.
  const std::string stamped = Message(2, 1, 9, 99, small);
  PayloadReader log_time(AsBytes(stamped), 0, 0, BatchSource());
  ASSERT_TRUE(*log_time.Next(&record));
  EXPECT_EQ(record.timestamp_ms, 99);
}

TEST(EntryPayload, DamageInOldMessagesIsNamed) {
  std::string inside = Message(0, 1, 0, 11, "a");
  const auto wrap = [](std::string_view bytes, int magic, Compression compression) {
    std::string small;
    EXPECT_TRUE(Compress(compression, AsBytes(bytes), &small).ok());
    return Message(0, magic, static_cast<int>(compression), 99, small);
  };
  ExpectStatus(Check(wrap("", 1, Compression::kGzip)), StatusCode::kCorrupt, {"a batch must hold a record"});
  ExpectStatus(Check(wrap(inside, 0, Compression::kLz4)), StatusCode::kUnimplemented, {"LZ4 in messages of magic 0"});
  ExpectStatus(Check(wrap(wrap(inside, 1, Compression::kGzip), 1, Compression::kGzip)), StatusCode::kCorrupt,
               {"a compressed message is inside another"});
  inside.back() = 'b';
  ExpectStatus(Check(wrap(Message(0, 1, 0, 11, "a") + inside, 1, Compression::kGzip)), StatusCode::kCorrupt,
               {"does not match its checksum", "record=1", "uncompressed_offset=35"});
  ExpectStatus(Check(inside), StatusCode::kCorrupt, {"does not match its checksum", "offset=12"});
}

TEST(EntryPayload, OffsetsAreAssignedWithoutTouchingTheRest) {
  const Buffer payload(Fixture("three-batches"));
  const Result<BufferChain> chain = AssignOffsets(payload, 1000, BatchSource());
  ASSERT_TRUE(chain.ok());
  std::string expected(payload.text());
  const auto put = [&expected](std::size_t at, std::string_view offset) { expected.replace(at, 8, Hex(offset)); };
  put(0, "00000000000003e8");
  put(121, "00000000000003ea");
  put(121 + 149, "00000000000003ed");
  EXPECT_EQ(chain->Flatten().text(), expected);
  EXPECT_EQ(chain->parts()[1].data(), payload.data() + 8);
}

}  // namespace
}  // namespace lakestream::kafka
