#include "format/index_key.h"

#include <gtest/gtest.h>

#include <string>

#include "format/testing/bytes.h"

namespace lakestream {
namespace {

constexpr std::int64_t kMax = kMaxIndexKeyNumber;

TEST(IndexKey, KnownKeys) {
  const struct {
    IndexKey key;
    std::string text;
  } cases[] = {
      {{LogId(7), Offset(3), 0}, "00000000000000000007-00000000000000000003-00000000000000000000"},
      {{LogId(7), Offset(5), 0}, "00000000000000000007-00000000000000000005-00000000000000000000"},
      {{LogId(7), Offset(3), 8}, "00000000000000000007-00000000000000000003-00000000000000000008"},
      {{LogId(kMax), Offset(kMax), kMax}, "09223372036854775807-09223372036854775807-09223372036854775807"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(c.key.Encode(), c.text);
    EXPECT_EQ(c.text.size(), kIndexKeySize);
    const Result<IndexKey> decoded = IndexKey::Decode(c.text);
    ASSERT_TRUE(decoded.ok());
    EXPECT_EQ(*decoded, c.key);
  }
}

TEST(IndexKey, RefusesOtherForms) {
  const std::string good = "00000000000000000007-00000000000000000003-00000000000000000008";
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = good[i] == '-' ? '0' : '-';
    const Result<IndexKey> decoded = IndexKey::Decode(bad);
    ASSERT_FALSE(decoded.ok()) << i;
    ExpectStatus(decoded.status(), StatusCode::kCorrupt,
                 {"object=" + bad, "field=", "offset=" + std::to_string(i)});
    EXPECT_FALSE(IndexKey::Decode(good.substr(0, i)).ok());
  }
  ExpectStatus(IndexKey::Decode(good + "0").status(), StatusCode::kCorrupt, {"field=key"});
  ExpectStatus(IndexKey::Decode("00000000000000000007-09223372036854775808-00000000000000000008").status(),
               StatusCode::kCorrupt, {"field=end_offset", "offset=21", "2^63-1"});
  ExpectStatus(IndexKey::Decode("99999999999999999999-00000000000000000003-00000000000000000008").status(),
               StatusCode::kCorrupt, {"field=log_id"});
  ExpectStatus(IndexKey::Decode("00000000000000000007-00000000000000000003-18446744073709551616").status(),
               StatusCode::kCorrupt, {"field=cumulative_size"});
}

TEST(IndexKey, PrefixCheckTellsLogsApart) {
  EXPECT_EQ(IndexKeyPrefix(LogId(42)), "00000000000000000042");
  const std::string key = IndexKey{LogId(42), Offset(9), 100}.Encode();
  EXPECT_TRUE(IsIndexKeyOf(key, LogId(42)));
  EXPECT_FALSE(IsIndexKeyOf(key, LogId(43)));
  EXPECT_FALSE(IsIndexKeyOf(IndexKeyPrefix(LogId(42)), LogId(42)));
  EXPECT_FALSE(IsIndexKeyOf("000000000000000000420", LogId(42)));
  EXPECT_FALSE(IsIndexKeyOf("compact-offset-00000000000000000042", LogId(42)));
  EXPECT_FALSE(IsIndexKeyOf("", LogId(0)));
}

TEST(IndexKey, BoundsSortAsTheSpecificationSays) {
  const LogId log(7);
  const std::string at5 = IndexKey{log, Offset(5), 123}.Encode();
  const std::string at6 = IndexKey{log, Offset(6), 124}.Encode();
  EXPECT_LE(IndexKeyFloorOf(log, Offset(5)), at5);
  EXPECT_GT(IndexKeyCeilingOf(log, Offset(5)), at5);
  EXPECT_LT(IndexKeyCeilingOf(log, Offset(5)), at6);
  EXPECT_LT(FirstIndexKey(log), at5);
  EXPECT_GT(LastIndexKey(log), at6);
  EXPECT_LT(LastIndexKey(log), FirstIndexKey(LogId(8)));
  EXPECT_EQ(IndexKeyCeilingOf(log, Offset(5)),
            "00000000000000000007-00000000000000000005-09223372036854775807");
  EXPECT_EQ(FirstIndexKey(log), "00000000000000000007-00000000000000000000-00000000000000000000");
  EXPECT_EQ(LastIndexKey(log), "00000000000000000007-09223372036854775807-09223372036854775807");
}

TEST(IndexKeyDeathTest, NegativeNumbers) {
  EXPECT_DEATH((void)IndexKeyPrefix(LogId(-1)), "not negative");
  EXPECT_DEATH((void)IndexKeyFloorOf(LogId(1), Offset(-1)), "not negative");
}

}  // namespace
}  // namespace lakestream
