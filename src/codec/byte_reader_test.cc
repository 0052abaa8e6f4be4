#include "codec/byte_reader.h"

#include <gtest/gtest.h>

#include <string>

namespace lakestream {
namespace {

TEST(ByteReader, ReadsInOrder) {
  const std::string bytes("\xff\xff\xff\xfe\x01\x02\x03\x04\x05\x06\x07\x08\xac\x02hi", 16);
  ByteReader reader(AsBytes(bytes), "o", 100);
  EXPECT_EQ(*reader.ReadInt32("a"), -2);
  EXPECT_EQ(*reader.ReadInt64("b"), 0x0102030405060708);
  std::int32_t number = 0;
  ASSERT_TRUE(reader.ReadVarint32("c", &number).ok());
  EXPECT_EQ(number, 300);
  EXPECT_EQ(reader.offset(), 114u);
  EXPECT_EQ(AsText(*reader.ReadBytes(2, "d")), "hi");
  EXPECT_TRUE(reader.done());
}

TEST(ByteReader, FailuresNameTheFieldAndKeepThePlace) {
  const std::string bytes = "\x80\x80\x80";
  ByteReader reader(AsBytes(bytes), "wal/7", 4);
  std::int32_t number = 0;
  EXPECT_EQ(reader.ReadInt32("log").status().ToString(),
            "corrupt: field does not end within its bytes object=wal/7 field=log offset=4 remaining=3");
  EXPECT_FALSE(reader.ReadInt64("log").ok());
  EXPECT_FALSE(reader.ReadVarint64("size").ok());
  EXPECT_NE(reader.ReadVarint32("size", &number).message().find("object=wal/7 field=size offset=4"),
            std::string::npos);
  EXPECT_NE(reader.ReadBytes(~std::uint64_t{0}, "all").status().message().find("length=18446744073709551615"),
            std::string::npos);
  EXPECT_EQ(reader.remaining(), 3u);
}

}  // namespace
}  // namespace lakestream
