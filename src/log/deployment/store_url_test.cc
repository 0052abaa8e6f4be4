#include "log/deployment/store_url.h"

#include <gtest/gtest.h>

namespace lakestream {
namespace {

TEST(StoreUrl, Parses) {
  EXPECT_EQ(StoreUrl::Parse("memory:")->kind, StoreUrl::Kind::kMemory);
  EXPECT_EQ(StoreUrl::Parse("lmdb:///a/b")->kind, StoreUrl::Kind::kLmdb);
  EXPECT_EQ(StoreUrl::Parse("lmdb:///a/b")->path, "/a/b");
  EXPECT_EQ(StoreUrl::Parse("file:///a//b/./c/../d/")->path, "/a/b/d");
  EXPECT_EQ(StoreUrl::Parse("file:///with space%20")->path, "/with space%20");
  for (const std::string bad : {"", "memory", "memory:x", "/a/b", "file://a/b", "file://", "file:///", "lmdb:/a",
                                "s3://bucket", "oxia://host:1/x", "FILE:///a"}) {
    EXPECT_EQ(StoreUrl::Parse(bad).status().code(), StatusCode::kInvalidArgument) << bad;
  }
}

TEST(RecordedRoot, IsRelativeToTheFolderOfTheMetadata) {
  const StoreUrl meta = *StoreUrl::Parse("lmdb:///data/one/meta");
  const auto root = [&](const char* url) { return RecordedRoot(meta, *StoreUrl::Parse(url)); };
  EXPECT_EQ(root("file:///data/one/wal"), "wal");
  EXPECT_EQ(root("file:///data/one/x/wal"), "x/wal");
  EXPECT_EQ(root("file:///data/wal"), "file:///data/wal");
  EXPECT_EQ(root("file:///data/one..two/wal"), "file:///data/one..two/wal");
  EXPECT_EQ(root("memory:"), "memory:");
  EXPECT_EQ(RecordedRoot(*StoreUrl::Parse("memory:"), *StoreUrl::Parse("file:///data/wal")), "file:///data/wal");
}

TEST(CheckApart, NoStoreLiesInAnother) {
  const auto apart = [](const char* meta, const char* wal, const char* compacted) {
    return CheckApart(*StoreUrl::Parse(meta), *StoreUrl::Parse(wal), *StoreUrl::Parse(compacted)).ok();
  };
  EXPECT_TRUE(apart("lmdb:///d/meta", "file:///d/wal", "file:///d/compacted"));
  EXPECT_TRUE(apart("lmdb:///d/meta", "file:///d/wal", "file:///d/wal2"));
  EXPECT_TRUE(apart("memory:", "memory:", "memory:"));
  EXPECT_FALSE(apart("lmdb:///d/meta", "file:///d/wal", "file:///d/wal"));
  EXPECT_FALSE(apart("lmdb:///d/meta", "file:///d/wal", "file:///d/wal/compacted"));
  EXPECT_FALSE(apart("lmdb:///d/meta", "file:///d", "file:///e"));
  EXPECT_FALSE(apart("lmdb:///d/wal/meta", "file:///d/wal", "file:///e"));
}

}  // namespace
}  // namespace lakestream
