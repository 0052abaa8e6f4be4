#include "kafka/records/batch_builder.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "base/testing/bytes.h"
#include "kafka/records/entry_payload.h"
#include "kafka/records/testing/sample_records.h"

namespace lakestream::kafka {
namespace {

std::string Fixture(const std::string& name) {
  return ReadFile(LAKESTREAM_SOURCE_DIR "/src/kafka/records/testdata/" + name + ".bin");
}

std::string Build(BatchBuilder& builder, int count) {
  for (int i = 0; i < count; ++i) {
    const SampleRecord sample(i);
    EXPECT_TRUE(builder.Append(sample.timestamp_ms, sample.key, sample.value, sample.headers).ok());
  }
  const Result<Buffer> batch = builder.Finish();
  EXPECT_TRUE(batch.ok());
  return std::string(batch->text());
}

TEST(BatchBuilder, BuildsTheBytesOfKafkasOwnClient) {
  BatchBuilder plain(Compression::kNone);
  EXPECT_EQ(ToHex(Build(plain, 20)), ToHex(Fixture("v2-none")));
  BatchBuilder one(Compression::kNone);
  EXPECT_EQ(ToHex(Build(one, 1)), ToHex(Fixture("v2-one-record")));
  BatchBuilder idempotent(Compression::kNone, BatchProducer{4711, 3, 77});
  EXPECT_EQ(ToHex(Build(idempotent, 5)), ToHex(Fixture("v2-idempotent")));
}

TEST(BatchBuilder, CanBeUsedAgain) {
  BatchBuilder builder(Compression::kNone);
  EXPECT_EQ(Build(builder, 20), Fixture("v2-none"));
  EXPECT_EQ(builder.record_count(), 0);
  EXPECT_EQ(builder.size_bytes(), kBatchHeaderBytes);
  EXPECT_EQ(Build(builder, 1), Fixture("v2-one-record"));
}

TEST(BatchBuilder, WhatIsCompressedComesBack) {
  for (int codec = 0; codec < kCompressions; ++codec) {
    BatchBuilder builder(static_cast<Compression>(codec));
    const std::string batch = Build(builder, 1000);
    const Result<PayloadSummary> summary = CheckPayload(AsBytes(batch), BatchSource());
    ASSERT_TRUE(summary.ok()) << summary.status().ToString();
    ASSERT_EQ(summary->record_count, 1000);
    EXPECT_EQ(summary->batches[0].header.compression, static_cast<Compression>(codec));
    EXPECT_EQ(summary->batches[0].header.base_timestamp, 1'700'000'000'000);
    EXPECT_EQ(summary->batches[0].header.max_timestamp, 1'700'000'000'999);
    PayloadReader reader(AsBytes(batch), 7, 7, BatchSource());
    Record record;
    for (int i = 0; i < 1000; ++i) {
      const Result<bool> more = reader.Next(&record);
      ASSERT_TRUE(more.ok() && *more);
      ASSERT_EQ(record.offset, 7 + i);
      ExpectSample(record, i);
    }
  }
}

TEST(BatchBuilder, TakesTimestampsInAnyOrder) {
  constexpr std::int64_t kLast = std::numeric_limits<std::int64_t>::max();
  const std::int64_t times[] = {5, -1, kLast, 0};
  BatchBuilder builder(Compression::kNone);
  for (const std::int64_t time : times) ASSERT_TRUE(builder.Append(time, std::nullopt, "v").ok());
  const Result<Buffer> batch = builder.Finish();
  ASSERT_TRUE(batch.ok());
  PayloadReader reader(batch->span(), 0, 0, BatchSource());
  Record record;
  for (const std::int64_t time : times) {
    const Result<bool> more = reader.Next(&record);
    ASSERT_TRUE(more.ok() && *more) << more.status().ToString();
    EXPECT_EQ(record.timestamp_ms, time);
  }
  EXPECT_EQ(CheckPayload(batch->span(), BatchSource())->batches[0].header.max_timestamp, kLast);
}

TEST(BatchBuilder, RefusesWhatNoBatchCanHold) {
  BatchBuilder builder(Compression::kNone);
  ExpectStatus(builder.Append(-2, std::nullopt, "v"), StatusCode::kInvalidArgument, {"timestamp_ms=-2"});
  // Nobody reads these bytes: their number is enough to refuse them.
  const char byte = 'x';
  const std::string_view huge(&byte, std::size_t{1} << 31);
  ExpectStatus(builder.Append(0, std::nullopt, huge), StatusCode::kInvalidArgument, {"bytes="});
  EXPECT_EQ(builder.record_count(), 0);
}

}  // namespace
}  // namespace lakestream::kafka
