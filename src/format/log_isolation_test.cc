#include "format/log_isolation.h"

#include <gtest/gtest.h>

namespace lakestream {
namespace {

TEST(LogIsolation, KeyOfALog) {
  EXPECT_EQ(LogIsolationKey(LogId(42)), "/lakestream/isolated/42");
  EXPECT_EQ(LogOfIsolationKey("/lakestream/isolated/42"), LogId(42));
  EXPECT_EQ(LogOfIsolationKey("/lakestream/isolated/0"), LogId(0));
  for (const char* key : {"", "/lakestream/isolated", "/lakestream/isolated/", "/lakestream/isolated/042",
                          "/lakestream/isolated/-1", "/lakestream/isolated/4/2", "/lakestream/isolated/9223372036854775808",
                          "/lakestream/holds/42"}) {
    EXPECT_EQ(LogOfIsolationKey(key), std::nullopt) << key;
  }
}

TEST(LogIsolation, AllKeysLieInTheirBounds) {
  const KeyBounds all = LogIsolationKeys();
  for (const LogId log : {LogId(0), LogId(9223372036854775807)}) {
    EXPECT_LE(all.first, LogIsolationKey(log));
    EXPECT_LT(LogIsolationKey(log), all.end);
  }
}

}  // namespace
}  // namespace lakestream
