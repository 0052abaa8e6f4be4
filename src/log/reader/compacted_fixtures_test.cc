#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/testing/bytes.h"
#include "codec/base64.h"
#include "codec/compression/compression.h"
#include "format/json.h"
#include "log/reader/testing/compacted_world.h"

// PARQUET records, compacted files and companions of another program (src/parquet/testdata/README.md), read as a log.

namespace lakestream {
namespace {

const LogId kLog(5);
const std::string kSource = LAKESTREAM_SOURCE_DIR "/src/";

std::int64_t Int(const JsonValue& json) {
  EXPECT_TRUE(json.kind == JsonValue::Kind::kInt);
  return json.integer;
}

class TopicHomes final : public LogHomes {
 public:
  explicit TopicHomes(std::string directory) : directory_(std::move(directory)) {}
  Task<Result<LogHome>> Find(OpContext, LogId) override {
    LogHome home;
    home.directory = directory_;
    home.entry_serde_type = "KAFKA_BATCHED_RAW_PARQUET";
    home.record_name = "KafkaMessage";
    co_return home;
  }

 private:
  const std::string directory_;
};

/// Empty where this tree does not hold it.
std::string PayloadOf(const JsonValue& append) {
  if (append.kind == JsonValue::Kind::kObject) {
    return ReadFile(kSource + "kafka/records/testdata/" + append.Find("kafka")->text + ".bin");
  }
  const std::int64_t salt = Int(append.items.at(1));
  std::string payload;
  for (std::int64_t i = 0; i < Int(append.items.at(2)); ++i) {
    payload += static_cast<char>((31 * salt + 7 * i + i / 256) % 256);
  }
  return payload;
}

std::string ParquetBytes(const std::string& path) {
  std::string bytes = ReadFile(path);
  if (!bytes.empty()) return bytes;
  const std::string packed = ReadFile(path + ".gz");
  const Result<Buffer> plain = Decompress(Compression::kGzip, AsBytes(packed), std::uint64_t{16} << 20);
  EXPECT_TRUE(plain.ok()) << plain.status().ToString();
  return plain.ok() ? std::string(plain->text()) : std::string();
}

class CompactedFixtures : public testing::TestWithParam<const char*> {};

TEST_P(CompactedFixtures, ReadAsALog) {
  const std::string name = GetParam();
  const Result<JsonValue> manifest =
      ParseJson(ReadFile(kSource + "parquet/testdata/" + name + "/manifest.json"), name);
  ASSERT_TRUE(manifest.ok()) << manifest.status().ToString();
  CompactedWorld world;
  TopicHomes homes(manifest->Find("stream")->text);
  for (const JsonValue& file : manifest->Find("files")->items) {
    const std::string parquet = file.Find("parquet")->text;
    const std::string companion = file.Find("companion")->text;
    const std::string folder = manifest->Find("stream")->text + "/";
    world.PutCompacted(folder + parquet, ParquetBytes(kSource + "parquet/testdata/" + name + "/" + parquet));
    world.PutCompacted(folder + companion,
                       ReadFile(kSource + "format/testdata/companion/" + name + "/" + companion));
  }
  const JsonValue& record = manifest->Find("metadata_after")->items.at(0);
  const Result<std::string> value = Base64Decode(record.Find("value_base64")->text);
  ASSERT_TRUE(value.ok());
  world.PutMeta(kLog, record.Find("key")->text, *value);

  const std::vector<JsonValue>& rows = manifest->Find("rows_if_at_most_300")->items;
  const std::vector<JsonValue>& appends = manifest->Find("appends_in_order")->items;
  ASSERT_EQ(rows.size(), appends.size());
  const auto reader_of = [&] {
    return std::make_unique<LogReader>(world.sim.runtime(), world.meta, world.objects, world.compacted, homes,
                                       ReaderOptions());
  };
  const std::unique_ptr<LogReader> reader = reader_of();
  std::vector<LogEntry> entries;
  const Offset end(Int(manifest->Find("range")->items.at(1)));
  for (Offset at(0); at < end;) {
    const Result<LogRead> read = world.ReadWith(*reader, kLog, at.value());
    ASSERT_TRUE(read.ok()) << read.status().ToString();
    ASSERT_GT(read->next, at);
    entries.insert(entries.end(), read->entries.begin(), read->entries.end());
    at = read->next;
  }
  ASSERT_EQ(entries.size(), rows.size());
  std::size_t compared = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::vector<JsonValue>& row = rows[i].items;
    const LogEntryHeader expected{Offset(Int(row[0])), static_cast<std::int32_t>(Int(row[1])), Int(row[2]),
                                  static_cast<std::int32_t>(Int(row[3])), Int(row[4])};
    EXPECT_EQ(entries[i].header, expected) << i;
    const std::string payload = PayloadOf(appends[i]);
    if (!payload.empty()) ++compared;
    EXPECT_TRUE(payload.empty() || entries[i].payload.text() == payload) << i;
    // By its last offset alone, for who knows nothing; and by its time. Of a long file not each.
    if (i % (rows.size() / 20 + 1) != 0) continue;
    const Result<LogRead> one =
        world.ReadWith(*reader_of(), kLog, expected.end().value() - 1, ReadBounds{1, 1});
    ASSERT_TRUE(one.ok() && one->entries.size() == 1);
    EXPECT_EQ(one->entries[0].header, expected);
    const Result<Offset> found = world.sim.Run(reader->FindTime(OpContext(), kLog, expected.timestamp_ms));
    const auto first = std::find_if(rows.begin(), rows.end(), [&](const JsonValue& other) {
      return Int(other.items[2]) >= expected.timestamp_ms;
    });
    EXPECT_EQ(found.ok() ? found->value() : -1, Int(first->items[0])) << i;
  }
  EXPECT_GE(compared, rows.size() - 2);
}

INSTANTIATE_TEST_SUITE_P(All, CompactedFixtures,
                         testing::Values("block-split-exact", "kafka-batches", "plain-12-entries", "row-groups",
                                         "two-files"));

}  // namespace
}  // namespace lakestream
