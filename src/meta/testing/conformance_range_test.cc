#include <algorithm>

#include "meta/testing/metadata_store_conformance.h"

namespace lakestream {
namespace {

const Partition kLog7 = Partition::OfLog(LogId(7));
using Strings = std::vector<std::string>;
const std::string kMarkersEnd = "/mark-deleted-offsets/\xef\xbf\xbf";

TEST_P(MetadataStoreConformance, DeleteRangeLeavesItsUpperBound) {
  for (const char* key : {"a", "b", "c", "d", "e"}) ASSERT_TRUE(Put(kLog7, key, "v").ok());
  EXPECT_TRUE(Run(store().DeleteRange(Context(), kLog7, "b", "d")).ok());
  EXPECT_EQ(Keys(kLog7, "a", "z"), Strings({"a", "d", "e"}));
}

TEST_P(MetadataStoreConformance, DeleteRangeThatIsEmptyOrInvertedIsOk) {
  for (const char* key : {"a", "b", "c"}) ASSERT_TRUE(Put(kLog7, key, "v").ok());
  EXPECT_TRUE(Run(store().DeleteRange(Context(), kLog7, "b", "b")).ok());
  EXPECT_TRUE(Run(store().DeleteRange(Context(), kLog7, "c", "a")).ok());
  EXPECT_TRUE(Run(store().DeleteRange(Context(), kLog7, "x", "z")).ok()) << "no record in the range";
  EXPECT_EQ(Keys(kLog7, "a", "z"), Strings({"a", "b", "c"}));
}

TEST_P(MetadataStoreConformance, DeleteRangeOfManyRecords) {
  for (int i = 0; i < 150; ++i) ASSERT_TRUE(Put(kLog7, IndexKey(7, i, i), "v").ok());
  EXPECT_TRUE(Run(store().DeleteRange(Context(), kLog7, IndexKey(7, 10, 0), IndexKey(7, 149, 0))).ok());
  const Strings left = Keys(kLog7, IndexKey(7, 0, 0), IndexKey(8, 0, 0));
  ASSERT_EQ(left.size(), 11u);
  EXPECT_EQ(left[9], IndexKey(7, 9, 9));
  EXPECT_EQ(left[10], IndexKey(7, 149, 149));
}

TEST_P(MetadataStoreConformance, DeleteRangeStaysAmongItsKeys) {
  for (const char* key : {"a", "m", "/a", "/m"}) ASSERT_TRUE(Put(kLog7, key, "v").ok());
  EXPECT_TRUE(Run(store().DeleteRange(Context(), kLog7, "a", "zzz")).ok());
  EXPECT_EQ(ValueOf(kLog7, "a"), "none");
  EXPECT_EQ(ValueOf(kLog7, "m"), "none");
  EXPECT_EQ(Keys(kLog7, "/a", "/z"), Strings({"/a", "/m"}));
}

TEST_P(MetadataStoreConformance, ListAndScanGiveARangeInOrder) {
  for (const char* key : {"d", "b", "a", "c", "/b"})
    ASSERT_TRUE(Put(kLog7, key, std::string("value of ") + key).ok());
  EXPECT_EQ(Keys(kLog7, "b", "d"), Strings({"b", "c"}));
  EXPECT_EQ(Keys(kLog7, "a", "zz"), Strings({"a", "b", "c", "d"}));
  EXPECT_EQ(Keys(kLog7, "/a", "/z"), Strings({"/b"}));
  EXPECT_TRUE(Keys(kLog7, "b", "b").empty());
  EXPECT_TRUE(Keys(kLog7, "d", "a").empty());
  const std::vector<MetadataRecord> records = Records(kLog7, "b", "d");
  ASSERT_EQ(records.size(), 2u);
  const ReadAnswer b = Get(kLog7, "b");
  EXPECT_EQ(records[0].key, "b");
  EXPECT_EQ(records[0].value.text(), "value of b");
  EXPECT_EQ(records[0].version, b->version);
  EXPECT_EQ(records[0].created_ms, b->created_ms);
  EXPECT_EQ(records[1].value.text(), "value of c");
}

TEST_P(MetadataStoreConformance, LeasesOfALogAreListed) {
  const std::string leases = "/stream-write-leases/7/";
  ASSERT_TRUE(Put(kLog7, leases + "0f1d", "t").ok());
  ASSERT_TRUE(Put(kLog7, leases + "ffff", "t").ok());
  ASSERT_TRUE(Put(kLog7, "/stream-write-leases/77/0000", "t").ok());
  ASSERT_TRUE(Put(kLog7, "/stream-write-fences/7", "\x01").ok());
  EXPECT_EQ(Keys(kLog7, leases, leases + "\xef\xbf\xbf"), Strings({leases + "0f1d", leases + "ffff"}));
}

TEST_P(MetadataStoreConformance, WhatIsInEachShardIsSeenFromEveryPartition) {
  const std::vector<Partition> shards = store().ShardPartitions();
  ASSERT_FALSE(shards.empty());
  for (const Partition& shard : shards) {
    ASSERT_EQ(ValueOf(shard, "mark"), "none") << "each shard comes once";
    ASSERT_TRUE(Put(shard, "mark", shard.name()).ok());
  }
  for (int log = 0; log < 300; ++log) EXPECT_NE(ValueOf(Partition::OfLog(LogId(log)), "mark"), "none") << log;
  KeyRange everywhere;
  everywhere.from = "mark";
  everywhere.to = "mark~";
  Strings marks;
  std::optional<std::string> cursor = "";
  while (cursor) {
    Result<ScanPage> page = Run(store().Scan(Context(), everywhere, *cursor, 10));
    ASSERT_TRUE(page.ok()) << page.status().ToString();
    for (const MetadataRecord& record : page->records) marks.push_back(std::string(record.value.text()));
    cursor = std::move(page->next);
  }
  Strings names;
  for (const Partition& shard : shards) names.push_back(shard.name());
  EXPECT_EQ(marks, names) << "shard after shard, in this order";
}

TEST_P(MetadataStoreConformance, PagesJoinWithoutGapOrOverlap) {
  Strings all;
  for (int i = 0; i < 23; ++i) {
    all.push_back(IndexKey(7, i, i));
    ASSERT_TRUE(Put(kLog7, all.back(), std::to_string(i)).ok());
  }
  for (const int limit : {1, 2, 5, 22, 23, 24, 10'000}) {
    EXPECT_EQ(Keys(kLog7, IndexKey(7, 0, 0), IndexKey(8, 0, 0), limit), all) << "limit " << limit;
    Strings scanned;
    for (const MetadataRecord& record : Records(kLog7, IndexKey(7, 0, 0), IndexKey(8, 0, 0), limit)) {
      scanned.push_back(record.key);
    }
    EXPECT_EQ(scanned, all) << "limit " << limit;
  }
}

TEST_P(MetadataStoreConformance, LargePagesAreCutNotRefused) {
  const std::string large(std::size_t{3} << 20, 'x');
  for (const char* key : {"a", "b", "c", "d"}) ASSERT_TRUE(Put(kLog7, key, large).ok());
  const std::vector<MetadataRecord> records = Records(kLog7, "a", "z", 10'000);
  ASSERT_EQ(records.size(), 4u);
  for (const MetadataRecord& record : records) EXPECT_EQ(record.value.size(), large.size());
}

TEST_P(MetadataStoreConformance, APageGoesOnThoughItsLastKeyIsGone) {
  for (const char* key : {"a", "b", "c", "d"}) ASSERT_TRUE(Put(kLog7, key, "v").ok());
  const KeyRange range{kLog7, "a", "z"};
  const Result<KeyPage> first = Run(store().List(Context(), range, "", 2));
  ASSERT_TRUE(first.ok());
  ASSERT_FALSE(first->keys.empty());
  ASSERT_TRUE(first->next);
  const std::string last = first->keys.back();
  ASSERT_TRUE(Run(store().Delete(Context(), kLog7, last)).ok());
  ASSERT_TRUE(Put(kLog7, last + "+", "new").ok());
  const Result<KeyPage> second = Run(store().List(Context(), range, *first->next, 1));
  ASSERT_TRUE(second.ok());
  ASSERT_EQ(second->keys.size(), 1u);
  EXPECT_EQ(second->keys.front(), last + "+");
}

TEST_P(MetadataStoreConformance, ForeignCursorsAreRefused) {
  for (const char* key : {"a", "b", "c", "d"}) ASSERT_TRUE(Put(kLog7, key, "v").ok());
  const Result<KeyPage> first = Run(store().List(Context(), KeyRange{kLog7, "a", "z"}, "", 1));
  ASSERT_TRUE(first.ok() && first->next);
  // A range without keys has no cursors either.
  for (const KeyRange& range : {KeyRange{kLog7, "b", "z"}, KeyRange{kLog7, "0", "1"}, KeyRange{kLog7, "a", "a"},
                                KeyRange{kLog7, "z", "a"}}) {
    const Result<KeyPage> refused = Run(store().List(Context(), range, *first->next, 1));
    EXPECT_EQ(refused.status().code(), StatusCode::kInvalidArgument) << range.from;
  }
  for (const char* cursor : {"nonsense", ":", "-1:b", "99999999999:b", "0"}) {
    const Result<ScanPage> refused = Run(store().Scan(Context(), KeyRange{kLog7, "a", "z"}, cursor, 1));
    EXPECT_EQ(refused.status().code(), StatusCode::kInvalidArgument) << cursor;
  }
}

TEST_P(MetadataStoreConformance, RangeWithoutAPartitionCoversEveryShard) {
  const std::optional<Partition> elsewhere = ElsewhereThan(kLog7);
  ASSERT_TRUE(elsewhere);
  ASSERT_TRUE(Put(kLog7, "/mark-deleted-offsets/7", "1").ok());
  ASSERT_TRUE(Put(*elsewhere, "/mark-deleted-offsets/8", "2").ok());
  for (int i = 10; i < 30; ++i) {
    const Partition partition = Partition::OfLog(LogId(i));
    ASSERT_TRUE(Put(partition, "/mark-deleted-offsets/" + std::to_string(i), "3").ok());
    ASSERT_TRUE(Put(partition, "/other/" + std::to_string(i), "4").ok());
  }
  for (const int limit : {1, 3, 100}) {
    Strings keys = Keys(std::nullopt, "/mark-deleted-offsets/", kMarkersEnd, limit);
    EXPECT_EQ(keys.size(), 22u) << "limit " << limit;
    std::sort(keys.begin(), keys.end());
    EXPECT_EQ(std::unique(keys.begin(), keys.end()), keys.end());
    EXPECT_TRUE(std::binary_search(keys.begin(), keys.end(), "/mark-deleted-offsets/7"));
    EXPECT_TRUE(std::binary_search(keys.begin(), keys.end(), "/mark-deleted-offsets/8"));
    EXPECT_EQ(Records(std::nullopt, "/mark-deleted-offsets/", kMarkersEnd, limit).size(), 22u);
  }
}

TEST_P(MetadataStoreConformance, OneKeyInTwoShardsIsTwoRecords) {
  const std::optional<Partition> elsewhere = ElsewhereThan(kLog7);
  ASSERT_TRUE(elsewhere);
  ASSERT_TRUE(Put(kLog7, "k", "1").ok());
  ASSERT_TRUE(Put(*elsewhere, "k", "2").ok());
  for (const int limit : {1, 10}) {
    EXPECT_EQ(Keys(std::nullopt, "a", "z", limit), Strings({"k", "k"}));
    EXPECT_EQ(Keys(std::nullopt, "k", "z", limit), Strings({"k", "k"})) << "the lower bound counts in every shard";
  }
}

}  // namespace
}  // namespace lakestream
