#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "codec/base64.h"
#include "format/entry_index.h"
#include "format/index_key.h"
#include "format/json.h"
#include "format/testing/bytes.h"
#include "format/wal_object.h"

// WAL objects and index records made by an independent program from the manifests' inputs.

namespace lakestream {
namespace {

const std::string kFolder = LAKESTREAM_SOURCE_DIR "/src/format/testdata/wal/";

std::int64_t Int(const JsonValue& json, std::string_view name) {
  const JsonValue* value = json.Find(name);
  EXPECT_TRUE(value != nullptr && value->kind == JsonValue::Kind::kInt) << name;
  return value == nullptr ? -1 : value->integer;
}

std::string Text(const JsonValue& json, std::string_view name) {
  const JsonValue* value = json.Find(name);
  EXPECT_TRUE(value != nullptr && value->kind == JsonValue::Kind::kString) << name;
  return value == nullptr ? "" : value->text;
}

std::int32_t Item(const JsonValue& row, std::size_t i) {
  return static_cast<std::int32_t>(row.items.at(i).integer);
}

struct Built {
  std::vector<WalSection> sections;
  std::string payload;
};

// The object that the manifest's appends ask for: payloads in arrival order, sections in the manifest's order.
Built Build(const JsonValue& manifest) {
  Built built;
  std::map<std::int64_t, std::size_t> positions;
  for (const JsonValue& section : manifest.Find("sections")->items) {
    positions[Int(section, "log_id")] = built.sections.size();
    built.sections.push_back(WalSection{LogId(Int(section, "log_id")), {}});
  }
  for (const JsonValue& append : manifest.Find("appends_in_order")->items) {
    WalSection& section = built.sections[positions.at(append.items.at(0).integer)];
    const std::int32_t records = Item(append, 1);
    const int salt = Item(append, 2);
    const std::int32_t size = Item(append, 3);
    section.entries.push_back(WalEntry{static_cast<std::int32_t>(built.payload.size()), size, records});
    for (int i = 0; i < size; ++i) built.payload += static_cast<char>((31 * salt + 7 * i + i / 256) % 256);
  }
  return built;
}

void CheckSection(const WalSection& section, const JsonValue& expected, const std::string& name,
                  std::int64_t region, bool only) {
  EXPECT_EQ(section.log.value(), Int(expected, "log_id"));
  EXPECT_EQ(static_cast<std::int64_t>(section.entries.size()), Int(expected, "entry_count"));
  EXPECT_EQ(section.RecordCount(), Int(expected, "message_count"));
  EXPECT_EQ(section.PayloadBytes(), Int(expected, "entry_size_bytes"));
  const JsonValue* rows = expected.Find("entries_if_at_most_200");
  ASSERT_NE(rows, nullptr);
  if (section.entries.size() <= 200) {
    ASSERT_EQ(rows->items.size(), section.entries.size());
    for (std::size_t i = 0; i < section.entries.size(); ++i) {
      const JsonValue& row = rows->items[i];
      EXPECT_EQ(section.entries[i], (WalEntry{Item(row, 0), Item(row, 1), Item(row, 2)}));
    }
  }
  EXPECT_EQ(IndexKeyPrefix(section.log), Text(expected, "sequenced_put_prefix"));
  const IndexKey key{section.log, Offset(section.RecordCount()), section.PayloadBytes()};
  EXPECT_EQ(key.Encode(), Text(expected, "key"));

  const Result<EntryIndex> made = MakeRawEntryIndex(section, name, region, only);
  ASSERT_TRUE(made.ok()) << made.status().ToString();
  EXPECT_EQ(made->index_type == IndexType::kCompact ? "COMPACT" : "NORMAL", Text(expected, "index_type"));
  const std::string value = *Base64Decode(Text(expected, "value_base64"));
  EXPECT_EQ(ToHex(EncodeEntryIndex(*made)), ToHex(value));
  const Result<EntryIndex> decoded = DecodeEntryIndex(AsBytes(value), key.Encode());
  ASSERT_TRUE(decoded.ok()) << decoded.status().ToString();
  EXPECT_EQ(*decoded, *made);

  const Result<std::vector<std::int32_t>> ends = DecodeEntryOffsets(*decoded, key.Encode());
  ASSERT_TRUE(ends.ok()) << ends.status().ToString();
  ASSERT_EQ(ends->size(), section.entries.size());
  std::int32_t sum = 0;
  for (std::size_t i = 0; i < ends->size(); ++i) EXPECT_EQ((*ends)[i], sum += section.entries[i].record_count);
}

// The object itself, from the tree or from the folder that tools/make-large-fixtures.py filled; otherwise only
// its header, which the tree always holds.
std::string ReadObject(const std::string& fixture, bool* whole) {
  *whole = true;
  std::string object = ReadFile(kFolder + fixture + "/object.wal");
  if (object.empty()) {
    if (const char* large = std::getenv("LAKESTREAM_LARGE_FIXTURES")) {
      object = ReadFile(std::string(large) + "/" + fixture + "/object.wal");
      EXPECT_FALSE(object.empty()) << fixture << " is not in LAKESTREAM_LARGE_FIXTURES";
    } else {
      *whole = false;
      object = ReadFile(kFolder + fixture + "/header.bin");
    }
  }
  return object;
}

void CheckFixture(const std::string& fixture) {
  SCOPED_TRACE(fixture);
  const Result<JsonValue> manifest = ParseJson(ReadFile(kFolder + fixture + "/manifest.json"), fixture);
  ASSERT_TRUE(manifest.ok()) << manifest.status().ToString();
  bool whole = false;
  const std::string object = ReadObject(fixture, &whole);
  ASSERT_FALSE(object.empty());
  const auto object_size = static_cast<std::uint64_t>(Int(*manifest, "object_bytes"));
  ASSERT_TRUE(!whole || object.size() == object_size);

  const std::string name = Text(*manifest, "object_name");
  const Result<WalHeader> header = DecodeWalHeader(AsBytes(object), object_size, name);
  ASSERT_TRUE(header.ok()) << header.status().ToString();
  EXPECT_EQ(*WalHeaderSize(AsBytes(object).first(4), object_size, name), header->header_size);
  EXPECT_EQ(static_cast<std::int64_t>(header->header_size) - 4, Int(*manifest, "index_length"));
  EXPECT_EQ(static_cast<std::int64_t>(header->payload_size), Int(*manifest, "payload_region_bytes"));

  const Built built = Build(*manifest);
  EXPECT_EQ(header->index.sections, built.sections);
  const std::string encoded(EncodeWalHeader(header->index.sections)->text());
  EXPECT_TRUE(encoded == object.substr(0, header->header_size));
  EXPECT_TRUE(!whole || encoded + built.payload == object);

  const std::vector<JsonValue>& expected = manifest->Find("sections")->items;
  ASSERT_EQ(header->index.sections.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const WalSection& section = header->index.sections[i];
    EXPECT_EQ(header->index.Find(section.log), &section);
    CheckSection(section, expected[i], name, static_cast<std::int64_t>(header->payload_size),
                 expected.size() == 1);
  }
}

TEST(Fixtures, WalObjects) {
  std::vector<std::string> fixtures;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder))
    fixtures.push_back(entry.path().filename());
  std::sort(fixtures.begin(), fixtures.end());
  EXPECT_EQ(fixtures,
            (std::vector<std::string>{"entries-1000", "entries-128", "entries-129", "entries-31", "entries-32",
                                      "entries-5000", "entry-5-mib", "four-logs-interleaved", "one-entry",
                                      "two-entries-spec-shape", "zero-byte-entry-alone"}));
  for (const std::string& fixture : fixtures) CheckFixture(fixture);
}

}  // namespace
}  // namespace lakestream
