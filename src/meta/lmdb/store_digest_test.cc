#include "meta/lmdb/store_digest.h"

#include <gtest/gtest.h>

#include <string>

namespace lakestream {
namespace {

using namespace std::string_literals;

TEST(StoreDigestTest, HashesAreThoseOfTheFormat) {
  StoreDigest digest;
  digest.Add("\0\0k"s, "value");
  EXPECT_EQ(digest.sum, 0x74a391af2b2e20baU);
  digest.Add("\0\x01/a"s, "");
  EXPECT_EQ(digest.sum, 0x4aec68a56a487395U);
  std::string value;
  for (int i = 0; i < 100; ++i) value += static_cast<char>(i);
  digest.Add("key", value);
  EXPECT_EQ(digest, (StoreDigest{3, 0x0ba7f2b0df974434U}));
  digest.Remove("\0\0k"s, "value");
  digest.Remove("key", value);
  EXPECT_EQ(digest, (StoreDigest{1, 0xd648d6f63f1a52dbU}));
}

TEST(StoreDigestTest, OrderDoesNotCountAndPlacesDo) {
  StoreDigest one;
  one.Add("a", "1");
  one.Add("b", "2");
  StoreDigest other;
  other.Add("b", "2");
  other.Add("a", "1");
  EXPECT_EQ(one, other);
  StoreDigest swapped;
  swapped.Add("a", "2");
  swapped.Add("b", "1");
  EXPECT_NE(one, swapped);
}

}  // namespace
}  // namespace lakestream
