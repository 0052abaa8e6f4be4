#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "codec/base64.h"
#include "codec/byte_reader.h"
#include "codec/compression/compression.h"
#include "format/companion.h"
#include "format/companion_decoder.h"
#include "format/companion_writer.h"
#include "format/json.h"
#include "format/row_metadata.h"
#include "format/testing/bytes.h"

// Companions made by an independent program in Java, with the JSON and gzip libraries that Ursa uses. Its offset maps stand
// in the order of a hash table, so only what comes before them can be the same bytes.

namespace lakestream {
namespace {

const std::string kFolder = LAKESTREAM_SOURCE_DIR "/src/format/testdata/companion/";

std::int64_t Int(const JsonValue& json, std::string_view name) {
  const JsonValue* value = json.Find(name);
  EXPECT_TRUE(value != nullptr && value->kind == JsonValue::Kind::kInt) << name;
  return value == nullptr ? -1 : value->integer;
}

LogEntryHeader HeaderOf(const JsonValue& row) {
  return LogEntryHeader{Offset(row.items.at(0).integer), static_cast<std::int32_t>(row.items.at(1).integer),
                        row.items.at(2).integer, static_cast<std::int32_t>(row.items.at(3).integer),
                        row.items.at(4).integer};
}

/// A decompressed companion taken apart by its lengths.
struct Layout {
  std::vector<JsonValue> blocks;
  std::string before_map;  ///< with the sentinel
  JsonValue map;
};

Layout LayoutOf(std::string_view plain) {
  Layout layout;
  ByteReader reader(AsBytes(plain), "plain");
  for (;;) {
    const std::int32_t length = *reader.ReadInt32("length");
    if (length == 0x7fffffff) break;
    const ByteSpan json = *reader.ReadBytes(static_cast<std::uint64_t>(length), "rows");
    layout.blocks.push_back(*ParseJson(AsText(json), "rows"));
  }
  layout.before_map = plain.substr(0, reader.offset());
  const std::int32_t length = *reader.ReadInt32("length");
  layout.map = *ParseJson(AsText(*reader.ReadBytes(static_cast<std::uint64_t>(length), "map")), "map");
  EXPECT_TRUE(reader.done());
  return layout;
}

std::vector<JsonMember> SortedMembers(const JsonValue& map) {
  std::vector<JsonMember> members = map.members;
  std::sort(members.begin(), members.end(), [](const JsonMember& a, const JsonMember& b) { return a.name < b.name; });
  return members;
}

std::string Gunzip(std::string_view packed) {
  const Result<Buffer> plain = Decompress(Compression::kGzip, AsBytes(packed), std::uint64_t{1} << 20);
  EXPECT_TRUE(plain.ok()) << plain.status().ToString();
  return plain.ok() ? std::string(plain->text()) : std::string();
}

void CheckRead(std::string_view packed, const std::vector<LogEntryHeader>& headers) {
  const Result<Companion> companion = DecodeCompanion(AsBytes(packed), "fixture", headers.size());
  ASSERT_TRUE(companion.ok()) << companion.status().ToString();
  ASSERT_EQ(companion->rows(), headers.size());
  for (std::size_t i = 0; i < headers.size(); ++i) {
    EXPECT_EQ(companion->HeaderOf(i), headers[i]) << i;
    EXPECT_EQ(companion->FindOffset(headers[i].offset), i);
    EXPECT_EQ(companion->FindOffset(headers[i].end() - 1), i);
  }
}

/// What our writer makes of the same rows: the same bytes up to the map, and a map of the same members.
void CheckWritten(std::string_view packed, const std::vector<LogEntryHeader>& headers, std::size_t rows_per_block) {
  CompanionWriter writer(rows_per_block);
  for (const LogEntryHeader& header : headers) ASSERT_TRUE(writer.Add(header).ok());
  ASSERT_TRUE(writer.Finish().ok());
  const std::string ours = Gunzip(writer.Take());
  const std::string theirs = Gunzip(packed);
  EXPECT_EQ(ours.size(), theirs.size());
  EXPECT_EQ(LayoutOf(ours).before_map, LayoutOf(theirs).before_map);
  EXPECT_EQ(SortedMembers(LayoutOf(ours).map), SortedMembers(LayoutOf(theirs).map));
}

void CheckFile(const std::string& folder, const JsonValue& file, const std::vector<LogEntryHeader>& headers,
               std::size_t rows_per_block) {
  const std::string name = file.Find("companion")->text;
  SCOPED_TRACE(name);
  const std::string packed = ReadFile(folder + "/" + name);
  const std::string plain = Gunzip(packed);
  ASSERT_EQ(static_cast<std::int64_t>(plain.size()), Int(file, "companion_plain_bytes"));
  const Layout layout = LayoutOf(plain);
  const std::vector<JsonValue>& block_rows = file.Find("companion_block_rows")->items;
  ASSERT_EQ(layout.blocks.size(), block_rows.size());
  for (std::size_t i = 0; i < block_rows.size(); ++i) {
    EXPECT_EQ(static_cast<std::int64_t>(layout.blocks[i].items.size()), block_rows[i].integer);
  }
  EXPECT_EQ(headers.back().end() - 1, Offset(Int(file, "last_offset")));
  CheckRead(packed, headers);
  CheckWritten(packed, headers, rows_per_block);
}

void CheckFixture(const std::string& fixture) {
  SCOPED_TRACE(fixture);
  const Result<JsonValue> manifest = ParseJson(ReadFile(kFolder + fixture + "/manifest.json"), fixture);
  ASSERT_TRUE(manifest.ok()) << manifest.status().ToString();
  const std::vector<JsonValue>& rows = manifest->Find("rows")->items;
  std::size_t at = 0;
  for (const JsonValue& file : manifest->Find("files")->items) {
    std::vector<LogEntryHeader> headers;
    for (std::int64_t i = 0; i < Int(file, "rows"); ++i, ++at) {
      const LogEntryHeader header = HeaderOf(rows.at(at));
      const std::string metadata = rows[at].items.at(5).text;
      EXPECT_EQ(Base64Encode(AsBytes(EncodeRowMetadata(RowMetadata{header, {}}))), metadata);
      EXPECT_EQ(DecodeRowMetadata(AsBytes(*Base64Decode(metadata)), "o")->header, header);
      headers.push_back(header);
    }
    CheckFile(kFolder + fixture, file, headers, static_cast<std::size_t>(Int(*manifest, "rows_per_block")));
  }
  EXPECT_EQ(at, rows.size());
}

TEST(Fixtures, Companions) {
  std::vector<std::string> fixtures;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) fixtures.push_back(entry.path().filename());
  std::sort(fixtures.begin(), fixtures.end());
  EXPECT_EQ(fixtures, (std::vector<std::string>{"block-split-exact", "kafka-batches", "plain-12-entries", "row-groups",
                                                "two-files"}));
  for (const std::string& fixture : fixtures) CheckFixture(fixture);
}

}  // namespace
}  // namespace lakestream
