#include "codec/base64.h"

#include <gtest/gtest.h>

#include <string>

namespace lakestream {
namespace {

// RFC 4648, section 10.
TEST(Base64, KnownTexts) {
  const struct {
    std::string bytes;
    std::string text;
  } cases[] = {{"", ""},
               {"f", "Zg=="},
               {"fo", "Zm8="},
               {"foo", "Zm9v"},
               {"foob", "Zm9vYg=="},
               {"fooba", "Zm9vYmE="},
               {"foobar", "Zm9vYmFy"},
               {"\xfb\xff\xfe", "+//+"}};
  for (const auto& c : cases) {
    EXPECT_EQ(Base64Encode(AsBytes(c.bytes)), c.text);
    const Result<std::string> decoded = Base64Decode(c.text);
    ASSERT_TRUE(decoded.ok()) << c.text;
    EXPECT_EQ(*decoded, c.bytes);
  }
}

TEST(Base64, EveryByteRoundTrips) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
  EXPECT_EQ(*Base64Decode(Base64Encode(AsBytes(bytes))), bytes);
}

TEST(Base64, RefusesEverythingElse) {
  for (const char* text : {"Zg", "Zg=", "Zg===", "====", "Z===", "Zg==Zg==", "Zm=v", "Zm9v\n", "Zm9 ", " Zm9",
                           "Zm9-", "Zm_v", "Zh==", "Zm9=", "Zg=A"}) {
    const Result<std::string> decoded = Base64Decode(text);
    ASSERT_FALSE(decoded.ok()) << text;
    EXPECT_EQ(decoded.status().code(), StatusCode::kCorrupt);
    EXPECT_NE(decoded.status().message().find("offset="), std::string::npos);
  }
}

TEST(Base64, DecodesIntoUsedMemory) {
  std::string out = "what was there before";
  ASSERT_TRUE(Base64DecodeInto("Zm9vYg==", &out).ok());
  EXPECT_EQ(out, "foob");
  ASSERT_TRUE(Base64DecodeInto("", &out).ok());
  EXPECT_EQ(out, "");
  EXPECT_EQ(Base64DecodeInto("Zm9vYg=", &out).code(), StatusCode::kCorrupt);
  ASSERT_TRUE(Base64DecodeInto("Zm9vYmFy", &out).ok());
  EXPECT_EQ(out, "foobar");
}

}  // namespace
}  // namespace lakestream
