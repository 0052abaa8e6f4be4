#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/testing/bytes.h"
#include "kafka/records/entry_payload.h"
#include "kafka/records/testing/sample_records.h"

// Batches that Kafka's own client library wrote; testdata/README.md.

namespace lakestream::kafka {
namespace {

struct Expected {
  std::uint64_t size;
  std::int32_t records;
  Compression compression;
  std::uint32_t crc;
  std::int64_t max_timestamp;
  int magic = 2;
  std::int64_t base_offset = 0;
  TimestampType timestamp_type = TimestampType::kCreateTime;
  std::int64_t producer_id = -1;
  std::int16_t producer_epoch = -1;
  std::int32_t base_sequence = -1;
};

struct Fixture {
  const char* file;
  std::vector<Expected> batches;
};

constexpr Compression kNone = Compression::kNone;
constexpr std::int64_t kT = 1'700'000'000'000;
constexpr TimestampType kCreate = TimestampType::kCreateTime;
constexpr TimestampType kNoTime = TimestampType::kNone;

const Fixture kValid[] = {
    {"v2-none", {{750, 20, kNone, 0xd7d140f3, kT + 19}}},
    {"v2-gzip", {{375, 20, Compression::kGzip, 0x65eaa4d0, kT + 19}}},
    {"v2-snappy", {{484, 20, Compression::kSnappy, 0x1b161673, kT + 19}}},
    {"v2-lz4", {{484, 20, Compression::kLz4, 0xc513cf0f, kT + 19}}},
    {"v2-zstd", {{376, 20, Compression::kZstd, 0x60d3e62d, kT + 19}}},
    {"v2-one-record", {{81, 1, kNone, 0x43c2463d, kT}}},
    {"v2-1000-records-zstd", {{11384, 1000, Compression::kZstd, 0x64c998e2, kT + 999}}},
    {"v2-idempotent", {{204, 5, kNone, 0xb3e371ed, kT + 4, 2, 0, kCreate, 4711, 3, 77}}},
    {"three-batches",
     {{121, 2, kNone, 0x7fb05e4f, kT + 1},
      {149, 3, Compression::kGzip, 0x2265341a, kT + 4},
      {159, 4, Compression::kZstd, 0x0c64787c, kT + 8}}},
    {"magic1-none",
     {{47, 1, kNone, 0x0a11f1ac, kT, 1, 0},
      {48, 1, kNone, 0xbbcae21a, kT + 1, 1, 1},
      {49, 1, kNone, 0xb3312fa5, kT + 2, 1, 2},
      {45, 1, kNone, 0xca644c95, kT + 3, 1, 3}}},
    {"magic0-none",
     {{39, 1, kNone, 0x0a321b8d, -1, 0, 0, kNoTime},
      {40, 1, kNone, 0x6cd03b7a, -1, 0, 1, kNoTime},
      {41, 1, kNone, 0xa64afd0c, -1, 0, 2, kNoTime}}},
};

struct Invalid {
  const char* file;
  const char* sentence;
  const char* field;
};
const Invalid kInvalid[] = {
    {"bad-transactional", "an entry must not hold a transactional batch", "field=attributes"},
    {"bad-control", "an entry must not hold a control batch", "field=attributes"},
    {"bad-base-offset", "the base offset of a stored batch must be 0", "base_offset=10"},
    {"bad-count", "a batch must hold as many records as offsets", "record_count=4"},
    {"bad-crc", "the batch does not match its checksum", "field=crc"},
    {"bad-truncated", "the batch is cut off", "field=batch_length"},
};

std::string Load(const std::string& name) {
  const std::string bytes = ReadFile(LAKESTREAM_SOURCE_DIR "/src/kafka/records/testdata/" + name + ".bin");
  EXPECT_FALSE(bytes.empty()) << name;
  return bytes;
}

void ExpectBatch(const BatchHeader& header, const Expected& expected) {
  EXPECT_EQ(header.magic, expected.magic);
  EXPECT_EQ(header.size_bytes, expected.size);
  EXPECT_EQ(header.base_offset, expected.base_offset);
  EXPECT_EQ(header.record_count, expected.records);
  EXPECT_EQ(header.last_offset_delta, expected.records - 1);
  EXPECT_EQ(header.compression, expected.compression);
  EXPECT_EQ(header.crc, expected.crc);
  EXPECT_EQ(header.timestamp_type, expected.timestamp_type);
  EXPECT_EQ(header.max_timestamp, expected.max_timestamp);
  EXPECT_EQ(header.producer_id, expected.producer_id);
  EXPECT_EQ(header.producer_epoch, expected.producer_epoch);
  EXPECT_EQ(header.base_sequence, expected.base_sequence);
  EXPECT_FALSE(header.transactional);
  EXPECT_FALSE(header.control);
}

TEST(RecordBatchFixtures, EachBatchIsWhatItShouldBe) {
  for (const Fixture& fixture : kValid) {
    SCOPED_TRACE(fixture.file);
    const std::string bytes = Load(fixture.file);
    const Result<PayloadSummary> summary = CheckPayload(AsBytes(bytes), BatchSource());
    ASSERT_TRUE(summary.ok()) << summary.status().ToString();
    ASSERT_EQ(summary->batches.size(), fixture.batches.size());
    std::int64_t records = 0;
    for (std::size_t i = 0; i < fixture.batches.size(); ++i) {
      ExpectBatch(summary->batches[i].header, fixture.batches[i]);
      EXPECT_EQ(summary->batches[i].first_record, records);
      EXPECT_EQ(summary->batches[i].largest_timestamp_ms, fixture.batches[i].max_timestamp);
      records += fixture.batches[i].records;
    }
    EXPECT_EQ(summary->record_count, records);
  }
}

TEST(RecordBatchFixtures, EachRecordIsWhatItShouldBe) {
  for (const Fixture& fixture : kValid) {
    SCOPED_TRACE(fixture.file);
    const std::string bytes = Load(fixture.file);
    const int magic = fixture.batches.front().magic;
    PayloadReader reader(AsBytes(bytes), 500, 500, BatchSource());
    Record record;
    std::int64_t count = 0;
    for (Result<bool> more = reader.Next(&record); more.ok() && *more; more = reader.Next(&record)) {
      EXPECT_EQ(record.offset, 500 + count);
      ExpectSample(record, count++, magic);
    }
    std::int64_t records = 0;
    for (const Expected& batch : fixture.batches) records += batch.records;
    EXPECT_EQ(count, records);
    EXPECT_EQ(reader.next_offset(), 500 + records);
  }
}

TEST(RecordBatchFixtures, TheTwentiethRecordInWords) {
  const std::string bytes = Load("v2-none");
  PayloadReader reader(AsBytes(bytes), 0, 19, BatchSource());
  Record record;
  const Result<bool> more = reader.Next(&record);
  ASSERT_TRUE(more.ok() && *more);
  EXPECT_EQ(record.offset, 19);
  EXPECT_EQ(record.timestamp_ms, 1'700'000'000'019);
  EXPECT_EQ(record.key, "key-19");
  EXPECT_EQ(record.value, "value-19-xxxxxxxxxxxxxxxxxxx");
  const std::vector<RecordHeader> headers = {{"h1", "v19"}, {"empty", ""}, {"null", std::nullopt}};
  EXPECT_EQ(record.headers, headers);
}

TEST(RecordBatchFixtures, TheInvalidOnesAreRefused) {
  for (const Invalid& invalid : kInvalid) {
    SCOPED_TRACE(invalid.file);
    const std::string bytes = Load(invalid.file);
    const std::initializer_list<std::string_view> parts = {invalid.sentence, "object=payload", invalid.field, "batch=0"};
    ExpectStatus(CheckPayload(AsBytes(bytes), BatchSource()).status(), StatusCode::kCorrupt, parts);
    PayloadReader reader(AsBytes(bytes), 0, 0, BatchSource());
    Record record;
    ExpectStatus(reader.Next(&record).status(), StatusCode::kCorrupt, parts);
    const Result<bool> after = reader.Next(&record);
    EXPECT_TRUE(after.ok() && !*after);
  }
  ExpectStatus(CheckPayload(ByteSpan(), BatchSource()).status(), StatusCode::kCorrupt,
               {"an entry must hold a record batch"});
}

TEST(RecordBatchFixtures, EveryTruncationAndEveryChangedByteIsRefused) {
  for (const Fixture& fixture : kValid) {
    if (fixture.batches.size() > 1 || fixture.batches[0].size > 1000) continue;
    SCOPED_TRACE(fixture.file);
    std::string bytes = Load(fixture.file);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      EXPECT_EQ(CheckPayload(AsBytes(bytes).first(size), BatchSource()).status().code(), StatusCode::kCorrupt) << size;
    }
    for (std::size_t at = 0; at < bytes.size(); ++at) {
      if (at >= 12 && at < 16) continue;  // the leader's epoch: any value is right, and no checksum covers it
      bytes[at] = static_cast<char>(bytes[at] ^ 0x20);
      EXPECT_EQ(CheckPayload(AsBytes(bytes), BatchSource()).status().code(), StatusCode::kCorrupt) << at;
      bytes[at] = static_cast<char>(bytes[at] ^ 0x20);
    }
  }
}

}  // namespace
}  // namespace lakestream::kafka
