#include "codec/fastpfor.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace lakestream {
namespace {

using Words = std::vector<std::uint32_t>;
using Ints = std::vector<std::int32_t>;

Ints Iota(std::int32_t n) {
  Ints values;
  for (std::int32_t i = 1; i <= n; ++i) values.push_back(i);
  return values;
}

Ints Sums(const Ints& deltas) {
  Ints values;
  std::int32_t sum = 0;
  for (const std::int32_t delta : deltas) values.push_back(sum += delta);
  return values;
}

void ExpectBothWays(const Ints& values, const Words& words) {
  EXPECT_EQ(FastPforEncode(values), words);
  const Result<Ints> decoded = FastPforDecode(words, values.size());
  ASSERT_TRUE(decoded.ok()) << decoded.status().ToString();
  EXPECT_EQ(*decoded, values);
}

TEST(FastPfor, WordsOfTheSpecification) {
  ExpectBothWays({2, 3}, {2, 0, 0x8182});
  ExpectBothWays(Iota(40), {0x28, 1, 0xffffffff, 0x81818181, 0x81818181});
}

TEST(FastPfor, KnownWords) {
  ExpectBothWays({}, {0});
  ExpectBothWays({10, 20}, {2, 0, 0x8a8a});
  ExpectBothWays({127, 255, 16639}, {3, 0, 0x008100ff, 0x00008100});
  ExpectBothWays({300, 500, 20500}, {3, 0, 0x8148822c, 0x00811c20});
  Words w31 = {0x1f, 0};
  w31.insert(w31.end(), 7, 0x81818181);
  w31.push_back(0x00818181);
  ExpectBothWays(Iota(31), w31);
  ExpectBothWays(Iota(32), {0x20, 1, 0xffffffff});
  ExpectBothWays(Iota(33), {0x21, 1, 0xffffffff, 0x81});
  ExpectBothWays(Iota(128), {0x80, 0x01010101, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff});
  ExpectBothWays(Iota(129), {0x81, 0x01010101, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0x81});
}

TEST(FastPfor, KnownWordsOfMixedWidths) {
  Ints deltas;
  for (std::int32_t i = 0; i < 70; ++i) deltas.push_back(i % 7 + 1);
  ExpectBothWays(Sums(deltas), {0x46, 3, 0x1a3f58d1, 0xfd6347eb, 0x8d1fac68, 3, 0x7eb1a3f5, 0xc68fd634,
                                0x3f58d1fa, 0x85848382, 0x00008786});
  deltas.clear();
  for (const std::int32_t delta : {1, 3, 5, 200, 7}) deltas.insert(deltas.end(), 32, delta);
  deltas.insert(deltas.end(), 3, 9);
  Words words = {0xa3, 0x01020308, 0xffffffff, 0xffffffff, 0xffffffff, 0x6db6db6d, 0xdb6db6db, 0xb6db6db6};
  words.insert(words.end(), 8, 0xc8c8c8c8);
  words.insert(words.end(), {3, 0xffffffff, 0xffffffff, 0xffffffff, 0x00898989});
  ExpectBothWays(Sums(deltas), words);
}

// A block whose deltas need 32 bits holds the values themselves: unsorted input shows the difference.
TEST(FastPfor, WidthOf32HoldsRawValues) {
  Ints values = Iota(32);
  values[5] = -7;
  Words words = {32, 32};
  for (const std::int32_t value : values) words.push_back(static_cast<std::uint32_t>(value));
  ExpectBothWays(values, words);
}

std::string ReadGzip(const std::string& path) {
  gzFile file = gzopen(path.c_str(), "rb");
  if (file == nullptr) return "";
  std::string text;
  char chunk[65536];
  for (int n; (n = gzread(file, chunk, sizeof chunk)) > 0;) text.append(chunk, static_cast<std::size_t>(n));
  gzclose(file);
  return text;
}

// "count value value ..." of signed or unsigned 32-bit numbers.
template <class T>
std::vector<T> ParseLine(std::string_view line, std::size_t* head) {
  std::vector<T> numbers;
  std::size_t at = 0;
  bool first = true;
  while (at < line.size()) {
    const std::size_t end = std::min(line.find(' ', at), line.size());
    const long long number = std::stoll(std::string(line.substr(at, end - at)));
    if (first) *head = static_cast<std::size_t>(number);
    if (!first) numbers.push_back(static_cast<T>(number));
    first = false;
    at = end + 1;
  }
  return numbers;
}

// Made by JavaFastPFOR 0.2.1 itself: a line "0 n values" and a line "count words" for each case.
TEST(FastPfor, VectorsOfTheJavaLibrary) {
  const std::string text = ReadGzip(LAKESTREAM_SOURCE_DIR "/src/codec/testdata/fastpfor-java-vectors.txt.gz");
  int cases = 0;
  for (std::size_t at = 0; at < text.size(); ++cases) {
    const std::size_t middle = text.find('\n', at);
    const std::size_t end = text.find('\n', middle + 1);
    ASSERT_NE(end, std::string::npos);
    std::size_t kind = 0;
    std::size_t count = 0;
    Ints values = ParseLine<std::int32_t>(std::string_view(text).substr(at, middle - at), &kind);
    const Words words =
        ParseLine<std::uint32_t>(std::string_view(text).substr(middle + 1, end - middle - 1), &count);
    ASSERT_FALSE(values.empty());
    ASSERT_EQ(values.size(), static_cast<std::size_t>(values[0]) + 1) << "case " << cases;
    values.erase(values.begin());
    ASSERT_EQ(words.size(), count) << "case " << cases;
    ASSERT_EQ(FastPforEncode(values), words) << "case " << cases;
    const Result<Ints> decoded = FastPforDecode(words, values.size());
    ASSERT_TRUE(decoded.ok()) << "case " << cases << ": " << decoded.status().ToString();
    ASSERT_EQ(*decoded, values) << "case " << cases;
    at = end + 1;
  }
  EXPECT_EQ(cases, 216);
}

void ExpectCorrupt(const Words& words, std::size_t max_values, std::string_view says) {
  const Result<Ints> decoded = FastPforDecode(words, max_values);
  ASSERT_FALSE(decoded.ok()) << says;
  EXPECT_EQ(decoded.status().code(), StatusCode::kCorrupt);
  EXPECT_NE(decoded.status().message().find(says), std::string::npos) << decoded.status().ToString();
}

TEST(FastPfor, RefusesWhatTheEncoderNeverWrites) {
  ExpectCorrupt({}, 10, "field=length word=0");
  ExpectCorrupt({0, 0}, 10, "more words");
  ExpectCorrupt({2, 0, 0x8182, 0}, 10, "more words");
  ExpectCorrupt({3, 0, 0x8182}, 10, "field=tail");  // the padding is no third delta
  ExpectCorrupt({3, 0, 0x8182}, 2, "more than allowed");
  ExpectCorrupt({2, 1, 0x8182}, 10, "another marker");
  ExpectCorrupt({2}, 10, "field=marker");
  ExpectCorrupt({2, 0}, 10, "field=tail");
  ExpectCorrupt({2, 0, 0x018182}, 10, "padded");
  ExpectCorrupt({1, 0, 0x01010101, 0x90}, 10, "more than 32 bits");  // bit 4 of the fifth byte
  ExpectCorrupt({1, 0, 0x01010101, 0x8101}, 10, "more than 5 bytes");
  ExpectCorrupt({1, 0, 0x8001}, 10, "longer than needed");
  ExpectCorrupt({32}, 32, "field=header");
  ExpectCorrupt({32, 33}, 32, "block width is above 32");
  ExpectCorrupt({128, 0x00210000}, 128, "block width is above 32");
  ExpectCorrupt({32, 2, 0x55555555}, 32, "field=block");
  ExpectCorrupt({32, 2, 0x55555555, 0x55555555}, 32, "wider than its deltas");
  ExpectCorrupt({32, 32}, 32, "field=block");
}

// A block of width 0 takes no words, so the length word alone could ask for any amount of memory.
TEST(FastPfor, LengthThatLiesAllocatesNothing) {
  constexpr std::size_t kAny = std::numeric_limits<std::size_t>::max();
  ExpectCorrupt({0x7fffffff, 0, 0}, kAny, "fewer than their length says");
  ExpectCorrupt({0x80000000, 0, 0}, kAny, "more than allowed");
  ExpectCorrupt({0xffffffff, 0, 0}, kAny, "more than allowed");
  const Result<Ints> zeros = FastPforDecode(Words{256, 0, 0}, 256);
  ASSERT_TRUE(zeros.ok());
  EXPECT_EQ(*zeros, Ints(256, 0));
}

// Whatever decodes is exactly what the encoder writes for the values.
TEST(FastPfor, DamagedWordsAreRefusedOrCanonical) {
  Ints deltas;
  for (std::int32_t i = 0; i < 32 * 5 + 7; ++i) deltas.push_back(i * 37 % 900 + 1);
  const Words good = FastPforEncode(Sums(deltas));
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_FALSE(FastPforDecode(std::span(good).first(size), deltas.size()).ok()) << size;
  }
  int accepted = 0;
  for (std::size_t bit = 0; bit < good.size() * 32; ++bit) {
    Words damaged = good;
    damaged[bit / 32] ^= std::uint32_t{1} << (bit % 32);
    const Result<Ints> decoded = FastPforDecode(damaged, 10 * deltas.size());
    if (!decoded.ok()) continue;
    ++accepted;
    ASSERT_EQ(FastPforEncode(*decoded), damaged) << bit;
  }
  EXPECT_GT(accepted, 100);
}

}  // namespace
}  // namespace lakestream
