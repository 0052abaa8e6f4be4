#include "format/deployment_record.h"

#include <gtest/gtest.h>

#include <string>

#include "format/testing/bytes.h"

namespace lakestream {
namespace {

constexpr std::string_view kGood =
    R"({"format_version":3,"deployment_id":"3f2b8f5e-1c2d-4e3f-8a9b-0c1d2e3f4a5b","epoch":1,"wal_root":"wal",)"
    R"("compacted_root":"compacted","grace_ms":86400000,"publish_deadline_ms":30000,"index_deadline_ms":30000,)"
    R"("metadata_shards":1,"compactor_family":"lakestream"})";

std::string Replaced(std::string_view what, std::string_view by) {
  std::string text(kGood);
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), by);
}

TEST(DeploymentRecord, KnownBytes) {
  DeploymentRecord record;
  record.deployment_id = "3f2b8f5e-1c2d-4e3f-8a9b-0c1d2e3f4a5b";
  ASSERT_TRUE(EncodeDeploymentRecord(record).ok());
  EXPECT_EQ(*EncodeDeploymentRecord(record), kGood);
  const Result<DeploymentRecord> decoded = DecodeDeploymentRecord(kGood);
  ASSERT_TRUE(decoded.ok()) << decoded.status().ToString();
  EXPECT_EQ(*decoded, record);
}

TEST(DeploymentRecord, KeepsUnknownFields) {
  const std::string text = Replaced(R"("lakestream"})", R"("lakestream","later":{"a":[1.50]},"x":null})");
  Result<DeploymentRecord> decoded = DecodeDeploymentRecord(text);
  ASSERT_TRUE(decoded.ok());
  EXPECT_EQ(*EncodeDeploymentRecord(*decoded), text);
  decoded->epoch = 2;
  EXPECT_NE(EncodeDeploymentRecord(*decoded)->find(R"("later":{"a":[1.50]})"), std::string::npos);
}

TEST(DeploymentRecord, WhereNoFamilyIsNamedItIsThisOne) {
  const Result<DeploymentRecord> decoded = DecodeDeploymentRecord(Replaced(R"(,"compactor_family":"lakestream")", ""));
  ASSERT_TRUE(decoded.ok()) << decoded.status().ToString();
  EXPECT_EQ(decoded->compactor_family, kCompactorFamily);
}

TEST(DeploymentRecord, OtherFormatVersionsAreUnimplemented) {
  for (const std::string version : {"1", "2", "4"}) {
    ExpectStatus(
        DecodeDeploymentRecord(Replaced(R"("format_version":3)", R"("format_version":)" + version)).status(),
        StatusCode::kUnimplemented, {"version=" + version, "supported=3"});
  }
}

TEST(DeploymentRecord, RefusesBadValues) {
  const struct {
    std::string_view what;
    std::string_view by;
    std::string_view field;
  } cases[] = {
      {R"("format_version":3,)", "", "field=format_version"},
      {R"("format_version":3)", R"("format_version":"3")", "field=format_version"},
      {"3f2b8f5e", "3F2B8F5E", "field=deployment_id"},
      {R"("lakestream")", R"("")", "field=compactor_family"},
      {R"("lakestream")", R"("Ursa")", "field=compactor_family"},
      {R"("lakestream")", "1", "field=compactor_family"},
      {"3f2b8f5e-", "3f2b8f5e", "field=deployment_id"},
      {R"("epoch":1)", R"("epoch":0)", "field=epoch"},
      {R"("wal_root":"wal")", R"("wal_root":"")", "field=wal_root"},
      {R"("compacted_root":"compacted")", R"("compacted_root":"")", "field=compacted_root"},
      {R"("grace_ms":86400000)", R"("grace_ms":599999)", "field=grace_ms"},
      {R"("grace_ms":86400000)", R"("grace_ms":-1)", "field=grace_ms"},
      {R"("publish_deadline_ms":30000)", R"("publish_deadline_ms":0)", "field=publish_deadline_ms"},
      {R"("publish_deadline_ms":30000)", R"("publish_deadline_ms":9007199254740992)", "field=grace_ms"},
      {R"("index_deadline_ms":30000)", R"("index_deadline_ms":9223372036854775807)", "field=index_deadline_ms"},
      {R"("index_deadline_ms":30000)", R"("index_deadline_ms":1.5)", "field=index_deadline_ms"},
      {R"("metadata_shards":1)", R"("metadata_shards":0)", "field=metadata_shards"},
      {R"("metadata_shards":1)", R"("metadata_shards":256)", "field=metadata_shards"},
  };
  for (const auto& c : cases) {
    ExpectStatus(DecodeDeploymentRecord(Replaced(c.what, c.by)).status(), StatusCode::kCorrupt,
                 {"object=/lakestream/deployment", c.field});
  }
}

TEST(DeploymentRecord, GraceIsTenTimesTheDeadlines) {
  EXPECT_TRUE(DecodeDeploymentRecord(Replaced("86400000", "600000")).ok());
  DeploymentRecord record = *DecodeDeploymentRecord(kGood);
  record.grace_ms = 599'999;
  ExpectStatus(EncodeDeploymentRecord(record).status(), StatusCode::kInvalidArgument,
               {"grace", "field=grace_ms"});
  record = *DecodeDeploymentRecord(kGood);
  record.format_version = 2;
  EXPECT_EQ(EncodeDeploymentRecord(record).status().code(), StatusCode::kInvalidArgument);
  record = *DecodeDeploymentRecord(kGood);
  record.wal_root = "\xff";
  EXPECT_EQ(EncodeDeploymentRecord(record).status().code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace lakestream
