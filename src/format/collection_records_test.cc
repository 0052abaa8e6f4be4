#include "format/collection_records.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "format/compaction_record.h"
#include "format/index_key.h"

namespace lakestream {
namespace {

constexpr std::string_view kPass = R"({"collector":"3f2b8f5e-1c2d-4e3f-8a9b-0c1d2e3f4a5b"})";
constexpr std::string_view kResult =
    R"({"pass":7,"candidates":2,"bytes":4198400,"records":1,)"
    R"("boot":{"id":"6f1c2e4a-9d0b-4c53-8f7e-2a1b3c4d5e6f","ms":86400000}})";
constexpr std::string_view kCandidates =
    R"({"candidates":[)"
    R"({"object":"compacted/default/s/lks-8c1e0f2a-1b3d-4c5e-9f70-a1b2c3d4e5f6.parquet","bytes":4096},)"
    R"({"object":"wal/2026/11/30/14/0022-013ea58a-7c41-411b-bbed-31b544ae9108","bytes":4194304,"since_ms":1796047222622}]})";

CollectionResultRecord TheResult() {
  return CollectionResultRecord{7, 2, 4198400, 1, BootStamp{"6f1c2e4a-9d0b-4c53-8f7e-2a1b3c4d5e6f", 86400000}};
}

std::vector<CollectionCandidate> TheCandidates() {
  return {{"compacted/default/s/lks-8c1e0f2a-1b3d-4c5e-9f70-a1b2c3d4e5f6.parquet", 4096, std::nullopt},
          {"wal/2026/11/30/14/0022-013ea58a-7c41-411b-bbed-31b544ae9108", 4194304, 1796047222622}};
}

TEST(CollectionRecords, Keys) {
  EXPECT_EQ(CollectionPassKey(7), "/lakestream/gc/passes/00000000000000000007");
  EXPECT_EQ(CollectionResultKey(3), "/lakestream/gc/results/00000000000000000003");
  EXPECT_EQ(CandidatesKey(7, 12), "/lakestream/gc/candidates/00000000000000000007-0000000012");
  for (const std::int64_t number : {std::int64_t{0}, std::int64_t{7}, std::numeric_limits<std::int64_t>::max()}) {
    EXPECT_EQ(NumberOfCollectionPassKey(CollectionPassKey(number)), number);
    EXPECT_EQ(NumberOfCollectionResultKey(CollectionResultKey(number)), number);
    EXPECT_EQ(PassOfCandidatesKey(CandidatesKey(number, 2147483647)), number);
  }
  for (const char* key : {"/lakestream/gc/passes/7", "/lakestream/gc/passes/0000000000000000000x",
                          "/lakestream/gc/passes/99999999999999999999", "/lakestream/gc/passes/000000000000000000007",
                          "/lakestream/gc/results/00000000000000000003", ""}) {
    EXPECT_EQ(NumberOfCollectionPassKey(key), std::nullopt) << key;
  }
  for (const char* key :
       {"/lakestream/gc/candidates/00000000000000000007", "/lakestream/gc/candidates/00000000000000000007-9999999999",
        "/lakestream/gc/candidates/00000000000000000007+0000000000", "/lakestream/gc/candidates/7-0"}) {
    EXPECT_EQ(PassOfCandidatesKey(key), std::nullopt) << key;
  }
}

TEST(CollectionRecords, KeysOfOnePassAreInOrderAndAlone) {
  const KeyBounds bounds = CandidatesKeys(7);
  EXPECT_LE(bounds.first, CandidatesKey(7, 0));
  EXPECT_LT(CandidatesKey(7, 9), CandidatesKey(7, 10));
  EXPECT_LT(CandidatesKey(7, 2147483647), bounds.end);
  EXPECT_LT(CandidatesKey(6, 2147483647), bounds.first);
  EXPECT_GE(CandidatesKey(8, 0), bounds.end);
}

TEST(CollectionRecords, MarksStandBehindWhatTheyMark) {
  const KeyBounds index = MarkedIndexKeys();
  const std::string last = LastIndexKey(LogId(std::numeric_limits<std::int64_t>::max()));
  EXPECT_LE(index.first, FirstIndexKey(LogId(0)));
  EXPECT_LT(last, kIndexMarkKey);
  EXPECT_LT(kIndexMarkKey, index.end);
  const KeyBounds compaction = MarkedCompactionKeys();
  EXPECT_LE(compaction.first, CompactionRecordKey(LogId(0)));
  EXPECT_LT(CompactionRecordKey(LogId(std::numeric_limits<std::int64_t>::max())), kCompactionMarkKey);
  EXPECT_LT(kCompactionMarkKey, compaction.end);
  // Bounds of a range are alike up to their last "/", which is all that every store's order agrees on.
  EXPECT_EQ(compaction.first.substr(0, compaction.first.rfind('/')), compaction.end.substr(0, compaction.end.rfind('/')));
  EXPECT_FALSE(LogOfCompactionRecordKey(kCompactionMarkKey));
  EXPECT_EQ(EncodeCollectionMark(7), "7");
  EXPECT_EQ(*DecodeCollectionMark("7", "k"), 7);
  EXPECT_EQ(DecodeCollectionMark("x", "k").status().code(), StatusCode::kCorrupt);
}

TEST(CollectionRecords, ProbesHaveANameOfTheirOwn) {
  EXPECT_EQ(CollectionProbeName("3f2b8f5e"), "lakestream-gc/3f2b8f5e");
  EXPECT_TRUE(IsCollectionProbeName("lakestream-gc/3f2b8f5e"));
  for (const char* name : {"lakestream-gc", "lakestream-gc/", "lakestream-gc/a/b", "2026/lakestream-gc/a"}) {
    EXPECT_FALSE(IsCollectionProbeName(name)) << name;
  }
}

TEST(CollectionRecords, KnownBytes) {
  const CollectionPassRecord pass{"3f2b8f5e-1c2d-4e3f-8a9b-0c1d2e3f4a5b"};
  EXPECT_EQ(*EncodeCollectionPass(pass), kPass);
  EXPECT_EQ(*DecodeCollectionPass(kPass, "k"), pass);
  EXPECT_EQ(*EncodeCollectionResult(TheResult()), kResult);
  EXPECT_EQ(*DecodeCollectionResult(kResult, "k"), TheResult());
  EXPECT_EQ(*EncodeCandidates(TheCandidates()), kCandidates);
  EXPECT_EQ(*DecodeCandidates(kCandidates, "k"), TheCandidates());
}

TEST(CollectionRecords, FieldsOfLaterReleasesAreSkipped) {
  EXPECT_TRUE(DecodeCollectionPass(R"({"collector":"c","later":1})", "k").ok());
  EXPECT_TRUE(DecodeCandidates(R"({"candidates":[{"object":"wal/a","bytes":0,"later":1}],"later":1})", "k").ok());
}

TEST(CollectionRecords, RefusesOtherValues) {
  const struct {
    std::string_view value;
    std::string_view says;
  } results[] = {
      {R"({"pass":0,"candidates":0,"bytes":0,"records":0})", "field=pass"},
      {R"({"pass":1,"candidates":0,"bytes":-1,"records":0})", "field=bytes"},
      {R"({"pass":1,"candidates":0,"bytes":0,"records":2147483648})", "field=records"},
      {R"({"pass":1,"candidates":0,"bytes":0,"records":1})", "candidates do not fit their records"},
      {R"({"pass":1,"candidates":501,"bytes":0,"records":1})", "candidates do not fit their records"},
      {R"({"pass":1,"candidates":0,"bytes":0,"records":0,"boot":7})", "field=boot"},
      {R"({"pass":1,"candidates":0,"bytes":0,"records":0,"boot":{"id":"","ms":1}})", "a boot has no name"},
      {R"({"pass":1,"candidates":0,"bytes":0,"records":0,"boot":{"id":"b","ms":-1}})", "field=boot.ms"},
  };
  for (const auto& c : results) {
    const Status status = DecodeCollectionResult(c.value, "k").status();
    EXPECT_EQ(status.code(), StatusCode::kCorrupt) << c.value;
    EXPECT_NE(status.message().find(c.says), std::string_view::npos) << status.message();
  }
  const struct {
    std::string_view value;
    std::string_view says;
  } candidates[] = {
      {"{}", "a record holds no candidates"},
      {R"({"candidates":[]})", "a record holds no candidates"},
      {R"({"candidates":[7]})", "field=candidates"},
      {R"({"candidates":[{"object":"wal","bytes":1}]})", "an object is below no root"},
      {R"({"candidates":[{"object":"wal/","bytes":1}]})", "an object is below no root"},
      {R"({"candidates":[{"object":"other/a","bytes":1}]})", "an object is below no root"},
      {R"({"candidates":[{"object":"wal/a"}]})", "field=candidates.bytes"},
      {R"({"candidates":[{"object":"wal/a","bytes":1,"since_ms":-1}]})", "field=candidates.since_ms"},
      {R"({"candidates":[{"object":"wal/b","bytes":1},{"object":"wal/a","bytes":1}]})", "candidates do not ascend"},
      {R"({"candidates":[{"object":"wal/a","bytes":1},{"object":"wal/a","bytes":1}]})", "candidates do not ascend"},
  };
  for (const auto& c : candidates) {
    const Status status = DecodeCandidates(c.value, "k").status();
    EXPECT_EQ(status.code(), StatusCode::kCorrupt) << c.value;
    EXPECT_NE(status.message().find(c.says), std::string_view::npos) << status.message();
  }
  for (const char* value : {"", "{}", R"({"collector":""})", R"({"collector":7})"}) {
    EXPECT_EQ(DecodeCollectionPass(value, "k").status().code(), StatusCode::kCorrupt) << value;
  }
  EXPECT_EQ(EncodeCollectionPass(CollectionPassRecord()).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(EncodeCollectionResult(CollectionResultRecord()).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(EncodeCandidates({}).status().code(), StatusCode::kInvalidArgument);
}

TEST(CollectionRecords, AFullRecordFitsTheStore) {
  std::vector<CollectionCandidate> full;
  for (std::size_t i = 0; i < kMaxCandidatesOfRecord; ++i) {
    std::string name = std::to_string(1000 + i);
    name.resize(1024, 'x');
    full.push_back({"wal/" + name, std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::max()});
  }
  const Result<std::string> value = EncodeCandidates(full);
  ASSERT_TRUE(value.ok()) << value.status().ToString();
  EXPECT_LT(value->size(), std::size_t{4} << 20);
  full.push_back({"wal/zz", 1, std::nullopt});
  EXPECT_FALSE(EncodeCandidates(full).ok());
}

}  // namespace
}  // namespace lakestream
