#include "codec/utf8.h"

#include <gtest/gtest.h>

#include <string>

namespace lakestream {
namespace {

TEST(Utf8, TakesTheFirstAndLastCharacterOfEachLength) {
  for (const std::string_view good : {std::string_view("\0", 1), std::string_view("\x7f"), std::string_view("\xc2\x80"),
                                      std::string_view("\xdf\xbf"), std::string_view("\xe0\xa0\x80"),
                                      std::string_view("\xed\x9f\xbf"), std::string_view("\xee\x80\x80"),
                                      std::string_view("\xef\xbf\xbf"), std::string_view("\xf0\x90\x80\x80"),
                                      std::string_view("\xf4\x8f\xbf\xbf")}) {
    EXPECT_EQ(Utf8Length(good), good.size()) << Printable(good);
    EXPECT_TRUE(IsUtf8(good));
    EXPECT_TRUE(IsUtf8("a" + std::string(good) + "b"));
  }
  EXPECT_TRUE(IsUtf8(""));
  EXPECT_EQ(Utf8Length(""), 0u);
}

TEST(Utf8, RefusesWhatRfc3629Refuses) {
  for (const std::string_view bad :
       {"\x80", "\xbf", "\xc0\x80", "\xc1\xbf", "\xc2", "\xc2\x41", "\xe0\x9f\xbf", "\xe1\x80", "\xed\xa0\x80",
        "\xed\xbf\xbf", "\xf0\x8f\xbf\xbf", "\xf1\x80\x80", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff"}) {
    EXPECT_EQ(Utf8Length(bad), 0u) << Printable(bad);
    EXPECT_FALSE(IsUtf8(bad)) << Printable(bad);
    EXPECT_FALSE(IsUtf8("ab" + std::string(bad)));
  }
}

TEST(Utf8, PrintableHidesNothingAndObeysNothing) {
  EXPECT_EQ(Printable("plain \xc3\xa9 \xe2\x82\xac"), "plain \xc3\xa9 \xe2\x82\xac");
  EXPECT_EQ(Printable("\x1b[2J\n"), "\\x1b[2J\\x0a");
  EXPECT_EQ(Printable(std::string_view("\0\x7f\xc2\x9b", 4)), "\\x00\\x7f\\xc2\\x9b");
  EXPECT_EQ(Printable("a\xff\xc3"), "a\\xff\\xc3");
}

}  // namespace
}  // namespace lakestream
