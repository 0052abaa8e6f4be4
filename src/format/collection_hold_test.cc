#include "format/collection_hold.h"

#include <gtest/gtest.h>

namespace lakestream {
namespace {

const char kGolden[] = "{\"reason\":\"metadata restored from a copy of 2026-11-30T10:02:23.954Z\"}";

TEST(CollectionHoldTest, Keys) {
  EXPECT_EQ(CollectionHoldKey("restore-1796032943954"), "/lakestream/holds/restore-1796032943954");
  EXPECT_EQ(HoldOfKey("/lakestream/holds/restore-1796032943954"), "restore-1796032943954");
  for (const char* key : {"/lakestream/holds/", "/lakestream/holds/A", "/lakestream/holds/a/b", "/lakestream/hold/a"}) {
    EXPECT_EQ(HoldOfKey(key), std::nullopt) << key;
  }
  EXPECT_FALSE(CheckHoldName(std::string(101, 'a')).ok());
  EXPECT_TRUE(CheckHoldName(std::string(100, 'a')).ok());
}

TEST(CollectionHoldTest, Golden) {
  CollectionHold hold;
  hold.reason = "metadata restored from a copy of 2026-11-30T10:02:23.954Z";
  EXPECT_EQ(*EncodeCollectionHold(hold), kGolden);
  EXPECT_EQ(*DecodeCollectionHold(kGolden, "k"), hold);
}

TEST(CollectionHoldTest, KeepsWhatItDoesNotKnow) {
  const std::string value = "{\"reason\":\"r\",\"until\":7}";
  EXPECT_EQ(*EncodeCollectionHold(*DecodeCollectionHold(value, "k")), value);
}

TEST(CollectionHoldTest, RefusesOtherValues) {
  for (const char* value : {"", "{}", "{\"reason\":\"\"}", "{\"reason\":7}", "[]"}) {
    const Status status = DecodeCollectionHold(value, "k").status();
    EXPECT_EQ(status.code(), StatusCode::kCorrupt) << value;
    EXPECT_NE(status.message().find("object=k"), std::string_view::npos) << value;
  }
  EXPECT_EQ(EncodeCollectionHold(CollectionHold()).status().code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace lakestream
