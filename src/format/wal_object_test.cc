#include "format/wal_object.h"

#include <gtest/gtest.h>

#include <string>

#include "format/testing/bytes.h"

namespace lakestream {
namespace {

constexpr std::int32_t kMax = 2147483647;

Result<WalHeader> Decode(const std::string& object) {
  return DecodeWalHeader(AsBytes(object), object.size(), "w/1");
}

WalSection Section(std::int64_t log, std::vector<WalEntry> entries) {
  return WalSection{LogId(log), std::move(entries)};
}

void ExpectHeader(const std::string& object, const std::vector<WalSection>& sections, std::uint64_t payload) {
  const Result<WalHeader> header = Decode(object);
  ASSERT_TRUE(header.ok()) << header.status().ToString();
  EXPECT_EQ(header->index.sections, sections);
  EXPECT_EQ(header->payload_size, payload);
  EXPECT_EQ(header->header_size + payload, object.size());
  const Result<Buffer> encoded = EncodeWalHeader(sections);
  ASSERT_TRUE(encoded.ok());
  EXPECT_EQ(ToHex(encoded->text()), ToHex(object.substr(0, header->header_size)));
}

TEST(WalObject, ExampleOfTheSpecification) {
  const std::string object = Hex("00000013 00000003 00000000 00000007 02000502 05030101 02030405 060708");
  ASSERT_EQ(object.size(), 31u);
  ExpectHeader(object, {Section(7, {{0, 5, 2}, {5, 3, 1}})}, 8);
  const WalHeader header = *Decode(object);
  EXPECT_EQ(header.header_size, 23u);
  EXPECT_EQ(header.index.sections[0].RecordCount(), 3);
  EXPECT_EQ(header.index.sections[0].PayloadBytes(), 8);
}

TEST(WalObject, MoreKnownObjects) {
  ExpectHeader(
      Hex("0000001300000003 0000000000000001 02000b0a0b0b0a 7465737420656e74727931 7465737420656e74727932"),
      {Section(1, {{0, 11, 10}, {11, 11, 10}})}, 22);
  ExpectHeader(Hex("0000001c00000003000000000000000701000401000000000000000901040503616263646566676869"),
               {Section(7, {{0, 4, 1}}), Section(9, {{4, 5, 3}})}, 9);
}

// Sections stand in any order; each is found by its id, with the decoder's directory and without.
TEST(WalObject, FindsSectionsByLog) {
  const std::vector<WalSection> sections = {Section(9, {{0, 1, 1}}), Section(0, {{1, 1, 1}}),
                                            Section(7, {{2, 1, 1}})};
  const std::string object = std::string(EncodeWalHeader(sections)->text()) + "abc";
  WalIndex index = Decode(object)->index;
  for (int pass = 0; pass < 2; ++pass) {
    for (const WalSection& section : sections) {
      const WalSection* found = index.Find(section.log);
      ASSERT_NE(found, nullptr);
      EXPECT_EQ(*found, section);
    }
    EXPECT_EQ(index.Find(LogId(8)), nullptr);
    EXPECT_EQ(index.Find(LogId(10)), nullptr);
    index.by_log.clear();
  }
}

// Payloads may overlap, be empty, lie in any order and leave bytes unused.
TEST(WalObject, PayloadsLieAnywhereInTheRegion) {
  const std::vector<WalSection> sections = {Section(7, {{4, 4, 1}, {0, 8, 1}, {8, 0, 1}})};
  const std::string object = std::string(EncodeWalHeader(sections)->text()) + "12345678";
  ExpectHeader(object, sections, 8);
}

TEST(WalObject, ExtremeValuesRoundTrip) {
  const std::vector<WalSection> sections = {Section(9223372036854775807, {{kMax, 0, kMax}}),
                                            Section(0, {{0, kMax, 1}})};
  const Buffer header = *EncodeWalHeader(sections);
  const Result<WalHeader> decoded = DecodeWalHeader(header.span(), header.size() + std::uint64_t{kMax}, "w/1");
  ASSERT_TRUE(decoded.ok()) << decoded.status().ToString();
  EXPECT_EQ(decoded->index.sections, sections);
}

TEST(WalObject, EncoderRefuses) {
  const struct {
    std::vector<WalSection> sections;
    std::string_view says;
  } cases[] = {
      {{}, "no log section"},
      {{Section(-1, {{0, 1, 1}})}, "log id is negative"},
      {{Section(7, {})}, "lists no entries"},
      {{Section(7, {{0, 1, 0}})}, "holds no records"},
      {{Section(7, {{0, 1, -1}})}, "holds no records"},
      {{Section(7, {{-1, 1, 1}})}, "payload lies outside"},
      {{Section(7, {{0, -1, 1}})}, "payload lies outside"},
      {{Section(7, {{kMax, 1, 1}})}, "payload lies outside"},
      {{Section(7, {{0, 1, kMax}, {0, 1, 1}})}, "too many records"},
      {{Section(7, {{0, kMax, 1}, {0, 1, 1}})}, "too many bytes"},
      {{Section(7, {{0, 1, 1}}), Section(8, {{0, 1, 1}}), Section(7, {{1, 1, 1}})}, "more than one section"},
  };
  for (const auto& c : cases) {
    ExpectStatus(EncodeWalHeader(c.sections).status(), StatusCode::kInvalidArgument, {c.says});
  }
}

TEST(WalObject, HeaderSize) {
  const std::string object = Hex("00000013 00000003 00000000 00000007 02000502 05030101 02030405 060708");
  EXPECT_EQ(*WalHeaderSize(AsBytes(object).first(4), object.size(), "w"), 23u);
  EXPECT_EQ(*WalHeaderSize(AsBytes(object), 23, "w"), 23u);
  ExpectStatus(WalHeaderSize(AsBytes(object), 22, "w").status(), StatusCode::kCorrupt,
               {"object=w", "field=index_length", "offset=0", "object_size=22"});
  ExpectStatus(WalHeaderSize(AsBytes(object).first(3), 3, "w").status(), StatusCode::kCorrupt,
               {"field=index_length"});
  ExpectStatus(WalHeaderSize(AsBytes(Hex("00000003")), 100, "w").status(), StatusCode::kCorrupt,
               {"index_length=3"});
  ExpectStatus(WalHeaderSize(AsBytes(Hex("ffffffff")), 100, "w").status(), StatusCode::kCorrupt,
               {"index_length=-1"});
  ExpectStatus(WalHeaderSize(AsBytes(Hex("7fffffff")), 100, "w").status(), StatusCode::kCorrupt,
               {"beyond the object"});
}

// Each name of a field and each offset is that of the byte that is wrong.
TEST(WalObject, DecoderRefuses) {
  const struct {
    std::string_view object;
    std::initializer_list<std::string_view> parts;
  } cases[] = {
      {"00000004 00000002", {"field=index_version", "offset=4", "version=2", "supported=3"}},
      {"00000004 00000004", {"field=index_version", "version=4"}},
      {"00000010 00000003 ffffffffffffffff 01000101 61", {"log id is negative", "field=log_id", "offset=8"}},
      {"00000010 00000003 0000000000000007 00000101 61",
       {"lists no entries", "field=entry_count", "offset=16"}},
      {"00000010 00000003 0000000000000007 02000101 61", {"more entries", "field=entry_count", "offset=16"}},
      {"00000014 00000003 0000000000000007 ffffffff07000101 61", {"more entries", "entry_count=2147483647"}},
      {"00000014 00000003 0000000000000007 8080808008000101 61",
       {"varint32", "field=entry_count", "offset=16"}},
      {"00000014 00000003 0000000000000007 0180808080080101 61",
       {"varint32", "field=payload_offset", "offset=17"}},
      {"00000016 00000003 0000000000000007 01008080808080000101 61",
       {"varint32", "field=payload_size", "offset=18"}},
      {"00000014 00000003 0000000000000007 0100018080808008 61",
       {"varint32", "field=record_count", "offset=19"}},
      {"00000010 00000003 0000000000000007 01000180 61", {"varint32", "field=record_count", "offset=19"}},
      {"00000010 00000003 0000000000000007 01000100 61", {"no records", "field=record_count", "offset=19"}},
      {"00000010 00000003 0000000000000007 01000201 61",
       {"outside", "field=payload_offset", "offset=17", "region=1"}},
      {"00000010 00000003 0000000000000007 01020001 61", {"outside", "payload_offset=2"}},
      {"00000014 00000003 0000000000000007 01ffffffff070101 61", {"outside", "payload_offset=2147483647"}},
      {"0000001c 00000003 0000000000000007 01000101 0000000000000007 01000101 61",
       {"more than one section", "field=log_id", "offset=20", "log=7"}},
      {"00000011 00000003 0000000000000007 01000101 00 61", {"field=log_id", "offset=20", "remaining=1"}},
      {"00000017 00000003 0000000000000007 01000101 00000000000000 61", {"field=log_id", "offset=20"}},
      {"00000018 00000003 0000000000000007 01000101 0000000000000009 61",
       {"varint32", "field=entry_count", "offset=28"}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.object);
    const Result<WalHeader> header = Decode(Hex(c.object));
    ASSERT_FALSE(header.ok());
    ExpectStatus(header.status(), StatusCode::kCorrupt, {"object=w/1"});
    ExpectStatus(header.status(), StatusCode::kCorrupt, c.parts);
  }
}

TEST(WalObject, PrefixMustHoldTheHeader) {
  const std::string object = Hex("00000010 00000003 0000000000000007 01000101 61");
  EXPECT_TRUE(DecodeWalHeader(AsBytes(object).first(20), object.size(), "w").ok());
  ExpectStatus(DecodeWalHeader(AsBytes(object).first(19), object.size(), "w").status(), StatusCode::kCorrupt,
               {"truncated", "object=w", "field=index_region", "offset=19", "header_size=20"});
}

std::string Described(const std::string& object) {
  return DumpJson(DescribeWalObject(AsBytes(object), object.size(), "w/1").fields);
}

TEST(WalObject, DescriptionOfTheSpecificationsExample) {
  const std::string object = Hex("00000013 00000003 00000000 00000007 02000502 05030101 02030405 060708");
  EXPECT_TRUE(DescribeWalObject(AsBytes(object), object.size(), "w/1").damage.ok());
  EXPECT_EQ(Described(object),
            R"({"object_size":31,"index_length":19,"index_version":3,"payload_region_offset":23,)"
            R"("payload_region_size":8,"sections":[{"log_id":7,"entry_count":2,"message_count":3,)"
            R"("entry_size_bytes":8,"entries":[{"payload_offset":0,"payload_size":5,"record_count":2},)"
            R"({"payload_offset":5,"payload_size":3,"record_count":1}]}]})");
}

// What stands before the damage is told, with the damage itself.
TEST(WalObject, DescriptionOfDamagedObjects) {
  const auto damage = [](const std::string& object) {
    return DescribeWalObject(AsBytes(object), object.size(), "w/1").damage;
  };
  // The second entry lies outside the region.
  const std::string outside = Hex("00000013 00000003 00000000 00000007 02000502 05040101 02030405 060708");
  ExpectStatus(damage(outside), StatusCode::kCorrupt, {"object=w/1", "field=payload_offset", "offset=20"});
  EXPECT_EQ(Described(outside),
            R"({"object_size":31,"index_length":19,"index_version":3,"payload_region_offset":23,)"
            R"("payload_region_size":8,"sections":[{"log_id":7,"entry_count":1,"message_count":2,)"
            R"("entry_size_bytes":5,"entries":[{"payload_offset":0,"payload_size":5,"record_count":2}]}]})");
  const std::string other = Hex("00000010 00000002 0000000000000007 01000101 61");
  ExpectStatus(damage(other), StatusCode::kCorrupt, {"field=index_version", "offset=4", "version=2"});
  EXPECT_EQ(Described(other),
            R"({"object_size":21,"index_length":16,"index_version":2,"payload_region_offset":20,)"
            R"("payload_region_size":1,"sections":[]})");
  const std::string cut = Hex("00000010 00000003 0000");
  ExpectStatus(damage(cut), StatusCode::kCorrupt, {"field=index_length", "offset=0", "object_size=10"});
  EXPECT_EQ(Described(cut), R"({"object_size":10,"index_length":16,"index_version":3,"sections":[]})");
  ExpectStatus(damage(""), StatusCode::kCorrupt, {"field=index_length", "offset=0"});
  EXPECT_EQ(Described(""), R"({"object_size":0,"sections":[]})");
}

}  // namespace
}  // namespace lakestream
