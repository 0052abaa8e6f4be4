#include "codec/crc32c.h"

#include <gtest/gtest.h>

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

TEST(Crc32c, InstructionIsUsedWhereThereIsOne) {
#if defined(__x86_64__)
  EXPECT_EQ(internal::HasCrc32cInstruction(), __builtin_cpu_supports("sse4.2") != 0);
#else
  EXPECT_FALSE(internal::HasCrc32cInstruction());
#endif
}

}  // namespace
}  // namespace lakestream
