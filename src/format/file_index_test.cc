#include "format/file_index.h"

#include <gtest/gtest.h>

#include <string>

#include "codec/base64.h"
#include "format/testing/bytes.h"

namespace lakestream {
namespace {

FileIndex Of(std::initializer_list<CompactedFile> files) {
  return FileIndex{std::vector<CompactedFile>(files)};
}

TEST(FileIndex, KnownBytes) {
  const FileIndex spec = Of({{Offset(2), "7-0.parquet"}, {Offset(6), "7-3.parquet"}});
  const std::string bytes =
      Hex("00000000 00000002 0000000b 372d302e 70617271 75657400 00000000 00000600 00000b37 2d332e70 61727175 "
          "6574");
  ASSERT_EQ(bytes.size(), 46u);
  EXPECT_EQ(*Base64Decode(*EncodeFileIndex(spec)), bytes);
  const struct {
    FileIndex index;
    std::string text;
  } cases[] = {
      {spec, "AAAAAAAAAAIAAAALNy0wLnBhcnF1ZXQAAAAAAAAABgAAAAs3LTMucGFycXVldA=="},
      {Of({{Offset(10), "data1.parquet"}, {Offset(20), "data2.parquet"}, {Offset(30), "data3.parquet"}}),
       "AAAAAAAAAAoAAAANZGF0YTEucGFycXVldAAAAAAAAAAUAAAADWRhdGEyLnBhcnF1ZXQAAAAAAAAAHgAAAA1kYXRhMy5wYXJxdWV0"},
      {Of({{Offset(1), "a.parquet"}, {Offset(2), "b.parquet"}}),
       "AAAAAAAAAAEAAAAJYS5wYXJxdWV0AAAAAAAAAAIAAAAJYi5wYXJxdWV0"},
      {Of({{Offset(4), "first.parquet"}, {Offset(9), "second.parquet"}}),
       "AAAAAAAAAAQAAAANZmlyc3QucGFycXVldAAAAAAAAAAJAAAADnNlY29uZC5wYXJxdWV0"},
  };
  for (const auto& c : cases) {
    const Result<std::string> text = EncodeFileIndex(c.index);
    ASSERT_TRUE(text.ok());
    EXPECT_EQ(*text, c.text);
    const Result<FileIndex> decoded = DecodeFileIndex(c.text, "k");
    ASSERT_TRUE(decoded.ok()) << decoded.status().ToString();
    EXPECT_EQ(*decoded, c.index);
  }
}

TEST(FileIndex, FindsTheFileOfAnOffset) {
  const FileIndex index =
      Of({{Offset(10), "data1.parquet"}, {Offset(20), "data2.parquet"}, {Offset(30), "data3.parquet"}});
  EXPECT_EQ(index.Find(Offset(5)), 0u);
  EXPECT_EQ(index.Find(Offset(10)), 0u);
  EXPECT_EQ(index.Find(Offset(15)), 1u);
  EXPECT_EQ(index.Find(Offset(20)), 1u);
  EXPECT_EQ(index.Find(Offset(30)), 2u);
  EXPECT_EQ(index.Find(Offset(31)), 3u);
  EXPECT_EQ(index.BaseOffset(0, Offset(3)), Offset(3));
  EXPECT_EQ(index.BaseOffset(1, Offset(3)), Offset(11));
}

TEST(FileIndex, RangeMustFit) {
  const FileIndex index = Of({{Offset(2), "7-0.parquet"}, {Offset(6), "7-3.parquet"}});
  EXPECT_TRUE(CheckFileIndexRange(index, Offset(0), Offset(7), "k").ok());
  EXPECT_TRUE(CheckFileIndexRange(index, Offset(2), Offset(7), "k").ok());
  ExpectStatus(CheckFileIndexRange(index, Offset(0), Offset(8), "k"), StatusCode::kCorrupt,
               {"object=k", "end=8"});
  EXPECT_FALSE(CheckFileIndexRange(index, Offset(0), Offset(6), "k").ok());
  EXPECT_FALSE(CheckFileIndexRange(index, Offset(3), Offset(7), "k").ok());
  EXPECT_FALSE(CheckFileIndexRange(FileIndex(), Offset(0), Offset(0), "k").ok());
}

TEST(FileIndex, CompanionNames) {
  EXPECT_EQ(CompanionNameOf("lks-1.parquet"), "lks-1.index");
  EXPECT_TRUE(CheckCompactedFileName("a.parquet").ok());
  for (const std::string bad : {"", ".parquet", "a.index", "a.parquet.gz", "a.parquet.parquet", "x/a.parquet",
                                "..\\a.parquet", "a\n.parquet", "A.PARQUET"}) {
    ExpectStatus(CheckCompactedFileName(bad), StatusCode::kInvalidArgument, {"name="});
  }
  EXPECT_FALSE(CheckCompactedFileName(std::string(250, 'x') + ".parquet").ok());
}

TEST(FileIndex, EncoderRefuses) {
  EXPECT_EQ(EncodeFileIndex(FileIndex()).status().code(), StatusCode::kInvalidArgument);
  EXPECT_FALSE(EncodeFileIndex(Of({{Offset(-1), "a.parquet"}})).ok());
  EXPECT_FALSE(EncodeFileIndex(Of({{Offset(3), "a.parquet"}, {Offset(3), "b.parquet"}})).ok());
  EXPECT_FALSE(EncodeFileIndex(Of({{Offset(3), "a.parquet"}, {Offset(4), "a.parquet"}})).ok());
  EXPECT_FALSE(EncodeFileIndex(Of({{Offset(3), "a.index"}})).ok());
}

void ExpectCorrupt(std::string_view hex, std::initializer_list<std::string_view> parts) {
  const std::string bytes = Hex(hex);
  ExpectStatus(DecodeFileIndex(Base64Encode(AsBytes(bytes)), "key-7").status(), StatusCode::kCorrupt, parts);
}

TEST(FileIndex, DecoderRefuses) {
  const std::string file = "0000000000000002 00000009 612e70617271756574";  // 2, a.parquet
  ExpectCorrupt("", {"names no files", "object=key-7", "field=last_offset", "offset=0"});
  ExpectCorrupt(file + "00", {"field=last_offset", "offset=21"});
  ExpectCorrupt(file + "0000000000000003 0000000a 612e70617271756574",
                {"field=name", "offset=33", "length=10"});
  ExpectCorrupt("0000000000000002 ffffffff 612e70617271756574", {"field=name_length", "offset=8"});
  ExpectCorrupt("0000000000000002 7fffffff 612e70617271756574", {"field=name", "length=2147483647"});
  ExpectCorrupt("ffffffffffffffff 00000009 612e70617271756574", {"do not ascend", "field=last_offset"});
  ExpectCorrupt(file + "0000000000000002 00000009 622e70617271756574", {"do not ascend", "offset=21"});
  ExpectCorrupt(file + "0000000000000003 00000009 612e70617271756574", {"file twice", "offset=21"});
  ExpectCorrupt("0000000000000002 00000009 2f2e70617271756574", {"plain file name", "field=name"});
  ExpectCorrupt("0000000000000002 00000009 f32e70617271756574", {"plain file name", "field=name"});
  ExpectCorrupt("0000000000000002 0000000b c0af612e70617271756574", {"plain file name", "field=name"});
  ExpectStatus(DecodeFileIndex("AAAA*", "key-7").status(), StatusCode::kCorrupt,
               {"object=key-7", "field=file_index"});
}

}  // namespace
}  // namespace lakestream
