#include "codec/crc32c.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace lakestream {
namespace {

std::string Ramp(int from, int step) {
  std::string bytes;
  for (int i = 0; i < 32; ++i) bytes += static_cast<char>(from + i * step);
  return bytes;
}

// RFC 3720, B.4, and the customary check value.
TEST(Crc32c, KnownVectors) {
  const struct {
    std::string bytes;
    std::uint32_t crc;
  } cases[] = {
      {"", 0},
      {"123456789", 0xe3069283},
      {std::string(32, '\0'), 0x8a9136aa},
      {std::string(32, '\xff'), 0x62a8ab43},
      {Ramp(0, 1), 0x46dd794e},
      {Ramp(31, -1), 0x113fdb5c},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(Crc32c(AsBytes(c.bytes)), c.crc);
    EXPECT_EQ(internal::Crc32cPortable(AsBytes(c.bytes), 0), c.crc);
  }
}

TEST(Crc32c, SeedContinuesAndBothFormsAgree) {
  std::string bytes;
  for (int i = 0; i < 300; ++i) bytes += static_cast<char>(i * 7 + i / 3);
  for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
    const ByteSpan head = AsBytes(bytes).first(cut);
    const ByteSpan tail = AsBytes(bytes).subspan(cut);
    EXPECT_EQ(Crc32c(tail, Crc32c(head)), Crc32c(AsBytes(bytes))) << cut;
    EXPECT_EQ(internal::Crc32cPortable(tail, internal::Crc32cPortable(head, 0)), Crc32c(AsBytes(bytes))) << cut;
  }
}

TEST(Crc32c, BothFormsAgreeOnLongInput) {
  // Around the sizes at which the instruction takes three parts at a time, and at any alignment.
  std::string bytes;
  for (int i = 0; i < 3 * 3 * 4096; ++i) bytes += static_cast<char>(i * 13 + i / 251);
  for (const std::size_t size : {1007, 1008, 1009, 1024, 2015, 2016, 12287, 12288, 12289, 13296, 24576, 36863}) {
    for (const std::size_t from : {0, 1, 7}) {
      const ByteSpan part = AsBytes(bytes).subspan(from).first(std::min(size, bytes.size() - from));
      EXPECT_EQ(Crc32c(part, 0x12345678), internal::Crc32cPortable(part, 0x12345678)) << size << " from " << from;
    }
  }
  EXPECT_EQ(Crc32c(AsBytes(std::string(1 << 16, '\0'))), 0x72c0c4a4u);
  EXPECT_EQ(Crc32c(AsBytes(std::string(1 << 16, 'x'))), 0x165c0103u);
}

TEST(Crc32c, CombineKnownVectors) {
  EXPECT_EQ(Crc32cCombine(0xf63af4ee, 0x83b565d8, 5), 0xe3069283u);  // "1234", "56789"
  EXPECT_EQ(Crc32cCombine(0, 0xe3069283, 9), 0xe3069283u);           // nothing before it
  EXPECT_EQ(Crc32cCombine(0xe3069283, 0, 0), 0xe3069283u);           // nothing behind it
  // Behind it 64 KiB of zeros, whose own checksum is 72c0c4a4.
  EXPECT_EQ(Crc32cCombine(0xc1d04330, 0x72c0c4a4, 1 << 16), 0x933b8ad3u);  // "a"
  EXPECT_EQ(Crc32cCombine(0x46dd794e, 0x72c0c4a4, 1 << 16), 0x210faa00u);  // 0, 1, ... 31
  EXPECT_EQ(Crc32cCombine(0x165c0103, 0x165c0103, 1 << 16), 0x949a96abu);  // 64 KiB of "x", twice
}

TEST(Crc32c, CombineOfLargeSizes) {
  // The powers of x repeat after 2^31 - 1: a multiple of that moves nothing.
  for (const std::uint64_t bytes : {(1ull << 31) - 1, (1ull << 62) - 1, ((1ull << 31) - 1) * 5}) {
    EXPECT_EQ(Crc32cCombine(0xe3069283, 0, bytes), 0xe3069283u) << bytes;
    EXPECT_EQ(Crc32cCombine(0xf63af4ee, 0x83b565d8, bytes + 5), 0xe3069283u) << bytes;
  }
  EXPECT_NE(Crc32cCombine(0xe3069283, 0, 1ull << 31), 0xe3069283u);
}

TEST(Crc32c, CombineAgreesWithTheDirectComputation) {
  std::string bytes;
  for (int i = 0; i < 5000; ++i) bytes += static_cast<char>(i * 31 + i / 7);
  for (std::size_t cut = 0; cut <= bytes.size(); cut += cut < 300 ? 1 : 97) {
    const std::uint32_t head = Crc32c(AsBytes(bytes).first(cut));
    const std::uint32_t tail = Crc32c(AsBytes(bytes).subspan(cut));
    EXPECT_EQ(Crc32cCombine(head, tail, bytes.size() - cut), Crc32c(AsBytes(bytes))) << cut;
  }
}

TEST(Crc32c, InstructionIsUsedWhereThereIsOne) {
#if defined(__x86_64__)
  EXPECT_EQ(internal::HasCrc32cInstruction(), __builtin_cpu_supports("sse4.2") != 0);
#else
  EXPECT_FALSE(internal::HasCrc32cInstruction());
#endif
}

}  // namespace
}  // namespace lakestream
