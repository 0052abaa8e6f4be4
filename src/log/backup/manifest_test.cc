#include "log/backup/manifest.h"

#include <gtest/gtest.h>

namespace lakestream {
namespace {

const char kGolden[] =
    "{\"backup_version\":1,\"deployment_id\":\"3f2b8f5e-1c2d-4e3f-8a9b-0c1d2e3f4a5b\",\"epoch\":1,"
    "\"made_ms\":1796032943954,\"grace_ms\":86400000,\"records\":17,\"metadata\":\"lmdb:///data/meta\","
    "\"wal\":\"file:///data/wal\",\"compacted\":\"file:///data/compacted\"}";

BackupManifest Golden() {
  BackupManifest manifest;
  manifest.deployment_id = "3f2b8f5e-1c2d-4e3f-8a9b-0c1d2e3f4a5b";
  manifest.made_ms = 1'796'032'943'954;
  manifest.grace_ms = 86'400'000;
  manifest.records = 17;
  manifest.metadata = "lmdb:///data/meta";
  manifest.wal = "file:///data/wal";
  manifest.compacted = "file:///data/compacted";
  return manifest;
}

TEST(BackupManifestTest, BothWays) {
  EXPECT_EQ(EncodeBackupManifest(Golden()), std::string(kGolden) + "\n");
  const auto decoded = DecodeBackupManifest(kGolden, "backup.json");
  ASSERT_TRUE(decoded.ok()) << decoded.status().ToString();
  EXPECT_EQ(*decoded, Golden());
}

TEST(BackupManifestTest, RefusesOthers) {
  const auto code = [](const std::string& from, const std::string& to) {
    std::string text = kGolden;
    text.replace(text.find(from), from.size(), to);
    return DecodeBackupManifest(text, "backup.json").status().code();
  };
  EXPECT_EQ(code("\"backup_version\":1", "\"backup_version\":2"), StatusCode::kUnimplemented);
  EXPECT_EQ(code("\"backup_version\":1", "\"backup_version\":0"), StatusCode::kCorrupt);
  EXPECT_EQ(code("\"epoch\":1", "\"epoch\":0"), StatusCode::kCorrupt);
  EXPECT_EQ(code("\"records\":17", "\"records\":-1"), StatusCode::kCorrupt);
  EXPECT_EQ(code("\"made_ms\"", "\"other\""), StatusCode::kCorrupt);
  EXPECT_EQ(DecodeBackupManifest("", "backup.json").status().code(), StatusCode::kCorrupt);
}

}  // namespace
}  // namespace lakestream
