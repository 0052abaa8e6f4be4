#include "codec/varint.h"

#include <gtest/gtest.h>

#include <string>

#include "codec/byte_writer.h"

namespace lakestream {
namespace {

std::size_t Decode32(const std::string& bytes, std::int32_t* value) {
  return DecodeVarint32(AsBytes(bytes), value);
}

TEST(Varint, KnownBytes) {
  const struct {
    std::int32_t value;
    std::string bytes;
  } cases[] = {
      {0, std::string("\x00", 1)},
      {1, "\x01"},
      {127, "\x7f"},
      {128, "\x80\x01"},
      {300, "\xac\x02"},
      {16383, "\xff\x7f"},
      {16384, "\x80\x80\x01"},
      {2147483647, "\xff\xff\xff\xff\x07"},
  };
  for (const auto& c : cases) {
    std::string bytes;
    AppendVarint(bytes, static_cast<std::uint64_t>(c.value));
    EXPECT_EQ(bytes, c.bytes) << c.value;
    EXPECT_EQ(VarintSize(static_cast<std::uint64_t>(c.value)), c.bytes.size());
    std::int32_t value = -1;
    EXPECT_EQ(Decode32(bytes + "rest", &value), c.bytes.size());
    EXPECT_EQ(value, c.value);
    for (std::size_t cut = 0; cut < bytes.size(); ++cut) EXPECT_EQ(Decode32(bytes.substr(0, cut), &value), 0u);
  }
}

TEST(Varint, RefusesLongAndLarge32) {
  std::int32_t value = 7;
  EXPECT_EQ(Decode32("\x80\x80\x80\x80\x08", &value), 0u);                      // 2^31
  EXPECT_EQ(Decode32("\xff\xff\xff\xff\x7f", &value), 0u);                      // 2^35 - 1
  EXPECT_EQ(Decode32(std::string("\x80\x80\x80\x80\x80\x00", 6), &value), 0u);  // 0 in 6 bytes
  EXPECT_EQ(Decode32(std::string("\x80\x80\x80\x80\x00", 5), &value), 5u);      // 0 in 5 bytes is legal
  EXPECT_EQ(value, 0);
}

TEST(Varint, Numbers64) {
  const std::string all_ones = "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01";
  std::string bytes;
  AppendVarint(bytes, static_cast<std::uint64_t>(-1));
  EXPECT_EQ(bytes, all_ones);
  std::uint64_t value = 0;
  EXPECT_EQ(DecodeVarint64(AsBytes(all_ones), &value), 10u);
  EXPECT_EQ(value, static_cast<std::uint64_t>(-1));
  EXPECT_EQ(DecodeVarint64(AsBytes("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02"), &value), 0u);
  EXPECT_EQ(DecodeVarint64(AsBytes("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01"), &value), 0u);
}

TEST(ByteWriter, BigEndian) {
  std::string bytes;
  AppendInt32(bytes, 0x01020304);
  AppendInt32(bytes, -2);
  AppendInt64(bytes, 0x0102030405060708);
  EXPECT_EQ(bytes, std::string("\x01\x02\x03\x04\xff\xff\xff\xfe\x01\x02\x03\x04\x05\x06\x07\x08"));
}

}  // namespace
}  // namespace lakestream
