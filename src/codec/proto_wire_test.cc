#include "codec/proto_wire.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace lakestream {
namespace {

Result<std::vector<WireField>> ReadAll(std::string_view bytes) {
  ByteReader reader(AsBytes(bytes), "o");
  std::vector<WireField> fields;
  while (!reader.done()) {
    Result<WireField> field = ReadWireField(reader);
    if (!field.ok()) return field.status();
    fields.push_back(*field);
  }
  return fields;
}

// The examples of the protobuf encoding guide: 150 in field 1, "testing" in field 2.
TEST(ProtoWire, KnownBytes) {
  std::string bytes;
  AppendVarintField(bytes, 1, 150);
  AppendBytesField(bytes, 2, "testing");
  EXPECT_EQ(bytes, std::string("\x08\x96\x01\x12\x07testing"));
  const auto fields = ReadAll(bytes);
  ASSERT_TRUE(fields.ok());
  ASSERT_EQ(fields->size(), 2u);
  EXPECT_EQ((*fields)[0].varint, 150u);
  EXPECT_EQ(AsText((*fields)[1].bytes), "testing");
  EXPECT_EQ((*fields)[1].offset, 3u);
  EXPECT_EQ((*fields)[1].bytes_at, 5u);
}

TEST(ProtoWire, NegativeNumbersTakeTenBytes) {
  std::string bytes;
  AppendVarintField(bytes, 8, -1);
  EXPECT_EQ(bytes, "\x40\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
}

TEST(ProtoWire, StepsOverFixedWidthAndGroups) {
  // fixed64 in 1, fixed32 in 2, group 3 holding a varint and group 4, varint in 5.
  const std::string bytes(
      "\x09"
      "12345678"
      "\x15"
      "1234"
      "\x1b\x08\x01\x23\x24\x1c"
      "\x28\x07",
      22);
  const auto fields = ReadAll(bytes);
  ASSERT_TRUE(fields.ok()) << fields.status().ToString();
  ASSERT_EQ(fields->size(), 4u);
  EXPECT_EQ(fields->back().number, 5u);
  EXPECT_EQ(fields->back().varint, 7u);
}

TEST(ProtoWire, DepthOfGroupsIsBounded) {
  const auto nested = [](std::size_t depth) { return std::string(depth, '\x0b') + std::string(depth, '\x0c'); };
  EXPECT_TRUE(ReadAll(nested(100)).ok());
  const auto fields = ReadAll(nested(101));
  ASSERT_FALSE(fields.ok());
  EXPECT_NE(fields.status().message().find("too deeply"), std::string::npos);
}

TEST(ProtoWire, RefusesBrokenBytes) {
  const std::string deep(2000, '\x0b');
  for (const std::string& bytes : {std::string("\x00\x01", 2), std::string("\x08"), std::string("\x08\x80"),
                                   std::string("\x0e\x01"), std::string("\x0f\x01"),
                                   std::string("\x12\x05"
                                               "abc"),
                                   std::string("\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"),
                                   std::string("\x09"
                                               "1234567"),
                                   std::string("\x15"
                                               "123"),
                                   std::string("\x0c"), std::string("\x0b"), std::string("\x0b\x14"),
                                   std::string("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02"),
                                   std::string("\x80\x80\x80\x80\x10\x01"), deep}) {
    const auto fields = ReadAll(bytes);
    ASSERT_FALSE(fields.ok()) << testing::PrintToString(bytes);
    EXPECT_EQ(fields.status().code(), StatusCode::kCorrupt);
    EXPECT_NE(fields.status().message().find("object=o field="), std::string::npos);
    EXPECT_NE(fields.status().message().find("offset="), std::string::npos);
  }
}

}  // namespace
}  // namespace lakestream
