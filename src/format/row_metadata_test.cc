#include "format/row_metadata.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "codec/base64.h"
#include "format/testing/bytes.h"

namespace lakestream {
namespace {

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

LogEntryHeader Header(std::int64_t offset, std::int32_t records, std::int64_t time, std::int32_t size,
                      std::int64_t cumulative) {
  return LogEntryHeader{Offset(offset), records, time, size, cumulative};
}

TEST(RowMetadata, KnownBytes) {
  const struct {
    RowMetadata metadata;
    std::string_view base64;
  } cases[] = {
      {{Header(17, 1, 23, 31, 47), 5}, "EgoIERABGBcgHygvIAU="},
      {{Header(10, 2, 1234, 3, 3), {}}, "EgsIChACGNIJIAMoAw=="},
      {{Header(0, 2, 1700000000000, 5, 5), {}}, "Eg8IABACGIDQlf+8MSAFKAU="},
      {{Header(2, 1, 1700000000000, 3, 8), {}}, "Eg8IAhABGIDQlf+8MSADKAg="},
      {{Header(0, 3, 0, 0, 0), {}}, "EgoIABADGAAgACgA"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(Base64Encode(AsBytes(EncodeRowMetadata(c.metadata))), c.base64);
    const Result<RowMetadata> decoded = DecodeRowMetadata(AsBytes(*Base64Decode(c.base64)), "o");
    ASSERT_TRUE(decoded.ok()) << decoded.status().ToString();
    EXPECT_EQ(*decoded, c.metadata);
  }
}

TEST(RowMetadata, ThePageOfTheFormat) {
  const RowMetadata metadata{Header(0, 2, 1700000000000, 5, 5), {}};
  EXPECT_EQ(ToHex(EncodeRowMetadata(metadata)), ToHex(Hex("12 0f 08 00 10 02 18 80 d0 95 ff bc 31 20 05 28 05")));
}

RowMetadata Decoded(std::string_view hex) {
  const std::string bytes = Hex(hex);
  const Result<RowMetadata> decoded = DecodeRowMetadata(AsBytes(bytes), "o");
  EXPECT_TRUE(decoded.ok()) << hex << ": " << decoded.status().ToString();
  return decoded.ok() ? *decoded : RowMetadata();
}

TEST(RowMetadata, SkipsWhatItDoesNotKnow) {
  // The reserved fields 1 and 3, as older programs wrote them.
  EXPECT_EQ(DecodeRowMetadata(AsBytes(*Base64Decode("CgIKABIKCAsQAhgNIBEoExoDAQID")), "o")->header,
            Header(11, 2, 13, 17, 19));
  EXPECT_EQ(Decoded("08 01 12 0a 080b 1002 180d 2011 2813 18 07").header, Header(11, 2, 13, 17, 19));
  EXPECT_EQ(Decoded("2a 01 ff 12 0d 080b 1002 180d 2011 2813 32 01 00 39 0000000000000000").header,
            Header(11, 2, 13, 17, 19));
}

TEST(RowMetadata, FieldsOfTheHeaderMayStandInAnyOrder) {
  EXPECT_EQ(Decoded("12 0a 1002 0801 1807 2005 2805").header, Header(1, 2, 7, 5, 5));
  EXPECT_EQ(Decoded("12 0a 0801 1002 1807 2806 2005").header, Header(1, 2, 7, 5, 6));
  EXPECT_EQ(Decoded("12 0c 0801 1002 1807 2005 3009 2805").header, Header(1, 2, 7, 5, 5));
  EXPECT_EQ(Decoded("12 0b 088100 1002 1807 2005 2805").header, Header(1, 2, 7, 5, 5));
}

TEST(RowMetadata, MissingFieldsOfTheHeaderAreZero) {
  EXPECT_EQ(Decoded("12 02 1002").header, Header(0, 2, 0, 0, 0));
  EXPECT_EQ(Decoded("12 06 2011 1002 2811").header, Header(0, 2, 0, 17, 17));
  EXPECT_EQ(Decoded("12 02 1002 20 ffffffffffffffffff01").schema_version, -1);
}

void ExpectRefused(std::string_view hex, std::initializer_list<std::string_view> parts) {
  SCOPED_TRACE(hex);
  const std::string bytes = Hex(hex);
  const Status status = DecodeRowMetadata(AsBytes(bytes), "x.index").status();
  ExpectStatus(status, StatusCode::kCorrupt, {"object=x.index", "field=", "offset="});
  ExpectStatus(status, StatusCode::kCorrupt, parts);
}

TEST(RowMetadata, Refuses) {
  ExpectRefused("", {"no entry header", "field=entryHeader"});
  ExpectRefused("20 05", {"no entry header", "offset=2"});
  ExpectRefused("12 00", {"an entry has no records", "field=numberOfMessages", "offset=2"});
  ExpectRefused("12 04 1002 1003", {"set twice", "field=numberOfMessages", "offset=4"});
  ExpectRefused("12 02 1002 12 02 1002", {"set twice", "field=entryHeader", "offset=4"});
  ExpectRefused("12 02 1002 2005 2005", {"set twice", "field=schemaVersion"});
  ExpectRefused("10 02", {"another wire type", "field=entryHeader"});
  ExpectRefused("12 02 1002 22 00", {"another wire type", "field=schemaVersion"});
  ExpectRefused("12 03 0a 01 00", {"another wire type", "field=offset"});
  ExpectRefused("12 05 1002 18", {"does not end within its bytes"});
  ExpectRefused("12 03 1002 18", {"varint is truncated", "offset=5"});
  ExpectRefused("12 0d 1002 08 ffffffffffffffffff01", {"negative", "field=offset", "value=-1"});
  ExpectRefused("12 0b 10 ffffffffffffffffff01", {"negative", "field=numberOfMessages"});
  ExpectRefused("12 0d 1002 18 ffffffffffffffffff01", {"negative", "field=writtenTimestamp"});
  ExpectRefused("12 0d 1002 20 ffffffffffffffffff01", {"negative", "field=entrySize"});
  ExpectRefused("12 0d 1002 28 ffffffffffffffffff01", {"negative", "field=cumulativeSize"});
  // -2^32 + 1 and 2^31: what 32 bits would make of them is not taken.
  ExpectRefused("12 0b 10 81808080f0ffffffff01", {"out of range", "field=numberOfMessages", "value=-4294967295"});
  ExpectRefused("12 06 10 8080808008", {"out of range", "field=numberOfMessages", "value=2147483648"});
  ExpectRefused("12 04 1002 2001", {"larger than its log", "field=cumulativeSize", "value=0", "entry_size=1"});
  ExpectRefused("12 0c 1001 08 ffffffffffffffff7f", {"beyond the last offset", "field=numberOfMessages"});
}

TEST(EntryHeader, Check) {
  EXPECT_TRUE(CheckEntryHeader(Header(kMax - 1, 1, kMax, 2147483647, kMax)).ok());
  ExpectStatus(CheckEntryHeader(Header(kMax, 1, 0, 0, 0)), StatusCode::kInvalidArgument, {"beyond the last offset"});
  ExpectStatus(CheckEntryHeader(Header(0, 0, 0, 0, 0)), StatusCode::kInvalidArgument, {"no records"});
  ExpectStatus(CheckEntryHeader(Header(0, 1, 0, 2, 1)), StatusCode::kInvalidArgument, {"field=cumulativeSize"});
  ExpectStatus(CheckEntryHeader(Header(-1, 1, 0, 0, 0)), StatusCode::kInvalidArgument, {"field=offset", "value=-1"});
}

}  // namespace
}  // namespace lakestream
