#include "bindings/entry_binding.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "base/testing/bytes.h"

namespace lakestream {
namespace {

std::string Fixture(const std::string& name) {
  return ReadFile(LAKESTREAM_SOURCE_DIR "/src/kafka/records/testdata/" + name + ".bin");
}

LogEntry Entry(std::int64_t offset, std::int32_t records, std::string payload) {
  LogEntry entry;
  entry.header.offset = Offset(offset);
  entry.header.number_of_records = records;
  entry.header.timestamp_ms = 77;
  entry.payload = Buffer(std::move(payload));
  return entry;
}

std::vector<std::int64_t> Walked(const EntryBinding& binding, const LogEntry& entry, std::int64_t from, Status* status) {
  std::vector<std::int64_t> offsets;
  *status = binding.Walk(entry, Offset(from), [&offsets](const EntryItem& item) {
    offsets.push_back(item.offset);
    return true;
  });
  return offsets;
}

TEST(EntryBinding, KafkaCountsAndWalksRecords) {
  const EntryBinding& kafka = EntryBindingFor(Binding::kKafka);
  const LogEntry entry = Entry(100, 9, Fixture("three-batches"));
  EXPECT_EQ(*kafka.CountRecords(entry.payload.span()), 9);
  Status status;
  EXPECT_EQ(Walked(kafka, entry, 0, &status).size(), 9u);
  EXPECT_TRUE(status.ok()) << status.ToString();
  EXPECT_EQ(kafka.CountItems(entry.header, Offset(0)), 9);
  EXPECT_EQ(Walked(kafka, entry, 107, &status), (std::vector<std::int64_t>{107, 108}));
  EXPECT_EQ(kafka.CountItems(entry.header, Offset(107)), 2);
}

TEST(EntryBinding, KafkaRefusesToAppendWhatItForbids) {
  const EntryBinding& kafka = EntryBindingFor(Binding::kKafka);
  for (const char* name : {"bad-transactional", "bad-control", "bad-base-offset", "bad-count", "bad-crc", "bad-truncated"}) {
    EXPECT_EQ(kafka.CountRecords(AsBytes(Fixture(name))).status().code(), StatusCode::kInvalidArgument) << name;
  }
  EXPECT_EQ(kafka.CountRecords(ByteSpan()).status().code(), StatusCode::kInvalidArgument);
}

TEST(EntryBinding, KafkaComparesTheRecordsWithTheIndex) {
  const EntryBinding& kafka = EntryBindingFor(Binding::kKafka);
  Status status;
  EXPECT_EQ(Walked(kafka, Entry(100, 10, Fixture("three-batches")), 100, &status).size(), 9u);
  ExpectStatus(status, StatusCode::kCorrupt, {"as many records", "entry_offset=100", "records=9", "record_count=10"});
  // Records that the index does not know of are not given out: the next entry has their offsets.
  EXPECT_EQ(Walked(kafka, Entry(100, 4, Fixture("three-batches")), 100, &status),
            (std::vector<std::int64_t>{100, 101, 102, 103}));
  EXPECT_EQ(status.code(), StatusCode::kCorrupt);
  EXPECT_TRUE(Walked(kafka, Entry(100, 20, Fixture("bad-crc")), 100, &status).empty());
  ExpectStatus(status, StatusCode::kCorrupt, {"checksum", "entry_offset=100"});
}

TEST(EntryBinding, KafkaComparesAlsoWhereTheWalkEndsWithTheLastRecord) {
  const EntryBinding& kafka = EntryBindingFor(Binding::kKafka);
  for (const auto& [records, code] : {std::pair(9, StatusCode::kOk), std::pair(4, StatusCode::kCorrupt)}) {
    int left = records;
    const LogEntry entry = Entry(100, records, Fixture("three-batches"));
    const Status status = kafka.Walk(entry, Offset(100), [&left](const EntryItem&) { return --left > 0; });
    EXPECT_EQ(status.code(), code) << status.ToString();
    EXPECT_EQ(left, 0);
  }
}

TEST(EntryBinding, AWalkCanEndEarly) {
  int seen = 0;
  const Status status = EntryBindingFor(Binding::kKafka).Walk(Entry(0, 9, Fixture("three-batches")), Offset(0),
                                                              [&seen](const EntryItem&) { return ++seen < 3; });
  EXPECT_TRUE(status.ok());
  EXPECT_EQ(seen, 3);
}

TEST(EntryBinding, RawLeavesEntriesWhole) {
  const EntryBinding& raw = EntryBindingFor(Binding::kRaw);
  EXPECT_EQ(*raw.CountRecords(AsBytes("anything")), 1);
  const LogEntry entry = Entry(100, 5, "anything");
  EXPECT_EQ(raw.CountItems(entry.header, Offset(103)), 1);
  const Status status = raw.Walk(entry, Offset(103), [](const EntryItem& item) {
    EXPECT_EQ(item.offset, 100);
    EXPECT_EQ(item.timestamp_ms, 77);
    EXPECT_EQ(item.value, "anything");
    EXPECT_EQ(item.key, std::nullopt);
    return true;
  });
  EXPECT_TRUE(status.ok());
}

}  // namespace
}  // namespace lakestream
