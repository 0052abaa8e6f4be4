#include "objstore/local/object_checksum.h"

#include <gtest/gtest.h>

#include "codec/crc32c.h"

namespace lakestream {
namespace {

constexpr std::uint64_t kKiB = 1 << 10;

std::string Pattern(std::uint64_t size) {
  std::string bytes(size, '\0');
  std::uint32_t state = 1;
  for (char& c : bytes) {
    state = state * 1664525 + 1013904223;
    c = static_cast<char>(state >> 24);
  }
  return bytes;
}

ObjectChecksum Of(const std::string& bytes, std::size_t piece) {
  ChecksumBuilder builder;
  for (std::size_t at = 0; at < bytes.size(); at += piece) builder.Append(AsBytes(bytes.substr(at, piece)));
  return builder.Finish();
}

TEST(ObjectChecksum, KnownTexts) {
  EXPECT_EQ(Of("", 1).Text(), "00000000");
  EXPECT_EQ(Of("123456789", 2).Text(), "e3069283");
  EXPECT_EQ(Of(std::string(64 * kKiB, 'x'), 1000).Text(), "165c0103");
  EXPECT_EQ(Of(std::string(64 * kKiB, 'x') + "y", 1000).Text(), "48117365:65537:65536:165c01035b57dc90");
  EXPECT_EQ(Of(std::string(128 * kKiB, 'x'), 100'000).Text(), "949a96ab:131072:65536:165c0103165c0103");
}

TEST(ObjectChecksum, EveryBlockHasItsOwn) {
  // (size, block size): at most 256 blocks, so that the text stays small.
  const std::pair<std::uint64_t, std::uint64_t> cases[] = {
      {1, 0},
      {64 * kKiB, 0},
      {64 * kKiB + 1, 64 * kKiB},
      {3'000'023, 64 * kKiB},
      {256 * 64 * kKiB - 1, 64 * kKiB},
      {256 * 64 * kKiB, 64 * kKiB},
      {256 * 64 * kKiB + 1, 128 * kKiB},
      {256 * 128 * kKiB + 77, 256 * kKiB},
  };
  const std::string all = Pattern(256 * 128 * kKiB + 77);
  for (const auto& [size, block_bytes] : cases) {
    const std::string bytes = all.substr(0, size);
    const ObjectChecksum checksum = Of(bytes, size);
    EXPECT_EQ(checksum.whole, Crc32c(AsBytes(bytes))) << size;
    EXPECT_EQ(checksum.block_bytes, block_bytes) << size;
    EXPECT_EQ(checksum.size, block_bytes == 0 ? 0 : size) << size;
    EXPECT_EQ(checksum.blocks.size(), block_bytes == 0 ? 0 : (size + block_bytes - 1) / block_bytes) << size;
    for (std::size_t i = 0; i < checksum.blocks.size(); ++i) {
      EXPECT_EQ(checksum.blocks[i], Crc32c(AsBytes(bytes.substr(i * block_bytes, block_bytes)))) << size << " " << i;
    }
    EXPECT_EQ(Of(bytes, 99'991), checksum) << size;
    EXPECT_LE(checksum.Text().size(), ObjectChecksum::kMaxTextBytes) << size;
    EXPECT_EQ(ObjectChecksum::Parse(checksum.Text()), checksum) << size;
  }
}

TEST(ObjectChecksum, JoinedBlocksAreThoseOfTheBytes) {
  const std::string bytes = Pattern(5 * 64 * kKiB + 1234);
  ObjectChecksum checksum = Of(bytes, bytes.size());
  for (std::uint64_t block_bytes = 128 * kKiB; block_bytes < bytes.size(); block_bytes *= 2) {
    checksum.JoinBlocks();
    EXPECT_EQ(checksum.block_bytes, block_bytes);
    ASSERT_EQ(checksum.blocks.size(), (bytes.size() + block_bytes - 1) / block_bytes);
    for (std::size_t i = 0; i < checksum.blocks.size(); ++i) {
      EXPECT_EQ(checksum.blocks[i], Crc32c(AsBytes(bytes.substr(i * block_bytes, block_bytes)))) << i;
    }
    EXPECT_EQ(ObjectChecksum::Parse(checksum.Text()), checksum);
  }
  checksum.JoinBlocks();
  ObjectChecksum whole;
  whole.whole = Crc32c(AsBytes(bytes));
  EXPECT_EQ(checksum, whole);
}

TEST(ObjectChecksum, ParseTakesNothingElse) {
  const std::string good = "48117365:65537:65536:165c01035b57dc90";
  ASSERT_TRUE(ObjectChecksum::Parse(good).has_value());
  ASSERT_TRUE(ObjectChecksum::Parse("48117365").has_value());
  for (const std::string bad : {
           "",
           "4811736",
           "481173650",
           "4811736G",
           "4811736A",
           "48117365:",
           "48117365:65537",
           "48117365:65537:",
           "48117365:65537:65536",
           "48117365:65537:65536:",
           "48117365:65537:65536:165c0103",                  // a block too few
           "48117365:65537:65536:165c01035b57dc905b57dc90",  // one too many
           "48117365:65537:65536:165c01035b57dc9",
           "48117365:65537:65536:165c01035b57dc9X",
           "48117365:65537:65536:165c01035b57dc90:",
           "48117365:65537:65536:165c01035b57dc90\n",
           " 48117365:65537:65536:165c01035b57dc90",
           "48117365:+65537:65536:165c01035b57dc90",
           "48117365:065537:65536:165c01035b57dc90",
           "48117365:65537:065536:165c01035b57dc90",
           "48117365:65537:32768:165c01035b57dc905b57dc90",  // too small a block
           "48117365:65537:65537:165c01035b57dc90",          // no power of two
           "48117365:65537:65538:165c01035b57dc90",
           "48117365:65537:131072:165c0103",       // one block has the short form
           "48117365:65536:65536:165c0103",
           "48117365:131073:65536:165c01035b57dc90",  // three blocks
           "48117365:0:65536:",
           "48117365:65537:0:165c01035b57dc90",
           "48117365:18446744073709551616:65536:165c01035b57dc90",
           "48117365:18446744073709551615:65536:165c01035b57dc90",
       }) {
    EXPECT_FALSE(ObjectChecksum::Parse(bad).has_value()) << bad;
  }
  std::string many = "48117365:16777217:65536:";
  for (int i = 0; i < 257; ++i) many += "165c0103";
  EXPECT_FALSE(ObjectChecksum::Parse(many).has_value());
}

}  // namespace
}  // namespace lakestream
