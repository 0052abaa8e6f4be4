#include "log/gc/object_names.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "log/gc/object_table.h"

namespace lakestream {
namespace {

const std::string kUuid = "3f2b8f5e-1c2d-4e3f-8a9b-0c1d2e3f4a5b";

TEST(ObjectNames, OursAndOthers) {
  for (const std::string& key : {"2026/11/30/10/0010-" + kUuid, "2026/11/30/10/00/10/" + kUuid}) {
    EXPECT_EQ(ReferenceOf(ObjectRoot::kWal, key), ReferenceOfLocation(key)) << key;
    EXPECT_EQ(ReferenceOf(ObjectRoot::kCompacted, key), std::nullopt) << key;
  }
  const std::string stem = "default/s/lks-" + kUuid;
  const std::uint64_t file = ReferenceOfFile("lks-" + kUuid + ".parquet");
  EXPECT_EQ(ReferenceOf(ObjectRoot::kCompacted, stem + ".parquet"), file);
  EXPECT_EQ(ReferenceOf(ObjectRoot::kCompacted, stem + ".index"), file) << "the companion of it";
  EXPECT_EQ(ReferenceOf(ObjectRoot::kCompacted, "other/t/lks-" + kUuid + ".index"), file) << "in whatever directory";
  EXPECT_EQ(ReferenceOf(ObjectRoot::kWal, stem + ".parquet"), std::nullopt);
  const std::vector<std::string> others = {"default/s/ursa-" + kUuid + ".parquet",
                                           "default/s/lks-" + kUuid,
                                           "default/s/lks-" + kUuid + ".parquet.tmp",
                                           "lks-" + kUuid + ".parquet",
                                           "a/b/c/lks-" + kUuid + ".parquet",
                                           "default/s/lks-3f2b8f5e.parquet",
                                           "default/s/lks-3F2B8F5E-1C2D-4E3F-8A9B-0C1D2E3F4A5B.parquet",
                                           "readme.txt"};
  for (const std::string& key : others) {
    EXPECT_EQ(ReferenceOf(ObjectRoot::kCompacted, key), std::nullopt) << key;
    EXPECT_EQ(ReferenceOf(ObjectRoot::kWal, key), std::nullopt) << key;
  }
  EXPECT_TRUE(ReferenceOf(ObjectRoot::kWal, "lakestream-gc/" + kUuid)) << "what a pass leaves that ends early";
}

TEST(ObjectNames, OneNameForAnObject) {
  const std::optional<RootedName> wal = RootedName::Parse("wal/2026/a");
  ASSERT_TRUE(wal);
  EXPECT_EQ(wal->root, ObjectRoot::kWal);
  EXPECT_EQ(wal->key, "2026/a");
  EXPECT_EQ(wal->ToString(), "wal/2026/a");
  EXPECT_EQ(RootedName::Parse("compacted/a")->root, ObjectRoot::kCompacted);
  for (const char* text : {"", "wal", "wal/", "2026/a", "/wal/a"}) EXPECT_EQ(RootedName::Parse(text), std::nullopt) << text;
}

TEST(ObjectTable, MarksWhatItHolds) {
  ObjectTable table;
  for (const std::uint64_t reference : {7, 3, 7, 9}) table.Add(reference);
  table.Seal();
  EXPECT_EQ(table.size(), 3u) << "a file and its companion are one";
  table.MarkNamed(7);
  table.MarkNamed(8);
  EXPECT_TRUE(table.IsNamed(7));
  EXPECT_FALSE(table.IsNamed(3));
  EXPECT_FALSE(table.IsNamed(8));
  EXPECT_FALSE(table.Holds(8));
  EXPECT_FALSE(table.AllSeen());
  for (const std::uint64_t reference : {3, 7, 9}) table.MarkSeen(reference);
  EXPECT_TRUE(table.AllSeen());
}

}  // namespace
}  // namespace lakestream
