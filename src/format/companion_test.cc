#include "format/companion.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "codec/base64.h"
#include "codec/byte_writer.h"
#include "codec/compression/compression.h"
#include "format/companion_decoder.h"
#include "format/companion_writer.h"
#include "format/row_metadata.h"
#include "format/testing/bytes.h"

namespace lakestream {
namespace {

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
constexpr std::size_t kRows = 100'000;

// The companion of log 7's first two entries, before gzip: 5 bytes with 2 records, 3 bytes with 1 record.
constexpr std::string_view kRowsJson =
    R"([{"metadata":"Eg8IABACGIDQlf+8MSAFKAU=","offset":"0"},{"metadata":"Eg8IAhABGIDQlf+8MSADKAg=","offset":"2"}])";
constexpr std::string_view kFirst = R"({"metadata":"Eg8IABACGIDQlf+8MSAFKAU=","offset":"0"})";
constexpr std::string_view kSecond = R"({"metadata":"Eg8IAhABGIDQlf+8MSADKAg=","offset":"2"})";
constexpr std::string_view kMapJson = R"({"0":0,"2":1})";

std::vector<LogEntryHeader> TwoRows() {
  return {LogEntryHeader{Offset(0), 2, 1700000000000, 5, 5}, LogEntryHeader{Offset(2), 1, 1700000000000, 3, 8}};
}

std::string Text(std::string_view json) {
  std::string bytes;
  AppendInt32(bytes, static_cast<std::int32_t>(json.size()));
  return bytes + std::string(json);
}

/// A companion before gzip, of blocks and a map.
std::string Plain(const std::vector<std::string>& blocks, std::string_view map) {
  std::string bytes;
  for (const std::string& block : blocks) bytes += Text(block);
  return bytes + Hex("7fffffff") + Text(map);
}

std::string Gzip(std::string_view bytes) {
  std::string out;
  EXPECT_TRUE(Compress(Compression::kGzip, AsBytes(bytes), &out).ok());
  return out;
}

std::string Gunzip(std::string_view bytes) {
  const Result<Buffer> plain = Decompress(Compression::kGzip, AsBytes(bytes), std::uint64_t{1} << 30);
  EXPECT_TRUE(plain.ok()) << plain.status().ToString();
  return plain.ok() ? std::string(plain->text()) : std::string();
}

Result<Companion> Decode(std::string_view plain, std::size_t max_rows = kRows) {
  return DecodeCompanion(AsBytes(Gzip(plain)), "x.index", max_rows);
}

Companion Of(const std::vector<LogEntryHeader>& headers) {
  Companion companion;
  for (const LogEntryHeader& header : headers) {
    const Status added = companion.Add(header);
    EXPECT_TRUE(added.ok()) << added.ToString();
  }
  companion.ShrinkToFit();
  return companion;
}

std::string Written(const std::vector<LogEntryHeader>& headers, std::size_t rows_per_block = kCompanionBlockRows) {
  CompanionWriter writer(rows_per_block);
  std::string out;
  for (const LogEntryHeader& header : headers) {
    const Status added = writer.Add(header);
    EXPECT_TRUE(added.ok()) << added.ToString();
    out += writer.Take();
  }
  EXPECT_TRUE(writer.Finish().ok());
  out += writer.Take();
  EXPECT_EQ(writer.Take(), "");
  EXPECT_EQ(writer.rows(), Of(headers));
  return out;
}

/// Entries of many shapes: sizes of 0 too, and times that go back now and then.
std::vector<LogEntryHeader> Many(std::size_t count, std::int64_t first_offset = 1000) {
  std::vector<LogEntryHeader> headers;
  Offset next(first_offset);
  std::int64_t cumulative = 77'777;
  for (std::size_t i = 0; i < count; ++i) {
    LogEntryHeader header;
    header.offset = next;
    header.number_of_records = static_cast<std::int32_t>(1 + i * i % 100);
    header.timestamp_ms = 1'700'000'000'000 + static_cast<std::int64_t>(i / 3 * 250 - (i % 97 == 5 ? 3000 : 0));
    header.entry_size = static_cast<std::int32_t>(i * 7919 % 5000);
    header.cumulative_size = cumulative += header.entry_size;
    next = header.end();
    headers.push_back(header);
  }
  return headers;
}

void ExpectTwoRows(std::string_view plain) {
  const Result<Companion> companion = Decode(plain);
  ASSERT_TRUE(companion.ok()) << companion.status().ToString() << "\n" << plain;
  EXPECT_EQ(*companion, Of(TwoRows()));
}

// ---- the writer ----------------------------------------------------------------------------------------

TEST(CompanionWriter, KnownBytes) {
  const std::string plain = Gunzip(Written(TwoRows()));
  EXPECT_EQ(plain.size(), 132u);
  EXPECT_EQ(ToHex(plain), ToHex(Plain({std::string(kRowsJson)}, kMapJson)));
  EXPECT_EQ(ToHex(plain.substr(0, 4)), "0000006b");
  EXPECT_EQ(ToHex(plain.substr(4 + 107, 8)), "7fffffff0000000d");
}

TEST(CompanionWriter, TheLastBlockHasWhatIsLeft) {
  const std::vector<LogEntryHeader> two = TwoRows();
  EXPECT_EQ(Gunzip(Written(two, 2)), Plain({std::string(kRowsJson), "[]"}, kMapJson));
  EXPECT_EQ(Gunzip(Written(two, 1)), Plain({"[" + std::string(kFirst) + "]", "[" + std::string(kSecond) + "]", "[]"},
                                           kMapJson));
  EXPECT_EQ(Gunzip(Written(two, 3)), Plain({std::string(kRowsJson)}, kMapJson));
}

TEST(CompanionWriter, TheSameRowsMakeTheSameBytes) {
  const std::vector<LogEntryHeader> headers = Many(25'000);
  const std::string once = Written(headers);
  CompanionWriter writer;
  for (const LogEntryHeader& header : headers) ASSERT_TRUE(writer.Add(header).ok());
  ASSERT_TRUE(writer.Finish().ok());
  EXPECT_TRUE(writer.Take() == once);
  EXPECT_EQ(ToHex(once.substr(0, 10)), "1f8b0800000000000403") << "XFL 4 (RFC 1952, 2.3.1): the fastest algorithm";
}

TEST(CompanionWriter, KeepsABlockAtMost) {
  CompanionWriter writer;
  std::size_t most = 0;
  for (const LogEntryHeader& header : Many(30'001)) {
    ASSERT_TRUE(writer.Add(header).ok());
    most = std::max(most, writer.Take().size());
  }
  EXPECT_GT(most, 0u);
  EXPECT_LT(most, 500'000u);  // one block, compressed
  ASSERT_TRUE(writer.Finish().ok());
}

TEST(CompanionWriter, RefusesWhatDoesNotFollow) {
  CompanionWriter writer;
  ExpectStatus(writer.Finish(), StatusCode::kInvalidArgument, {"no rows"});
  CompanionWriter other;
  ASSERT_TRUE(other.Add(TwoRows()[0]).ok());
  LogEntryHeader gap = TwoRows()[1];
  gap.offset = Offset(3);
  ExpectStatus(other.Add(gap), StatusCode::kInvalidArgument, {"field=offset", "end_before=2"});
  ASSERT_TRUE(other.Add(TwoRows()[1]).ok());
  ASSERT_TRUE(other.Finish().ok());
  EXPECT_EQ(Gunzip(other.Take()), Plain({std::string(kRowsJson)}, kMapJson));
}

// ---- rows in memory ------------------------------------------------------------------------------------

TEST(Companion, KeepsEveryHeader) {
  for (const std::int64_t first : {std::int64_t{0}, std::int64_t{1} << 40, kMax - 1'000'000}) {
    const std::vector<LogEntryHeader> headers = Many(5000, first);
    const Companion companion = Of(headers);
    ASSERT_EQ(companion.rows(), headers.size());
    EXPECT_EQ(companion.start(), headers.front().offset);
    EXPECT_EQ(companion.end(), headers.back().end());
    for (std::size_t i = 0; i < headers.size(); ++i) ASSERT_EQ(companion.HeaderOf(i), headers[i]) << i;
  }
}

TEST(Companion, RefusesRowsThatDoNotAddUp) {
  Companion companion = Of(TwoRows());
  const LogEntryHeader good{Offset(3), 1, 1, 4, 12};
  const auto refused = [&](const LogEntryHeader& header, std::initializer_list<std::string_view> parts) {
    ExpectStatus(companion.Add(header), StatusCode::kInvalidArgument, parts);
    EXPECT_EQ(companion.rows(), 2u);
  };
  refused(LogEntryHeader{Offset(2), 1, 1, 4, 12}, {"field=offset", "value=2", "end_before=3"});
  refused(LogEntryHeader{Offset(4), 1, 1, 4, 12}, {"field=offset"});
  refused(LogEntryHeader{Offset(3), 1, 1, 4, 11}, {"field=cumulativeSize", "size_before=8"});
  refused(LogEntryHeader{Offset(3), 1, 1, 5, 12}, {"field=cumulativeSize"});
  refused(LogEntryHeader{Offset(3), 0, 1, 4, 12}, {"field=numberOfMessages"});
  EXPECT_TRUE(companion.Add(good).ok());
  EXPECT_EQ(companion.HeaderOf(2), good);
  EXPECT_EQ(companion.HeaderOf(1), TwoRows()[1]);
}

TEST(Companion, FindsTheRowOfAnOffset) {
  const std::vector<LogEntryHeader> headers = Many(700);
  const Companion companion = Of(headers);
  std::size_t row = 0;
  for (Offset o = companion.start(); o < companion.end(); o = o + 1) {
    if (o == headers[row].end()) ++row;
    ASSERT_EQ(companion.FindOffset(o), row) << o.value();
  }
  EXPECT_EQ(row + 1, headers.size());
  EXPECT_EQ(companion.FindOffset(companion.start() - 1), std::nullopt);
  EXPECT_EQ(companion.FindOffset(companion.end()), std::nullopt);
  EXPECT_EQ(Companion().FindOffset(Offset(0)), std::nullopt);
}

TEST(Companion, FindsTheFirstRowOfATimeThoughTimesGoBack) {
  std::vector<LogEntryHeader> headers = Many(700);
  for (const bool ascending : {false, true}) {
    if (ascending) {
      for (std::size_t i = 0; i < headers.size(); ++i) headers[i].timestamp_ms = static_cast<std::int64_t>(i / 4 * 10);
    }
    const Companion companion = Of(headers);
    for (const LogEntryHeader& header : headers) {
      for (const std::int64_t t : {header.timestamp_ms - 1, header.timestamp_ms, header.timestamp_ms + 1}) {
        const auto at = std::find_if(headers.begin(), headers.end(),
                                     [&](const LogEntryHeader& h) { return h.timestamp_ms >= t; });
        ASSERT_EQ(companion.FindTime(t), static_cast<std::size_t>(at - headers.begin())) << t;
      }
    }
    EXPECT_EQ(companion.FindTime(0), 0u);
    EXPECT_EQ(companion.FindTime(kMax), headers.size());
  }
  EXPECT_EQ(Companion().FindTime(0), 0u);
}

TEST(Companion, TakesTwelveToSixteenBytesARow) {
  std::vector<LogEntryHeader> headers = Many(32'768);
  EXPECT_EQ(Of(headers).MemoryBytes(), 16 * headers.size());  // times that go back
  for (std::size_t i = 0; i < headers.size(); ++i) headers[i].timestamp_ms = static_cast<std::int64_t>(i);
  EXPECT_EQ(Of(headers).MemoryBytes(), 12 * headers.size());
  headers.back().timestamp_ms = std::int64_t{1} << 40;
  EXPECT_EQ(Of(headers).MemoryBytes(), 16 * headers.size());
}

TEST(Companion, IsDescribed) {
  EXPECT_EQ(DumpJson(Describe(Of(TwoRows()))),
            R"([{"offset":0,"numberOfMessages":2,"writtenTimestamp":1700000000000,"entrySize":5,"cumulativeSize":5},)"
            R"({"offset":2,"numberOfMessages":1,"writtenTimestamp":1700000000000,"entrySize":3,"cumulativeSize":8}])");
}

// ---- what the decoder takes ----------------------------------------------------------------------------

TEST(CompanionDecoder, TakesBlocksOfAnySize) {
  const std::string first = "[" + std::string(kFirst) + "]";
  const std::string second = "[" + std::string(kSecond) + "]";
  ExpectTwoRows(Plain({std::string(kRowsJson)}, kMapJson));
  ExpectTwoRows(Plain({first, second}, kMapJson));
  ExpectTwoRows(Plain({first, second, "[]"}, kMapJson));
  for (const std::vector<std::string>& blocks : {std::vector<std::string>{}, std::vector<std::string>{"[]"}}) {
    const Result<Companion> none = Decode(Plain(blocks, "{}"));
    ASSERT_TRUE(none.ok()) << none.status().ToString();
    EXPECT_EQ(none->rows(), 0u);
  }
}

TEST(CompanionDecoder, TakesWhatJsonAllows) {
  const std::string spaced = " [\n\t" + std::string(kFirst) + " ,\r\n " + std::string(kSecond) + "\n] \n";
  ExpectTwoRows(Plain({spaced}, " { \"0\" : 0 , \n\"2\" :1 } "));
  ExpectTwoRows(Plain({std::string(kRowsJson)}, R"({"2":1,"0":0})"));
  const std::string other_order = R"({"offset":"2","metadata":"Eg8IAhABGIDQlf+8MSADKAg="})";
  ExpectTwoRows(Plain({"[" + std::string(kFirst) + "," + other_order + "]"}, kMapJson));
  // Some programs escape a slash; any character may be escaped.
  const std::string escaped = R"({"meta\u0064ata":"\u0045g8IAhABGIDQlf+8MSADKAg\u003d","offset":"\u0032"})";
  ExpectTwoRows(Plain({"[" + std::string(kFirst) + "," + escaped + "]"}, R"({"\u0030":0,"2":1})"));
  const std::string more =
      R"({"later":{"a":[1,"]}",{"b":"\"}"}],"c":null},"metadata":"Eg8IAhABGIDQlf+8MSADKAg=","offset":"2","x":1.5})";
  ExpectTwoRows(Plain({"[" + std::string(kFirst) + "," + more + "]"}, kMapJson));
  // Metadata with a schema version, and with reserved and unknown fields.
  const std::string packed = Base64Encode(AsBytes(Hex("08 01 12 0f 08 02 10 01 18 80 d0 95 ff bc 31 20 03 28 08 20 05 7a 00")));
  ExpectTwoRows(Plain({"[" + std::string(kFirst) + R"(,{"metadata":")" + packed + R"(","offset":"2"}])"}, kMapJson));
}

TEST(CompanionDecoder, TakesSeveralMembersAsOneStream) {
  const std::string plain = Plain({std::string(kRowsJson)}, kMapJson);
  for (std::size_t cut = 0; cut <= plain.size(); cut += 11) {
    const std::string packed = Gzip(plain.substr(0, cut)) + Gzip("") + Gzip(plain.substr(cut));
    const Result<Companion> companion = DecodeCompanion(AsBytes(packed), "x.index", 2);
    ASSERT_TRUE(companion.ok()) << companion.status().ToString();
    EXPECT_EQ(*companion, Of(TwoRows()));
  }
}

TEST(CompanionDecoder, TakesItInAnyPieces) {
  const std::vector<LogEntryHeader> headers = Many(3000);
  const std::string packed = Written(headers, 700);
  for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, std::size_t{1000}, packed.size()}) {
    CompanionDecoder decoder("x.index", headers.size());
    for (std::size_t at = 0; at < packed.size(); at += piece) {
      ASSERT_TRUE(decoder.Feed(AsBytes(packed.substr(at, piece))).ok());
    }
    const Result<Companion> companion = decoder.Finish();
    ASSERT_TRUE(companion.ok()) << companion.status().ToString();
    EXPECT_EQ(*companion, Of(headers));
  }
}

TEST(CompanionDecoder, WhatIsWrittenComesBack) {
  for (const std::size_t count : {std::size_t{1}, std::size_t{10'000}, std::size_t{32'768}}) {
    const std::vector<LogEntryHeader> headers = Many(count, 0);
    const Result<Companion> companion = DecodeCompanion(AsBytes(Written(headers)), "x.index", count);
    ASSERT_TRUE(companion.ok()) << companion.status().ToString();
    EXPECT_TRUE(*companion == Of(headers));
    EXPECT_EQ(companion->MemoryBytes(), Of(headers).MemoryBytes());
  }
}

// ---- what it refuses -----------------------------------------------------------------------------------

void ExpectCorrupt(std::string_view plain, std::initializer_list<std::string_view> parts) {
  SCOPED_TRACE(plain);
  const Status status = Decode(plain).status();
  ExpectStatus(status, StatusCode::kCorrupt, {"object=x.index"});
  ExpectStatus(status, StatusCode::kCorrupt, parts);
}

/// The two rows with this in place of the second one.
void ExpectRowCorrupt(std::string_view row, std::initializer_list<std::string_view> parts) {
  ExpectCorrupt(Plain({"[" + std::string(kFirst) + "," + std::string(row) + "]"}, kMapJson), parts);
}

void ExpectMapCorrupt(std::string_view map, std::initializer_list<std::string_view> parts) {
  ExpectCorrupt(Plain({std::string(kRowsJson)}, map), parts);
}

/// A row of these numbers.
std::string RowOf(const LogEntryHeader& header) {
  return R"({"metadata":")" + Base64Encode(AsBytes(EncodeRowMetadata(RowMetadata{header, {}}))) + R"(","offset":")" +
         std::to_string(header.offset.value()) + "\"}";
}

TEST(CompanionDecoder, RefusesBadLayouts) {
  const std::string rows(kRowsJson);
  ExpectCorrupt("", {"ends too early", "field=block.length", "offset=0"});
  ExpectCorrupt(Hex("0000006b"), {"ends too early", "field=block.rows", "offset=4"});
  ExpectCorrupt(Text(rows), {"ends too early", "field=block.length", "offset=111"});
  ExpectCorrupt(Text(rows) + Hex("7fffffff"), {"ends too early", "field=map.length", "offset=115"});
  ExpectCorrupt(Plain({rows}, kMapJson).substr(0, 131), {"ends too early", "field=map"});
  ExpectCorrupt(Plain({rows}, kMapJson) + "x", {"follow the offset map", "field=map", "offset=132"});
  ExpectCorrupt(Plain({rows}, kMapJson) + Text("[]"), {"follow the offset map"});
  ExpectCorrupt(Plain({rows, "[]", "[]"}, kMapJson), {"not the last one", "field=block.length", "offset=117"});
  ExpectCorrupt(Plain({"[]", rows}, kMapJson), {"not the last one", "offset=6"});
  ExpectCorrupt(Plain({"[ ]", rows}, kMapJson), {"not the last one"});
  ExpectCorrupt(Hex("00000000"), {"too short", "length=0", "offset=0"});
  ExpectCorrupt(Hex("00000001 5b"), {"too short", "length=1"});
  ExpectCorrupt(Hex("ffffffff"), {"too short", "field=block.length", "length=-1"});
  ExpectCorrupt(Text(rows) + Hex("7fffffff 80000000"), {"too short", "field=map.length"});
}

TEST(CompanionDecoder, RefusesLengthsThatLie) {
  const std::string rows(kRowsJson);
  const std::string tail = Hex("7fffffff") + Text(kMapJson);
  ExpectCorrupt(Hex("0000006a") + rows + tail, {"does not end within its length", "field=block.rows", "offset=110"});
  ExpectCorrupt(Hex("00000040") + rows + tail, {"does not end within its length", "offset=58"});
  ExpectCorrupt(Hex("0000006c") + rows + tail, {"follow the json within its length", "offset=111"});
  ExpectCorrupt(Hex("7ffffffe") + rows + tail, {"follow the json within its length", "offset=111"});
  ExpectCorrupt(Hex("7ffffffe") + rows, {"ends too early", "field=block.rows", "offset=111"});
  ExpectCorrupt(Text(rows) + Hex("7fffffff 0000000c") + std::string(kMapJson), {"does not end within its length"});
  ExpectCorrupt(Text(rows) + Hex("7fffffff 7fffffff") + std::string(kMapJson), {"ends too early", "field=map"});
}

TEST(CompanionDecoder, RefusesWhatIsNoJson) {
  const std::string first(kFirst), second(kSecond);
  ExpectCorrupt(Plain({"{}"}, "{}"), {"rows are not an array", "offset=4"});
  ExpectCorrupt(Plain({"null"}, "{}"), {"rows are not an array"});
  ExpectCorrupt(Plain({"[]"}, "[]"), {"offset map is not an object", "field=map"});
  ExpectCorrupt(Plain({"\xef\xbb\xbf[]"}, "{}"), {"rows are not an array"});
  ExpectCorrupt(Plain({"[" + first + second + "]"}, kMapJson), {"neither a comma", "offset=57"});
  ExpectCorrupt(Plain({"[" + first + "," + second + "}"}, kMapJson), {"neither a comma", "offset=110"});
  ExpectCorrupt(Plain({"[" + first + "," + second + ",]"}, kMapJson), {"row is not an object", "offset=111"});
  ExpectCorrupt(Plain({"[," + first + "," + second + "]"}, kMapJson), {"row is not an object", "offset=5"});
  ExpectRowCorrupt("[]", {"row is not an object"});
  ExpectRowCorrupt("{]", {"not valid json", "in=block.rows", "row=1", "element_at=58"});
  ExpectRowCorrupt("{}", {"missing", "field=metadata", "row=1", "element_at=58"});
  ExpectRowCorrupt(R"({"metadata":"Eg8IAhABGIDQlf+8MSADKAg="})", {"missing", "field=offset"});
  ExpectRowCorrupt(R"({"metadata":"Eg8IAhABGIDQlf+8MSADKAg=","offset":2})", {"not a string", "field=offset"});
  ExpectRowCorrupt(R"({"metadata":null,"offset":"2"})", {"missing", "field=metadata"});
  ExpectRowCorrupt(R"({"metadata":"Eg8IAhABGIDQlf+8MSADKAg=","offset":"2","offset":"2"})", {"named twice", "field=offset"});
  ExpectRowCorrupt("{\"metadata\":\"Eg8IAhABGIDQlf+8MSADKAg=\",\"offset\":\"2\",\"a\":\"\xff\"}", {"not valid json"});
  ExpectRowCorrupt(R"({"metadata":"Eg8IAhABGIDQlf+8MSADKAg=","offset":"2",})", {"not valid json"});
  ExpectRowCorrupt("{\"a\":\"" + std::string(5000, 'a') + "\"}", {"row is too long", "limit=4096", "offset=58"});
}

TEST(CompanionDecoder, RefusesDamagedMetadata) {
  ExpectRowCorrupt(R"({"metadata":"Eg8IAhABGIDQlf+8MSADKAg","offset":"2"})",
                   {"base64 length", "field=metadata", "row=1", "element_at=58"});
  ExpectRowCorrupt(R"({"metadata":"Eg8IAhABGIDQlf-8MSADKAg=","offset":"2"})", {"another character", "field=metadata"});
  ExpectRowCorrupt(R"({"metadata":"","offset":"2"})", {"no entry header", "field=entryHeader", "row=1"});
  ExpectRowCorrupt(R"({"metadata":"EgA=","offset":"0"})", {"no records", "field=numberOfMessages", "element_at=58"});
  ExpectRowCorrupt(R"({"metadata":"Eg8IAhABGIDQlf+8MSADKAg=","offset":"3"})",
                   {"not that of its metadata", "field=offset", "value=3", "metadata_offset=2"});
  ExpectRowCorrupt(R"({"metadata":"Eg8IAhABGIDQlf+8MSADKAg=","offset":"02"})", {"not that of its metadata"});
  ExpectRowCorrupt(R"({"metadata":"Eg8IAhABGIDQlf+8MSADKAg=","offset":""})", {"not that of its metadata"});
}

TEST(CompanionDecoder, RefusesRowsThatDoNotFollowEachOther) {
  ExpectRowCorrupt(kFirst, {"does not begin where", "field=offset", "value=0", "end_before=2", "row=1", "element_at=58"});
  ExpectRowCorrupt(RowOf(LogEntryHeader{Offset(3), 1, 1, 3, 8}), {"does not begin where", "value=3"});
  ExpectRowCorrupt(RowOf(LogEntryHeader{Offset(2), 1, 1, 3, 9}), {"do not add up", "field=cumulativeSize", "row=1"});
  ExpectRowCorrupt(RowOf(LogEntryHeader{Offset(2), 1, 1, 8, 8}), {"do not add up", "size_before=5"});
  // Also over the border of two blocks.
  ExpectCorrupt(Plain({"[" + std::string(kFirst) + "]", "[" + RowOf(LogEntryHeader{Offset(5), 1, 1, 3, 8}) + "]"}, kMapJson),
                {"does not begin where", "row=1", "element_at=63"});
}

TEST(CompanionDecoder, RefusesAMapThatDisagrees) {
  ExpectMapCorrupt("{}", {"lacks rows", "field=map", "members=0", "rows=2", "offset=121"});
  ExpectMapCorrupt(R"({"0":0})", {"lacks rows", "members=1"});
  ExpectMapCorrupt(R"({"0":0,"2":2})", {"not there", "row=2", "rows=2", "offset=126"});
  ExpectMapCorrupt(R"({"0":0,"2":-1})", {"not there", "row=-1"});
  ExpectMapCorrupt(R"({"0":0,"2":9223372036854775807})", {"not there"});
  ExpectMapCorrupt(R"({"0":0,"2":9223372036854775808})", {"not an integer"});
  ExpectMapCorrupt(R"({"0":0,"3":1})", {"disagrees with its row", "row=1", "row_offset=2"});
  ExpectMapCorrupt(R"({"0":1,"2":0})", {"disagrees with its row", "row=1"});
  ExpectMapCorrupt(R"({"0":0,"02":1})", {"disagrees with its row"});
  ExpectMapCorrupt(R"({"0":0,"":1})", {"disagrees with its row"});
  ExpectMapCorrupt(R"({"0":0,"0":0})", {"names a row twice", "row=0"});
  ExpectMapCorrupt(R"({"0":0,"2":1,"0":0})", {"names a row twice"});
  ExpectMapCorrupt(R"({"0":0,"2":"1"})", {"not an integer"});
  ExpectMapCorrupt(R"({"0":0,"2":1.0})", {"not an integer"});
  ExpectMapCorrupt(R"({"0":0,"2":01})", {"not valid json", "in=map", "element_at=126"});
  ExpectMapCorrupt(R"({"0":0,"2"})", {"not valid json"});
  ExpectMapCorrupt(R"({"0":0,"2":1]})", {"neither a comma"});
  ExpectMapCorrupt(R"({"0":0,"2":[1}})", {"not valid json"});
  ExpectMapCorrupt(R"({"0":0,2:1})", {"has no name", "offset=126"});
  ExpectMapCorrupt(R"({"0":0,,"2":1})", {"has no name"});
  ExpectMapCorrupt(R"({"0":0,"2":1,})", {"has no name"});
  ExpectMapCorrupt("{\"0\":0,\"2\":" + std::string(5000, '1') + "}", {"too long", "limit=4096"});
}

TEST(CompanionDecoder, NamesDamageOfTheGzipStream) {
  const std::string packed = Written(TwoRows());
  for (std::size_t size = 0; size < packed.size(); ++size) {
    ExpectStatus(DecodeCompanion(AsBytes(packed.substr(0, size)), "x.index", 2).status(), StatusCode::kCorrupt,
                 {"object=x.index", "field=gzip", "offset=", "codec=gzip", "ends too early"});
  }
  ExpectStatus(DecodeCompanion(AsBytes(packed + "x"), "x.index", 2).status(), StatusCode::kCorrupt,
               {"object=x.index", "field=gzip", "offset=132"});
  ExpectStatus(DecodeCompanion(AsBytes(packed + Gzip("x")), "x.index", 2).status(), StatusCode::kCorrupt,
               {"follow the offset map", "offset=132"});
  ExpectStatus(DecodeCompanion(AsBytes(kRowsJson), "x.index", 2).status(), StatusCode::kCorrupt,
               {"field=gzip", "offset=0", "incorrect header check"});
  std::string damaged = packed;
  damaged[packed.size() - 5] ^= 1;
  ExpectStatus(DecodeCompanion(AsBytes(damaged), "x.index", 2).status(), StatusCode::kCorrupt,
               {"field=gzip", "incorrect data check"});
}

TEST(CompanionDecoder, AfterAnErrorItSaysTheSameAgain) {
  CompanionDecoder decoder("x.index", 2);
  ExpectStatus(decoder.Feed(AsBytes("no gzip")), StatusCode::kCorrupt, {"field=gzip"});
  ExpectStatus(decoder.Feed(AsBytes(Written(TwoRows()))), StatusCode::kCorrupt, {"field=gzip", "offset=0"});
  ExpectStatus(decoder.Finish().status(), StatusCode::kCorrupt, {"field=gzip", "offset=0"});
}

TEST(CompanionDecoder, TakesNoMoreRowsThanItsLimit) {
  const std::string packed = Written(TwoRows());
  EXPECT_TRUE(DecodeCompanion(AsBytes(packed), "x.index", 2).ok());
  for (const std::size_t limit : {std::size_t{0}, std::size_t{1}}) {
    ExpectStatus(DecodeCompanion(AsBytes(packed), "x.index", limit).status(), StatusCode::kResourceExhausted,
                 {"object=x.index", "limit=" + std::to_string(limit)});
  }
  EXPECT_TRUE(DecodeCompanion(AsBytes(packed), "x.index", std::numeric_limits<std::size_t>::max()).ok());
}

TEST(CompanionDecoder, ABombIsDefusedByTheLimit) {
  // 20 MiB of white space in a block that claims 2 GiB.
  const std::string bomb = Gzip(Hex("7ffffffe") + std::string(std::size_t{20} << 20, ' '));
  EXPECT_LT(bomb.size(), std::size_t{32} << 10);
  ExpectStatus(DecodeCompanion(AsBytes(bomb), "x.index", 1000).status(), StatusCode::kResourceExhausted,
               {"object=x.index", "decompresses to more", "limit=1560576"});
}

}  // namespace
}  // namespace lakestream
