#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "meta/page_cursor.h"
#include "meta/sequence.h"
#include "meta/shard.h"

namespace lakestream {
namespace {

TEST(MetadataKeyOrder, KeysWithASlashComeLast) {
  const std::vector<std::string> in_order = {
      "", "00000000000000000007-1", "a", "a-b", "compact-offset-7", "xyz", "\xef\xbf\xbf",
      "/", "//", "/a", "/a/", "/a/b", "/a/b/c", "/ab", "/b", "a/b",
  };
  for (std::size_t i = 0; i < in_order.size(); ++i) {
    for (std::size_t j = 0; j < in_order.size(); ++j) {
      EXPECT_EQ(MetadataKeyLess(in_order[i], in_order[j]), i < j) << in_order[i] << " and " << in_order[j];
    }
  }
}

TEST(ShardOf, IsTheSameForEver) {
  // FNV-1a has published vectors: "" is cbf29ce484222325, "a" is af63dc4c8601ec8c, "foobar" is 85944171f73967e8.
  // Stored keys depend on the halves of these, folded.
  const auto folded = [](std::uint64_t hash) { return static_cast<std::uint32_t>(hash ^ (hash >> 32)); };
  const std::pair<const char*, std::uint64_t> vectors[] = {
      {"", 0xcbf29ce484222325}, {"a", 0xaf63dc4c8601ec8c}, {"foobar", 0x85944171f73967e8}};
  for (const auto& [name, hash] : vectors) {
    for (const int shards : {1, 4, 7, 256}) {
      EXPECT_EQ(ShardOf(Partition::Named(name), shards),
                static_cast<int>(folded(hash) % static_cast<unsigned>(shards)));
    }
  }
  EXPECT_EQ(ShardOf(Partition::OfLog(LogId(0)), 4), ShardOf(Partition::Named("0"), 4));
}

TEST(ShardOf, SpreadsLogs) {
  int count[4] = {};
  for (int i = 0; i < 4000; ++i) ++count[ShardOf(Partition::OfLog(LogId(i)), 4)];
  for (const int n : count) {
    EXPECT_GT(n, 800);
    EXPECT_LT(n, 1200);
  }
}

TEST(ShardOf, EachShardHasAPartition) {
  for (const int shards : {1, 2, 4, 255, 256}) {
    const std::vector<Partition> partitions = PartitionOfEachShard(shards);
    ASSERT_EQ(partitions.size(), static_cast<std::size_t>(shards));
    for (int i = 0; i < shards; ++i) EXPECT_EQ(ShardOf(partitions[static_cast<std::size_t>(i)], shards), i);
  }
}

TEST(NextSequencedKey, FollowsTheRule) {
  const std::string seven = "00000000000000000007";
  EXPECT_EQ(SequenceUpperBound(seven), "00000000000000000007-18446744073709551615");
  EXPECT_EQ(*NextSequencedKey(seven, std::nullopt, 3, 8),
            "00000000000000000007-00000000000000000003-00000000000000000008");
  EXPECT_EQ(*NextSequencedKey("a", "a-00000000000000000003-00000000000000000004", 10, 0),
            "a-00000000000000000013-00000000000000000004");
  EXPECT_EQ(*NextSequencedKey("a", "a-00000000000000000003", 10, 5), "a-00000000000000000013-00000000000000000005");
  // What lies below without being of the sequence.
  for (const char* other : {"a", "a+x", "0", "ab-00000000000000000003", "00000000000000000006-1"}) {
    EXPECT_EQ(*NextSequencedKey("a", other, 1, 1), "a-00000000000000000001-00000000000000000001") << other;
  }
}

TEST(NextSequencedKey, RefusesWhatItCannotContinue) {
  for (const char* strange :
       {"a-", "a-1", "a-00000000000000000001-", "a-00000000000000000001-1", "a--00000000000000000001",
        "a-0000000000000000000x", "a-+0000000000000000001", "a-000000000000000000001",
        "a-00000000000000000001-00000000000000000001-00000000000000000001"}) {
    EXPECT_EQ(NextSequencedKey("a", strange, 1, 1).status().code(), StatusCode::kCorrupt) << strange;
  }
  const std::int64_t max = std::numeric_limits<std::int64_t>::max();
  const std::string last = "a-09223372036854775806-00000000000000000000";
  EXPECT_EQ(*NextSequencedKey("a", last, 1, max), "a-09223372036854775807-09223372036854775807");
  EXPECT_EQ(NextSequencedKey("a", last, 2, 0).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(NextSequencedKey("a", "a-09223372036854775808", 1, 0).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(NextSequencedKey("a", "a-18446744073709551614", 1, 0).status().code(), StatusCode::kInvalidArgument);
}

TEST(PageCursor, RoundTripsAnyKey) {
  const KeyRange range{std::nullopt, "/a", "/z"};
  for (const std::string& key : {std::string("/a"), std::string("/m:3:x"), std::string("/m\0\xff", 4)}) {
    const Result<PagePosition> position = DecodePageCursor(range, -1, 4, EncodePageCursor(3, key));
    ASSERT_TRUE(position.ok());
    EXPECT_EQ(position->shard, 3);
    EXPECT_EQ(position->key, key);
    EXPECT_TRUE(position->exclusive);
  }
}

TEST(PageCursor, RefusesAnotherRange) {
  const KeyRange range{std::nullopt, "/a", "/z"};
  const std::pair<int, std::string> refused[] = {{-1, EncodePageCursor(4, "/m")}, {-1, EncodePageCursor(0, "/z")},
                                                 {-1, EncodePageCursor(0, "/A")}, {-1, EncodePageCursor(0, "m")},
                                                 {2, EncodePageCursor(1, "/m")},  {-1, "1"},
                                                 {-1, ":/m"},                     {-1, "1 :/m"}};
  for (const auto& [only_shard, cursor] : refused) {
    EXPECT_EQ(DecodePageCursor(range, only_shard, 4, cursor).status().code(), StatusCode::kInvalidArgument) << cursor;
  }
  EXPECT_EQ(DecodePageCursor(range, 2, 4, "")->shard, 2);
  EXPECT_FALSE(DecodePageCursor(range, -1, 4, "")->exclusive);
}

}  // namespace
}  // namespace lakestream
