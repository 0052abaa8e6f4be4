#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <new>
#include <string>
#include <vector>

#include "codec/base64.h"
#include "codec/compression/compression.h"
#include "format/catalog_records.h"
#include "format/compaction_record.h"
#include "format/companion_decoder.h"
#include "format/companion_writer.h"
#include "format/deployment_record.h"
#include "format/entry_index.h"
#include "format/file_index.h"
#include "format/index_key.h"
#include "format/log_records.h"
#include "format/row_metadata.h"
#include "format/testing/bytes.h"
#include "format/wal_object.h"

// Every decoder against every truncation and every flipped bit of good input: an answer or corrupt, with the
// object named, and no allocation that the input's size does not justify.

namespace {
thread_local std::size_t largest_allocation = 0;
}

// Not inlined: g++ 12 would see malloc meet delete, or new meet free, and warn.
[[gnu::noinline]] void* operator new(std::size_t size) {
  largest_allocation = std::max(largest_allocation, size);
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  std::abort();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace lakestream {
namespace {

using Decoder = std::function<Status(const std::string&)>;

struct Subject {
  std::string name;
  std::string good;
  Decoder decode;
  bool every_truncation_fails;          ///< no proper prefix is a record by itself
  std::vector<std::string_view> parts;  ///< what each message must hold
  std::vector<StatusCode> codes = {StatusCode::kCorrupt};
  std::size_t allocation = 4096;  ///< that any input may lead to
};

void CheckFailure(const Subject& subject, const Status& status, std::size_t input_size) {
  EXPECT_LE(largest_allocation, subject.allocation + 600 * input_size);
  if (status.ok()) return;
  EXPECT_NE(std::find(subject.codes.begin(), subject.codes.end(), status.code()), subject.codes.end())
      << status.ToString();
  for (const std::string_view part : subject.parts) {
    EXPECT_NE(status.message().find(part), std::string_view::npos) << part << " in " << status.ToString();
  }
}

Status Run(const Subject& subject, const std::string& input) {
  largest_allocation = 0;
  return subject.decode(input);
}

void CheckSubject(const Subject& subject) {
  SCOPED_TRACE(subject.name);
  ASSERT_TRUE(Run(subject, subject.good).ok()) << Run(subject, subject.good).ToString();
  for (std::size_t size = 0; size < subject.good.size(); ++size) {
    const Status status = Run(subject, subject.good.substr(0, size));
    CheckFailure(subject, status, size);
    EXPECT_FALSE(subject.every_truncation_fails && status.ok()) << size;
  }
  int refused = 0;
  for (std::size_t bit = 0; bit < subject.good.size() * 8; ++bit) {
    std::string damaged = subject.good;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    const Status status = Run(subject, damaged);
    CheckFailure(subject, status, damaged.size());
    if (!status.ok()) ++refused;
  }
  EXPECT_GT(refused, 0);
}

Status DecodeWhole(const std::string& object) {
  const Status status = DecodeWalHeader(AsBytes(object), object.size(), "o").status();
  EXPECT_EQ(DescribeWalObject(AsBytes(object), object.size(), "o").damage.message(), status.message());
  return status;
}

// The record, then all that hangs on it.
Status DecodeDeep(const std::string& value) {
  const Description description = DescribeEntryIndex(AsBytes(value), "o");
  const Result<EntryIndex> index = DecodeEntryIndex(AsBytes(value), "o");
  if (!index.ok()) {
    EXPECT_EQ(description.damage.message(), index.status().message());
    return index.status();
  }
  EXPECT_FALSE(EncodeEntryIndex(*index).empty());
  if (index->file_type == FileType::kParquet) return FileIndexOf(*index, "o").status();
  return DecodeEntryOffsets(*index, "o").status();
}

TEST(Hardening, WalObjects) {
  const std::string folder = LAKESTREAM_SOURCE_DIR "/src/format/testdata/wal/";
  for (const std::string name :
       {"one-entry", "two-entries-spec-shape", "zero-byte-entry-alone", "four-logs-interleaved"}) {
    const std::string object = ReadFile(folder + name + "/object.wal");
    const std::uint64_t header = *WalHeaderSize(AsBytes(object), object.size(), "o");
    const std::uint64_t size = object.size();
    // The header alone, with the object's true size beside it.
    CheckSubject(
        {name,
         object.substr(0, header),
         [size](const std::string& prefix) { return DecodeWalHeader(AsBytes(prefix), size, "o").status(); },
         true,
         {"object=o", "field=", "offset="}});
    // The object as the store returned it, cut or damaged; only the bytes of the header matter.
    CheckSubject({name, object, DecodeWhole, false, {"object=o", "field=", "offset="}});
  }
}

TEST(Hardening, LargerWalHeader) {
  const std::string folder = LAKESTREAM_SOURCE_DIR "/src/format/testdata/wal/entries-128/";
  const std::string object = ReadFile(folder + "object.wal");
  const std::uint64_t size = object.size();
  CheckSubject(
      {"entries-128",
       object.substr(0, *WalHeaderSize(AsBytes(object), size, "o")),
       [size](const std::string& prefix) { return DecodeWalHeader(AsBytes(prefix), size, "o").status(); },
       true,
       {"object=o", "field=", "offset="}});
}

TEST(Hardening, IndexRecords) {
  const WalSection two{LogId(7), {{0, 5, 2}, {5, 3, 1}}};
  WalSection many{LogId(7), {}};
  for (std::int32_t i = 0; i < 170; ++i) many.entries.push_back(WalEntry{i, 1, i % 50 + 1});
  const std::vector<std::string_view> parts = {"object=o", "field=", "offset="};
  CheckSubject({"raw", EncodeEntryIndex(*MakeRawEntryIndex(two, "w", 8, true)), DecodeDeep, true, parts});
  CheckSubject({"raw, 170 entries", EncodeEntryIndex(*MakeRawEntryIndex(many, "w", 170, true)), DecodeDeep,
                true, parts});
  const FileIndex files{{{Offset(2), "7-0.parquet"}, {Offset(6), "7-3.parquet"}}};
  // Cut before extraData a PARQUET record is still a record, but one without a file index.
  CheckSubject({"parquet",
                EncodeEntryIndex(*MakeParquetEntryIndex(files, 7, 28)),
                DecodeDeep,
                true,
                {"object=o", "field="}});
}

TEST(Hardening, FileIndexBytes) {
  const FileIndex files{{{Offset(2), "7-0.parquet"}, {Offset(6), "7-3.parquet"}}};
  const std::string text = *EncodeFileIndex(files);
  CheckSubject({"text",
                text,
                [](const std::string& t) { return DecodeFileIndex(t, "o").status(); },
                false,
                {"object=o", "field=", "offset="}});
  const auto bytes = [](const std::string& b) {
    return DecodeFileIndex(Base64Encode(AsBytes(b)), "o").status();
  };
  CheckSubject({"bytes", *Base64Decode(text), bytes, false, {"object=o", "field=", "offset="}});
}

TEST(Hardening, Companions) {
  constexpr std::size_t kWindow = std::size_t{64} << 10;
  CompanionWriter writer(3);
  for (std::int64_t i = 0; i < 5; ++i) {
    ASSERT_TRUE(writer.Add(LogEntryHeader{Offset(7 + 2 * i), 2, 1700000000000 + i, 9, 100 + 9 * i}).ok());
  }
  ASSERT_TRUE(writer.Finish().ok());
  const std::string packed = writer.Take();
  const auto stored = [](const std::string& bytes) { return DecodeCompanion(AsBytes(bytes), "o", 100).status(); };
  CheckSubject({"as stored", packed, stored, true, {"object=o"}, {StatusCode::kCorrupt}, kWindow});
  const Result<Buffer> plain = Decompress(Compression::kGzip, AsBytes(packed), 1 << 20);
  ASSERT_TRUE(plain.ok());
  const auto before_gzip = [](const std::string& bytes) {
    std::string again;
    const Status compressed = Compress(Compression::kGzip, AsBytes(bytes), &again);
    if (!compressed.ok()) return compressed;
    largest_allocation = 0;
    return DecodeCompanion(AsBytes(again), "o", 100).status();
  };
  CheckSubject({"before gzip", std::string(plain->text()), before_gzip, true, {"object=o"}, {StatusCode::kCorrupt}, kWindow});
  const RowMetadata row{LogEntryHeader{Offset(300), 2, 1700000000000, 5, 500}, 1};
  CheckSubject({"row metadata",
                EncodeRowMetadata(row),
                [](const std::string& bytes) { return DecodeRowMetadata(AsBytes(bytes), "o").status(); },
                false,
                {"object=o", "field=", "offset="}});
}

TEST(Hardening, KeysAndMarkers) {
  const auto key = [](const std::string& k) { return IndexKey::Decode(k).status(); };
  CheckSubject(
      {"index key", IndexKey{LogId(7), Offset(3), 8}.Encode(), key, true, {"object=", "field=", "offset="}});
  CheckSubject({"trim marker",
                "9223372036854775807",
                [](const std::string& v) { return DecodeTrimMarker(v, "o").status(); },
                false,
                {"object=o", "field="}});
}

TEST(Hardening, JsonRecords) {
  DeploymentRecord deployment;
  deployment.deployment_id = "3f2b8f5e-1c2d-4e3f-8a9b-0c1d2e3f4a5b";
  CheckSubject({"deployment",
                *EncodeDeploymentRecord(deployment),
                [](const std::string& v) { return DecodeDeploymentRecord(v).status(); },
                true,
                {},
                {StatusCode::kCorrupt, StatusCode::kUnimplemented}});
  StreamConfigRecord config;
  config.SetPartitions(3);
  config.pending_expansion = StreamConfigRecord::PendingExpansion{3, 5, {}};
  config.incarnation_id = "i";
  config.state = ProvisioningState::kAborting;
  CheckSubject({"stream config",
                *EncodeStreamConfig(config),
                [](const std::string& v) { return DecodeStreamConfig(v, "o").status(); },
                true,
                {"object=o"}});
  LogMetadataRecord log;
  log.log = LogId(7);
  log.registrant = LogRegistrant{"i", "t", 7};
  log.retired_logs = {LogId(1), LogId(2)};
  log.retired_mappings = {RetiredMapping{LogId(1), "m", true}};
  log.retired_mapping_keys = {"m"};
  // The empty value is a record too.
  CheckSubject({"log metadata",
                *EncodeLogMetadata(log),
                [](const std::string& v) { return DecodeLogMetadata(v, "o").status(); },
                false,
                {"object=o"}});
  LogMappingRecord mapping;
  mapping.log = LogId(7);
  mapping.owner_token = "t";
  CheckSubject({"log mapping",
                *EncodeLogMapping(mapping),
                [](const std::string& v) { return DecodeLogMapping(v, "o").status(); },
                true,
                {"object=o"}});
  CheckSubject({"registration",
                R"({"key":"lakestream-native/a/b/partition-0"})",
                [](const std::string& v) { return DecodeLogRegistration(v, "o").status(); },
                true,
                {"object=o"}});
  const FileIndex files{{{Offset(2), "7-0.parquet"}, {Offset(6), "7-3.parquet"}}};
  const IndexKey key{LogId(7), Offset(7), 28};
  const std::string value = EncodeEntryIndex(*MakeParquetEntryIndex(files, 7, 28));
  const CompactionRange range{Offset(0), Offset(7)};
  for (const CompactionRecord& record :
       {CompactionRecord{CompactionIdle{Offset(9)}, {QuarantinedRange{CompactionRange{Offset(7), Offset(9)}, "r"}}, {}},
        CompactionRecord{CompactionWorking{"s", range, {"a.parquet"}}, {}, {}},
        CompactionRecord{CompactionInstalling{"s", range, key, value}, {}, {}}}) {
    CheckSubject({std::string(CompactionStateName(record)),
                  *EncodeCompactionRecord(record, LogId(7)),
                  [](const std::string& v) { return DecodeCompactionRecord(v, LogId(7)).status(); },
                  true,
                  {"object=/lakestream/compaction/7"}});
  }
  CheckSubject({"namespace",
                R"({"properties":{"a":"b"}})",
                [](const std::string& v) { return DecodeNamespace(v, "o").status(); },
                true,
                {"object=o"}});
}

// Counts that no input of this size can bear out.
TEST(Hardening, CountsThatLieAllocateNothing) {
  const auto measure = [](const std::function<Status()>& run) {
    largest_allocation = 0;
    EXPECT_EQ(run().code(), StatusCode::kCorrupt);
    EXPECT_LT(largest_allocation, 4096u);
  };
  const std::string wal = Hex("00000014 00000003 0000000000000007 ffffffff07000101");
  measure([&] { return DecodeWalHeader(AsBytes(wal), std::uint64_t{1} << 40, "o").status(); });
  const std::string length = Hex("7fffffff 00000003");
  measure([&] { return DecodeWalHeader(AsBytes(length), std::uint64_t{1} << 40, "o").status(); });
  EntryIndex index = *MakeRawEntryIndex(WalSection{LogId(7), {{0, 5, 2}, {5, 3, 1}}}, "w", 8, true);
  index.message_count = index.entry_count = 2147483647;
  index.entry_offsets->compressed_payload = Hex("7fffffff 00000000 00000000");
  measure([&] { return DecodeEntryOffsets(index, "o").status(); });
  const std::string location = Hex("0803 12ffffffff07 41");
  measure([&] { return DecodeEntryIndex(AsBytes(location), "o").status(); });
}

}  // namespace
}  // namespace lakestream
