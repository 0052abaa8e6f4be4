#include "format/entry_index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "codec/base64.h"
#include "codec/proto_wire.h"
#include "format/testing/bytes.h"

namespace lakestream {
namespace {

const std::string kRaw =
    Hex("0803120e 372d3030 30303030 30312e77 616c1800 20012803 30083808 40ffffff ffffffff ffff0148 02521208 "
        "0110081a 0c000000 "
        "02000000 00000081 82");
const std::string kParquet =
    Hex("0803120b 372d302e 70617271 75657418 01200128 07301c38 1c400048 015a5c0a 18436f6d 70616374 65644f62 "
        "6a656374 46696c65 "
        "496e6465 78124041 41414141 41414141 41494141 41414c4e 7930774c 6e426863 6e46315a 58514141 41414141 "
        "41414142 67414141 "
        "4173334c 544d7563 47467963 58566c64 413d3d");

Result<EntryIndex> Decode(const std::string& value) { return DecodeEntryIndex(AsBytes(value), "key-7"); }

void ExpectBothWays(const EntryIndex& index, const std::string& value) {
  EXPECT_EQ(ToHex(EncodeEntryIndex(index)), ToHex(value));
  const Result<EntryIndex> decoded = Decode(value);
  ASSERT_TRUE(decoded.ok()) << decoded.status().ToString();
  EXPECT_EQ(*decoded, index);
}

TEST(EntryIndex, RawRecordOfTheSpecification) {
  ASSERT_EQ(kRaw.size(), 61u);
  const WalSection section{LogId(7), {{0, 5, 2}, {5, 3, 1}}};
  const Result<EntryIndex> index = MakeRawEntryIndex(section, "7-00000001.wal", 8, true);
  ASSERT_TRUE(index.ok());
  ExpectBothWays(*index, kRaw);
  EXPECT_EQ(index->message_count, 3);
  EXPECT_EQ(ToHex(index->entry_offsets->compressed_payload), "000000020000000000008182");
  EXPECT_EQ(*DecodeEntryOffsets(*index, "k"), (std::vector<std::int32_t>{2, 3}));
}

TEST(EntryIndex, ParquetRecordOfTheSpecification) {
  ASSERT_EQ(kParquet.size(), 123u);
  const FileIndex files{{{Offset(2), "7-0.parquet"}, {Offset(6), "7-3.parquet"}}};
  const Result<EntryIndex> index = MakeParquetEntryIndex(files, 7, 28);
  ASSERT_TRUE(index.ok());
  ExpectBothWays(*index, kParquet);
  EXPECT_EQ(*FileIndexOf(*index, "k"), files);
  EXPECT_EQ(*DecodeEntryOffsets(*index, "k"), (std::vector<std::int32_t>{7}));
}

TEST(EntryIndex, MoreKnownRawRecords) {
  const WalSection seven{LogId(7), {{0, 4, 1}}};
  ExpectBothWays(*MakeRawEntryIndex(seven, "w2", 9, false),
                 Hex("0803120277321800200028013004380940ffffffffffffffffff014801"));
  const WalSection tens{LogId(1), {{0, 11, 10}, {11, 11, 10}}};
  ExpectBothWays(
      *MakeRawEntryIndex(tens, "x", 22, true),
      Hex("08031201781800200128143016381640ffffffffffffffffff0148025212080110081a0c000000020000000000008a8a"));
}

TEST(EntryIndex, BuildersRefuse) {
  const WalSection good{LogId(7), {{0, 5, 2}, {5, 3, 1}}};
  EXPECT_EQ(MakeRawEntryIndex(good, "", 8, true).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(MakeRawEntryIndex(good, "w", 7, true).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(MakeRawEntryIndex(WalSection{LogId(7), {}}, "w", 8, true).status().code(),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(
      MakeRawEntryIndex(WalSection{LogId(7), {{0, 1, 2147483647}, {0, 1, 1}}}, "w", 8, true).status().code(),
      StatusCode::kInvalidArgument);
  const FileIndex files{{{Offset(2), "a.parquet"}}};
  EXPECT_EQ(MakeParquetEntryIndex(files, 0, 1).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(MakeParquetEntryIndex(files, std::int64_t{1} << 31, 1).status().code(),
            StatusCode::kInvalidArgument);
  EXPECT_EQ(MakeParquetEntryIndex(files, 3, -1).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(MakeParquetEntryIndex(FileIndex(), 3, 1).status().code(), StatusCode::kInvalidArgument);
}

TEST(EntryIndex, SkipsUnknownFields) {
  std::string value = kRaw;
  AppendVarintField(value, 12, 5);
  AppendBytesField(value, 1000, "later");
  value += "\x6b\x08\x01\x6c";  // group 13
  value +=
      "\xe1\x01"
      "12345678";  // fixed64 in 28
  const Result<EntryIndex> decoded = Decode(value);
  ASSERT_TRUE(decoded.ok()) << decoded.status().ToString();
  EXPECT_EQ(EncodeEntryIndex(*decoded), kRaw);
}

// Fields of a one-entry RAW record, each as its own bytes, so that a test can leave out, double or change one.
std::vector<std::string> Fields() {
  return {Hex("0803"), Hex("12027732"), Hex("1800"), Hex("2000"),
          Hex("2801"), Hex("3004"),     Hex("3809"), Hex("40ffffffffffffffffff01"),
          Hex("4801")};
}

std::string Joined(const std::vector<std::string>& fields) {
  std::string value;
  for (const std::string& field : fields) value += field;
  return value;
}

TEST(EntryIndex, EveryRequiredFieldIsNeededOnce) {
  const std::vector<std::string> names = {"version",    "location",       "file_type",
                                          "index_type", "message_count",  "entry_size_bytes",
                                          "file_size",  "offset_in_file", "entry_count"};
  ASSERT_TRUE(Decode(Joined(Fields())).ok());
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::vector<std::string> fields = Fields();
    const std::string doubled = Joined(fields) + fields[i];
    ExpectStatus(
        Decode(doubled).status(), StatusCode::kCorrupt,
        {"set twice", "object=key-7", "field=" + names[i], "offset=" + std::to_string(Joined(fields).size())});
    fields[i].clear();
    ExpectStatus(Decode(Joined(fields)).status(), StatusCode::kCorrupt,
                 {"missing", "object=key-7", "field=" + names[i], "offset="});
  }
}

TEST(EntryIndex, OrderOfFieldsIsFree) {
  std::vector<std::string> fields = Fields();
  std::reverse(fields.begin(), fields.end());
  const Result<EntryIndex> decoded = Decode(Joined(fields));
  ASSERT_TRUE(decoded.ok());
  EXPECT_EQ(EncodeEntryIndex(*decoded), Joined(Fields()));
}

TEST(EntryIndex, RefusesBadFields) {
  const struct {
    std::size_t which;
    std::string_view hex;
    std::initializer_list<std::string_view> parts;
  } cases[] = {
      {0, "0802", {"another version", "field=version", "offset=0", "version=2", "supported=3"}},
      {0, "0804", {"field=version"}},
      {0, "08ffffffffffffffffff01", {"field=version", "version=-1"}},
      {0, "0a0103", {"another wire type", "field=version"}},
      {1, "1200", {"empty", "field=location", "offset=2"}},
      {1, "1002", {"another wire type", "field=location"}},
      {1, "127f7732", {"does not end", "field=bytes", "offset=4"}},
      {2, "1802", {"out of range", "field=file_type", "offset=6", "value=2"}},
      {3, "2002", {"out of range", "field=index_type", "offset=8"}},
      {4, "2800", {"out of range", "field=message_count", "offset=10"}},
      {4, "288080808008", {"field=message_count", "value=2147483648"}},
      {4, "28ffffffffffffffffff01", {"field=message_count", "value=-1"}},
      {4, "2d01000000", {"another wire type", "field=message_count"}},
      {5, "30ffffffffffffffffff01", {"field=entry_size_bytes", "value=-1"}},
      {6, "38ffffffffffffffffff01", {"field=file_size", "value=-1"}},
      {7, "40feffffffffffffffff01", {"field=offset_in_file", "value=-2"}},
      {7, "40ffffffffffffffffff02", {"varint", "field=value"}},
      {8, "4800", {"out of range", "field=entry_count"}},
      {8, "4802", {"more entries than records", "field=entry_count", "offset=27"}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.hex);
    std::vector<std::string> fields = Fields();
    fields[c.which] = Hex(c.hex);
    const Result<EntryIndex> decoded = Decode(Joined(fields));
    ASSERT_FALSE(decoded.ok());
    ExpectStatus(decoded.status(), StatusCode::kCorrupt, {"object=key-7"});
    ExpectStatus(decoded.status(), StatusCode::kCorrupt, c.parts);
  }
}

TEST(EntryIndex, EntryOffsetsStandExactlyWhereNeeded) {
  const std::string offsets = Hex("5212080110081a0c000000020000000000008182");
  std::vector<std::string> fields = Fields();
  fields[4] = Hex("2803");
  fields[8] = Hex("4802");
  ExpectStatus(Decode(Joined(fields)).status(), StatusCode::kCorrupt,
               {"missing", "field=entry_offsets", "entry_count=2"});
  EXPECT_TRUE(Decode(Joined(fields) + offsets).ok());
  ExpectStatus(Decode(Joined(Fields()) + offsets).status(), StatusCode::kCorrupt,
               {"may not have", "field=entry_offsets", "offset=29"});
  const struct {
    std::string_view hex;
    std::initializer_list<std::string_view> parts;
  } cases[] = {
      {"5204080110 08", {"missing", "field=entry_offsets.compressed_payload", "offset=31"}},
      {"521010081a0c000000020000000000008182", {"missing", "field=entry_offsets.compression_type"}},
      {"521008011a0c000000020000000000008182", {"missing", "field=entry_offsets.uncompressed_size"}},
      {"5212080010081a0c000000020000000000008182", {"another compression", "offset=31"}},
      {"5212080310081a0c000000020000000000008182", {"out of range", "field=entry_offsets.compression_type"}},
      {"5212080110091a0c000000020000000000008182",
       {"4 bytes an entry", "field=entry_offsets.uncompressed_size"}},
      {"5211080110081a0b0000000200000000000081", {"whole words", "offset=35"}},
      {"5214080108011008 1a0c000000020000000000008182",
       {"set twice", "field=entry_offsets.compression_type", "offset=33"}},
      {"521208011008180c000000020000000000008182",
       {"another wire type", "field=entry_offsets.compressed_payload"}},
      {"5001", {"another wire type", "field=entry_offsets", "offset=29"}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.hex);
    const Result<EntryIndex> decoded = Decode(Joined(fields) + Hex(c.hex));
    ASSERT_FALSE(decoded.ok());
    ExpectStatus(decoded.status(), StatusCode::kCorrupt, {"object=key-7"});
    ExpectStatus(decoded.status(), StatusCode::kCorrupt, c.parts);
  }
}

TEST(EntryIndex, ExtraDataIsCompleteAndDistinct) {
  const std::string base = Joined(Fields());
  const std::string pair = Hex("5a060a016b120176");
  Result<EntryIndex> decoded = Decode(base + pair + Hex("5a060a016c120176"));
  ASSERT_TRUE(decoded.ok());
  EXPECT_EQ(decoded->extra_data, (std::vector<ExtraData>{{"k", "v"}, {"l", "v"}}));
  EXPECT_EQ(*decoded->FindExtraData("l"), "v");
  EXPECT_EQ(decoded->FindExtraData("m"), nullptr);
  EXPECT_EQ(EncodeEntryIndex(*decoded), base + pair + Hex("5a060a016c120176"));
  ExpectStatus(Decode(base + pair + pair).status(), StatusCode::kCorrupt,
               {"key twice", "field=extraData.key", "key=k"});
  ExpectStatus(Decode(base + Hex("5a030a016b")).status(), StatusCode::kCorrupt,
               {"missing", "field=extraData.value"});
  ExpectStatus(Decode(base + Hex("5a03120176")).status(), StatusCode::kCorrupt,
               {"missing", "field=extraData.key"});
  ExpectStatus(Decode(base + Hex("5a00")).status(), StatusCode::kCorrupt, {"missing", "field=extraData.key"});
  ExpectStatus(Decode(base + Hex("5a0408011201")).status(), StatusCode::kCorrupt, {"field=extraData.key"});
  ExpectStatus(FileIndexOf(*decoded, "key-7").status(), StatusCode::kCorrupt,
               {"no file index", "object=key-7", "field=CompactedObjectFileIndex"});
}

TEST(EntryIndex, EntryOffsetsMustAgreeWithTheRecord) {
  const EntryIndex good = *Decode(kRaw);
  const struct {
    std::string_view payload;
    std::int32_t message_count;
    std::string_view says;
  } cases[] = {
      {"00000002 00000000 00008182", 4, "disagree with message_count"},
      {"00000002 00000000 00008082", 2, "do not increase"},
      {"00000002 00000000 00008180", 1, "do not increase"},
      {"00000001 00000000 00000083", 3, "disagree with entry_count"},
      {"00000003 00000000 00818181", 3, "more than allowed"},
      {"00000002 00000000", 3, "truncated"},
      {"00000002 00000000 00008182 00000000", 3, "more words"},
      {"", 3, "truncated"},
  };
  for (const auto& c : cases) {
    EntryIndex bad = good;
    bad.message_count = c.message_count;
    bad.entry_offsets->compressed_payload = Hex(c.payload);
    ExpectStatus(DecodeEntryOffsets(bad, "key-7").status(), StatusCode::kCorrupt,
                 {c.says, "object=key-7", "field=entry_offsets.compressed_payload"});
  }
}

TEST(EntryIndex, DescriptionsOfTheSpecificationsRecords) {
  const Description raw = DescribeEntryIndex(AsBytes(kRaw), "key-7");
  EXPECT_TRUE(raw.damage.ok());
  EXPECT_EQ(DumpJson(raw.fields),
            R"({"version":3,"location":"7-00000001.wal","file_type":"RAW","index_type":"COMPACT","message_count":3,)"
            R"("entry_size_bytes":8,"file_size":8,"offset_in_file":-1,"entry_count":2,"entry_offsets":)"
            R"({"compression_type":"FastPFOR","uncompressed_size":8,"compressed_payload_size":12,)"
            R"("entry_ends":[2,3]}})");
  const Description parquet = DescribeEntryIndex(AsBytes(kParquet), "key-7");
  EXPECT_TRUE(parquet.damage.ok());
  EXPECT_EQ(DumpJson(parquet.fields),
            R"({"version":3,"location":"7-0.parquet","file_type":"PARQUET","index_type":"COMPACT",)"
            R"("message_count":7,"entry_size_bytes":28,"file_size":28,"offset_in_file":0,"entry_count":1,)"
            R"("extraData":[{"key":"CompactedObjectFileIndex",)"
            R"("value":"AAAAAAAAAAIAAAALNy0wLnBhcnF1ZXQAAAAAAAAABgAAAAs3LTMucGFycXVldA==",)"
            R"("files":[{"last_offset":2,"name":"7-0.parquet"},{"last_offset":6,"name":"7-3.parquet"}]}]})");
}

TEST(EntryIndex, DescriptionsOfDamagedRecords) {
  // The index type is 2, which there is not.
  std::string value = Joined(Fields());
  value[9] = 2;
  const Description wrong = DescribeEntryIndex(AsBytes(value), "key-7");
  ExpectStatus(wrong.damage, StatusCode::kCorrupt, {"object=key-7", "field=index_type", "offset=8"});
  EXPECT_EQ(DumpJson(wrong.fields), R"({"version":3,"location":"w2","file_type":"RAW"})");

  const Description nothing = DescribeEntryIndex(ByteSpan(), "key-7");
  ExpectStatus(nothing.damage, StatusCode::kCorrupt, {"field=version"});
  EXPECT_EQ(DumpJson(nothing.fields), "{}");

  // The last entry ends at 4, not at message_count.
  value = kRaw;
  value.back() = static_cast<char>(0x82 + 1);
  const Description ends = DescribeEntryIndex(AsBytes(value), "key-7");
  ExpectStatus(ends.damage, StatusCode::kCorrupt, {"field=entry_offsets.compressed_payload"});
  EXPECT_NE(DumpJson(ends.fields).find(R"("compressed_payload_base64":"AAAAAgAAAAAAAIGD"})"), std::string::npos)
      << DumpJson(ends.fields);

  // A location that is no text.
  value = Joined(Fields());
  value[4] = '\xff';
  EXPECT_NE(DumpJson(DescribeEntryIndex(AsBytes(value), "k").fields).find(R"("location_base64":"/zI=")"),
            std::string::npos);
}

}  // namespace
}  // namespace lakestream
