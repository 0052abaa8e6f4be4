#include "codec/crc32c.h"

#include <array>
#include <cstring>

namespace lakestream {

namespace {

constexpr std::uint32_t kPolynomial = 0x82f63b78;  // reflected

using Table = std::array<std::array<std::uint32_t, 256>, 8>;

constexpr Table MakeTable() {
  Table table{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    std::uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ ((crc & 1) != 0 ? kPolynomial : 0);
    table[0][i] = crc;
  }
  for (std::size_t k = 1; k < 8; ++k) {
    for (std::size_t i = 0; i < 256; ++i) table[k][i] = table[k - 1][i] >> 8 ^ table[0][table[k - 1][i] & 0xff];
  }
  return table;
}
constexpr Table kTable = MakeTable();

// A checksum is a polynomial over GF(2) modulo kPolynomial, its highest power in the lowest bit. A byte that follows
// multiplies it by x^8.
constexpr std::uint32_t kOne = 0x80000000;

constexpr std::uint32_t Multiply(std::uint32_t a, std::uint32_t b) {
  std::uint32_t product = 0;
  for (std::uint32_t bit = kOne; bit != 0; bit >>= 1) {
    if ((a & bit) != 0) product ^= b;
    b = b >> 1 ^ ((b & 1) != 0 ? kPolynomial : 0);
  }
  return product;
}

/// x^(8 * 2^k) at k.
constexpr std::array<std::uint32_t, 64> MakePowers() {
  std::array<std::uint32_t, 64> powers{};
  powers[0] = kOne >> 8;
  for (std::size_t k = 1; k < powers.size(); ++k) powers[k] = Multiply(powers[k - 1], powers[k - 1]);
  return powers;
}
constexpr std::array<std::uint32_t, 64> kPowers = MakePowers();

#if defined(__x86_64__)
/// Multiplies by x^(8 * bytes), a byte of the checksum at a time.
using ShiftTable = std::array<std::array<std::uint32_t, 256>, 4>;

constexpr ShiftTable MakeShiftTable(std::uint64_t bytes) {
  std::uint32_t power = kOne;
  for (std::size_t k = 0; bytes != 0; ++k, bytes >>= 1) {
    if ((bytes & 1) != 0) power = Multiply(power, kPowers[k]);
  }
  ShiftTable table{};
  for (std::size_t k = 0; k < 4; ++k) {
    for (std::uint32_t i = 0; i < 256; ++i) table[k][i] = Multiply(i << 8 * k, power);
  }
  return table;
}

std::uint32_t Shift(const ShiftTable& table, std::uint32_t crc) {
  return table[0][crc & 0xff] ^ table[1][crc >> 8 & 0xff] ^ table[2][crc >> 16 & 0xff] ^ table[3][crc >> 24];
}

// Bytes of one of three parts: long ones for blocks, short ones so that most of an entry of 1 KiB is covered.
constexpr std::size_t kLongPart = 4096;
constexpr std::size_t kShortPart = 336;
constexpr ShiftTable kLongShift = MakeShiftTable(kLongPart);
constexpr ShiftTable kShortShift = MakeShiftTable(kShortPart);

std::uint64_t Word(const std::uint8_t* p) {
  std::uint64_t word;
  std::memcpy(&word, p, 8);
  return word;
}

/// Takes three parts at a time as long as there are so many bytes: the instruction's answer comes after three cycles,
/// and meanwhile it can take two more.
template <std::size_t kPart>
__attribute__((target("sse4.2"))) std::uint32_t ThreeAtOnce(const ShiftTable& shift, std::uint32_t crc,
                                                            ByteSpan& bytes) {
  const std::uint8_t* p = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= 3 * kPart; left -= 3 * kPart, p += 3 * kPart) {
    std::uint64_t a = crc;
    std::uint64_t b = 0;
    std::uint64_t c = 0;
    for (std::size_t i = 0; i < kPart; i += 8) {
      a = __builtin_ia32_crc32di(a, Word(p + i));
      b = __builtin_ia32_crc32di(b, Word(p + kPart + i));
      c = __builtin_ia32_crc32di(c, Word(p + 2 * kPart + i));
    }
    crc = Shift(shift, Shift(shift, static_cast<std::uint32_t>(a)) ^ static_cast<std::uint32_t>(b)) ^
          static_cast<std::uint32_t>(c);
  }
  bytes = bytes.last(left);
  return crc;
}

__attribute__((target("sse4.2"))) std::uint32_t Crc32cSse42(ByteSpan bytes, std::uint32_t seed) {
  std::uint64_t crc = ThreeAtOnce<kLongPart>(kLongShift, ~seed, bytes);
  crc = ThreeAtOnce<kShortPart>(kShortShift, static_cast<std::uint32_t>(crc), bytes);
  const std::uint8_t* p = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= 8; left -= 8, p += 8) crc = __builtin_ia32_crc32di(crc, Word(p));
  auto low = static_cast<std::uint32_t>(crc);
  for (; left > 0; --left, ++p) low = __builtin_ia32_crc32qi(low, *p);
  return ~low;
}
#endif

}  // namespace

namespace internal {

std::uint32_t Crc32cPortable(ByteSpan bytes, std::uint32_t seed) {
  std::uint32_t crc = ~seed;
  const std::uint8_t* p = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= 8; left -= 8, p += 8) {
    const std::uint32_t low = crc ^ (p[0] | p[1] << 8 | p[2] << 16 | std::uint32_t{p[3]} << 24);
    crc = kTable[7][low & 0xff] ^ kTable[6][low >> 8 & 0xff] ^ kTable[5][low >> 16 & 0xff] ^
          kTable[4][low >> 24] ^ kTable[3][p[4]] ^ kTable[2][p[5]] ^ kTable[1][p[6]] ^ kTable[0][p[7]];
  }
  for (; left > 0; --left, ++p) crc = crc >> 8 ^ kTable[0][(crc ^ *p) & 0xff];
  return ~crc;
}

bool HasCrc32cInstruction() {
#if defined(__x86_64__)
  static const bool has = __builtin_cpu_supports("sse4.2");
  return has;
#else
  return false;
#endif
}

}  // namespace internal

std::uint32_t Crc32c(ByteSpan bytes, std::uint32_t seed) {
#if defined(__x86_64__)
  if (internal::HasCrc32cInstruction()) return Crc32cSse42(bytes, seed);
#endif
  return internal::Crc32cPortable(bytes, seed);
}

std::uint32_t Crc32cCombine(std::uint32_t first, std::uint32_t second, std::uint64_t second_bytes) {
  for (std::size_t k = 0; second_bytes != 0; ++k, second_bytes >>= 1) {
    if ((second_bytes & 1) != 0) first = Multiply(first, kPowers[k]);
  }
  return first ^ second;
}

}  // namespace lakestream
