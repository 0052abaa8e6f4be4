#include "cli/line_splitter.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

namespace lakestream {
namespace {

constexpr std::size_t kChunk = 8;

void Feed(LineSplitter* splitter, std::string_view bytes) {
  while (!bytes.empty()) {
    const std::span<std::uint8_t> space = splitter->Space();
    ASSERT_FALSE(space.empty());
    const std::size_t count = std::min(space.size(), bytes.size());
    std::memcpy(space.data(), bytes.data(), count);
    splitter->Filled(count);
    bytes.remove_prefix(count);
  }
}

/// The lines of an input that comes in pieces of `step` bytes.
std::vector<std::string> Split(LineSplitter* splitter, std::string_view input, std::size_t step) {
  std::vector<Buffer> lines;
  const auto take = [&] {
    while (true) {
      Result<std::optional<Buffer>> line = splitter->Next();
      EXPECT_TRUE(line.ok()) << line.status().ToString();
      if (!line.ok() || !line->has_value()) return;
      lines.push_back(**line);
    }
  };
  for (std::size_t at = 0; at < input.size(); at += step) {
    Feed(splitter, input.substr(at, step));
    take();
  }
  splitter->Finish();
  take();
  // Read last, so that a chunk reused too early would show.
  std::vector<std::string> texts;
  for (const Buffer& line : lines) texts.emplace_back(line.text());
  return texts;
}

using Lines = std::vector<std::string>;

struct Case {
  std::string input;
  Lines lines;
  bool ended_in_lf;
};

TEST(LineSplitter, GivesEveryByteBack) {
  const std::string nul("a\0b", 3);
  const std::vector<Case> cases = {
      {"", {}, true},
      {"\n", {""}, true},
      {"\n\n\n", {"", "", ""}, true},
      {"a", {"a"}, false},
      {"a\n", {"a"}, true},
      {"a\r\nb\r", {"a\r", "b\r"}, false},
      {nul + "\n" + nul, {nul, nul}, false},
      {"0123456\n89abcde\nfg", {"0123456", "89abcde", "fg"}, false},
      {"01234567890123456789012345\n\nx\n", {"01234567890123456789012345", "", "x"}, true},
  };
  for (const Case& c : cases) {
    for (const std::size_t step : {1, 2, 3, 5, 7, 8, 9, 100}) {
      LineSplitter splitter(LineSplitter::Cut::kLines, 100, kChunk);
      EXPECT_EQ(Split(&splitter, c.input, step), c.lines) << c.input << " by " << step;
      EXPECT_EQ(splitter.ended_in_lf(), c.ended_in_lf) << c.input;
      EXPECT_EQ(splitter.lines(), static_cast<std::int64_t>(c.lines.size()));
    }
  }
}

TEST(LineSplitter, RefusesALineOverTheLimitByItsNumber) {
  for (const std::string_view tail : {"x", "x\n"}) {
    LineSplitter splitter(LineSplitter::Cut::kLines, 10, kChunk);
    Feed(&splitter, "0123456789\n0123456789");
    ASSERT_EQ((**splitter.Next()).text(), "0123456789");
    ASSERT_FALSE((*splitter.Next()).has_value());
    Feed(&splitter, tail);
    const Status status = splitter.Next().status();
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument);
    EXPECT_NE(status.message().find("line=2"), std::string_view::npos) << status.message();
    splitter.Finish();
    EXPECT_FALSE((*splitter.Next()).has_value());
  }
}

TEST(LineSplitter, TakesTheWholeInputAsOne) {
  for (const std::string_view input : {"", "\n", "a\nb\n", "0123456789\n0123456789"}) {
    LineSplitter splitter(LineSplitter::Cut::kWhole, 100, kChunk);
    EXPECT_EQ(Split(&splitter, input, 3), Lines{std::string(input)});
  }
}

}  // namespace
}  // namespace lakestream
