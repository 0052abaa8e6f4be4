#include "parquet/rle_runs.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "base/testing/bytes.h"

namespace lakestream {
namespace {

std::optional<std::vector<std::uint32_t>> Decode(const std::string& hex, int width, std::int64_t count) {
  const std::string bytes = Hex(hex);
  std::vector<std::uint32_t> values;
  const bool whole = ReadRleRuns(AsBytes(bytes), width, count, [&](std::uint32_t value, std::int64_t times) {
    values.insert(values.end(), static_cast<std::size_t>(times), value);
    return true;
  });
  if (!whole) return std::nullopt;
  return values;
}

using Values = std::vector<std::uint32_t>;

TEST(RleRuns, ReadsTheExampleOfTheFormat) {
  // The numbers 0 to 7 with three bits each, as Parquet's own description packs them.
  EXPECT_EQ(Decode("03 88c6fa", 3, 8), (Values{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(Decode("03 88c6fa", 3, 5), (Values{0, 1, 2, 3, 4}));
}

TEST(RleRuns, ReadsRunsOfEachWidth) {
  EXPECT_EQ(Decode("06 01", 1, 3), (Values{1, 1, 1}));
  EXPECT_EQ(Decode("04 0201", 9, 2), (Values{0x102, 0x102}));
  EXPECT_EQ(Decode("02 ffffffff", 32, 1), (Values{0xffffffff}));
  EXPECT_EQ(Decode("06", 0, 3), (Values{0, 0, 0}));
  EXPECT_EQ(Decode("03", 0, 8), (Values(8, 0)));
  EXPECT_EQ(Decode("", 5, 0), Values{});
}

TEST(RleRuns, GoesFromRunToRun) {
  EXPECT_EQ(Decode("04 01 03 0f 02 00", 1, 11), (Values{1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0}));
  // Sixteen packed numbers of 32 bits, of which the last is wanted too.
  std::string packed = "05";
  Values expected;
  for (std::uint32_t i = 0; i < 16; ++i) {
    packed += "0000" + ToHex(std::string(1, static_cast<char>(i))) + "ff";
    expected.push_back(i << 16 | 0xff000000);
  }
  EXPECT_EQ(Decode(packed, 32, 16), expected);
}

TEST(RleRuns, RefusesWhatIsTooShortOrOutOfRange) {
  EXPECT_EQ(Decode("", 1, 1), std::nullopt);
  EXPECT_EQ(Decode("80", 1, 1), std::nullopt);
  EXPECT_EQ(Decode("06", 1, 3), std::nullopt);
  EXPECT_EQ(Decode("06 01", 1, 4), std::nullopt);
  EXPECT_EQ(Decode("06 02", 1, 3), std::nullopt);
  EXPECT_EQ(Decode("03 88c6", 3, 8), std::nullopt);
  EXPECT_EQ(Decode("00 01 06 01", 1, 3), std::nullopt);
  EXPECT_EQ(Decode("01 06 01", 1, 3), std::nullopt);
  EXPECT_EQ(Decode("80808080808080808001 01", 1, 3), std::nullopt);
}

TEST(RleRuns, EndsWhereItIsToldTo) {
  const std::string bytes = Hex("fefffff71f 01");
  std::int64_t seen = 0;
  EXPECT_TRUE(ReadRleRuns(AsBytes(bytes), 1, std::int64_t{1} << 40, [&](std::uint32_t, std::int64_t times) {
                seen += times;
                return false;
              }) == false);
  EXPECT_GT(seen, std::int64_t{1} << 31);
}

}  // namespace
}  // namespace lakestream
