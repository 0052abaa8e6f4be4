#include "format/collection_holds.h"

#include <gtest/gtest.h>

namespace lakestream {
namespace {

const char kGolden[] =
    "{\"holds\":[{\"name\":\"restore-1796032943954\",\"reason\":\"metadata was restored\",\"created_ms\":1796032943960}]}";

CollectionHolds Two() {
  CollectionHolds holds;
  holds.holds.push_back(CollectionHold{"a", "r", 7, {}});
  holds.holds.push_back(CollectionHold{"b", "s", 8, {}});
  return holds;
}

TEST(CollectionHoldsTest, Names) {
  for (const char* name : {"", "A", "a/b", "a b"}) EXPECT_FALSE(CheckHoldName(name).ok()) << name;
  EXPECT_FALSE(CheckHoldName(std::string(101, 'a')).ok());
  EXPECT_TRUE(CheckHoldName(std::string(100, 'a')).ok());
  EXPECT_TRUE(CheckHoldName("restore-17").ok());
  EXPECT_FALSE(CheckHoldReason("").ok());
  EXPECT_FALSE(CheckHoldReason(std::string(1001, ' ')).ok());
  EXPECT_TRUE(CheckHoldReason(std::string(1000, ' ')).ok());
}

TEST(CollectionHoldsTest, Golden) {
  CollectionHolds holds;
  holds.holds.push_back(CollectionHold{"restore-1796032943954", "metadata was restored", 1796032943960, {}});
  EXPECT_EQ(EncodeCollectionHolds(holds), kGolden);
  EXPECT_EQ(*DecodeCollectionHolds(kGolden, "k"), holds);
  EXPECT_EQ(EncodeCollectionHolds(CollectionHolds()), "{\"holds\":[]}");
  EXPECT_EQ(*DecodeCollectionHolds("{\"holds\":[]}", "k"), CollectionHolds());
  EXPECT_EQ(*DecodeCollectionHolds(EncodeCollectionHolds(Two()), "k"), Two());
}

TEST(CollectionHoldsTest, KeepsWhatItDoesNotKnow) {
  const std::string value = "{\"holds\":[{\"name\":\"a\",\"reason\":\"r\",\"created_ms\":7,\"until\":8}],\"version\":2}";
  EXPECT_EQ(EncodeCollectionHolds(*DecodeCollectionHolds(value, "k")), value);
}

/// What cannot be read must not be taken for "no hold".
TEST(CollectionHoldsTest, RefusesOtherValues) {
  std::string many = "{\"holds\":[";
  for (int i = 100; i <= 200; ++i) {
    many += std::string(i > 100 ? "," : "") + "{\"name\":\"a" + std::to_string(i) + "\",\"reason\":\"r\",\"created_ms\":7}";
  }
  many += "]}";
  for (const std::string& value : std::vector<std::string>{
           "", "{}", "[]", "{\"holds\":null}", "{\"holds\":{}}", "{\"holds\":[7]}",
           "{\"holds\":[{\"name\":\"A\",\"reason\":\"r\",\"created_ms\":7}]}",
           "{\"holds\":[{\"name\":\"a\",\"reason\":\"\",\"created_ms\":7}]}",
           "{\"holds\":[{\"name\":\"a\",\"reason\":\"r\",\"created_ms\":-1}]}",
           "{\"holds\":[{\"name\":\"a\",\"reason\":\"r\"}]}",
           "{\"holds\":[{\"name\":\"b\",\"reason\":\"r\",\"created_ms\":7},{\"name\":\"a\",\"reason\":\"r\",\"created_ms\":7}]}",
           "{\"holds\":[{\"name\":\"a\",\"reason\":\"r\",\"created_ms\":7},{\"name\":\"a\",\"reason\":\"r\",\"created_ms\":7}]}",
           many}) {
    const Status status = DecodeCollectionHolds(value, "k").status();
    EXPECT_EQ(status.code(), StatusCode::kCorrupt) << value;
    EXPECT_NE(status.message().find("object=k"), std::string_view::npos) << value;
  }
}

}  // namespace
}  // namespace lakestream
