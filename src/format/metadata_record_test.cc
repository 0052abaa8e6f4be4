#include "format/metadata_record.h"

#include <gtest/gtest.h>

#include <string>

#include "format/testing/bytes.h"

namespace lakestream {
namespace {

TEST(MetadataRecord, ClassifiesKeys) {
  const struct {
    std::string_view key;
    std::string_view kind;
    std::string_view partition;
  } cases[] = {
      {"00000000000000000007-00000000000000000003-00000000000000000008", "index_record", "7"},
      {"/mark-deleted-offsets/42", "trim_marker", "42"},
      {"/stream-write-fences/42", "write_fence", "42"},
      {"/stream-write-leases/42/9b2f0c7e-1111-4222-8333-444455556666", "write_lease", "42"},
      {"/first-uncompacted-offset/42", "compaction_cursor", "/first-uncompacted-offset/42"},
      {"/admin/streams/_namespaces/default", "namespace", "/admin/streams/_namespaces/default"},
      {"/admin/streams/default/orders", "stream_config", "/admin/streams/default/orders"},
      {"/admin/streams/_tombstones/default/orders", "stream_tombstone", "/admin/streams/_tombstones/default/orders"},
      {"/streams/default/orders-partition-3", "partition", "/streams/default/orders-partition-3"},
      {"/stream-id-generator", "log_id_generator", "/stream-id-generator"},
      {"/stream-id-generator/lakestream-native/default/orders/partition-0", "log_id_mapping", "/stream-id-generator"},
      {"/stream-id/42", "log_registration", "/stream-id/42"},
      {"/lakestream/deployment", "deployment", "/lakestream/deployment"},
      {"/lakestream/compaction/42", "compaction", "42"},
      {"/lakestream/compaction-claim/42/s-1", "compaction_claim", "42"},
      {"/lakestream/compaction-claim/42", "unknown", "/lakestream/compaction-claim/42"},
      {"/lakestream/compaction/042", "unknown", "/lakestream/compaction/042"},
      {"/lakestream/topics/default/orders", "topic", "/lakestream/topics/default/orders"},
      {"lakestream-gc-pass", "collection_mark", "lakestream-gc-pass"},
      {"/lakestream/compaction/gc-pass", "collection_mark", "/lakestream/compaction/gc-pass"},
      {"/lakestream/gc/passes/00000000000000000007", "collection_pass", "/lakestream/gc"},
      {"/lakestream/gc/results/00000000000000000003", "collection_result", "/lakestream/gc"},
      {"/lakestream/gc/candidates/00000000000000000007-0000000000", "collection_candidates", "/lakestream/gc"},
      {"/lakestream/isolated/42", "log_isolation", "/lakestream/isolated"},
      {"/lakestream/isolated/042", "unknown", "/lakestream/isolated/042"},
      {"/lakestream/gc/passes/7", "unknown", "/lakestream/gc/passes/7"},
      {"/mark-deleted-offsets/042", "unknown", "/mark-deleted-offsets/042"},
      {"/admin/streams/_tablecatalogs/x", "unknown", "/admin/streams/_tablecatalogs/x"},
      {"/admin/streams/_tombstones/default", "unknown", "/admin/streams/_tombstones/default"},
      {"/admin/streams/default", "unknown", "/admin/streams/default"},
      {"/stream-id-generator/", "unknown", "/stream-id-generator/"},
      {"/stream-id/x", "unknown", "/stream-id/x"},
      {"00000000000000000007-00000000000000000003-0000000000000000000x", "unknown",
       "00000000000000000007-00000000000000000003-0000000000000000000x"},
      {"ursa-wal-delete-marker", "unknown", "ursa-wal-delete-marker"},
      {"", "unknown", ""},
  };
  for (const auto& c : cases) {
    const KnownKey known = ClassifyKey(c.key);
    EXPECT_EQ(RecordKindName(known.kind), c.kind) << c.key;
    EXPECT_EQ(known.partition, c.partition);
  }
}

void ExpectFields(std::string_view key, std::string_view value, std::string_view fields) {
  const Description description = DescribeRecord(key, AsBytes(value));
  EXPECT_TRUE(description.damage.ok()) << key << ": " << description.damage.ToString();
  EXPECT_EQ(DumpJson(description.fields), fields) << key;
}

TEST(MetadataRecord, DescribesValues) {
  ExpectFields("/mark-deleted-offsets/42", "17", R"({"offset":17})");
  ExpectFields("/first-uncompacted-offset/42", "8", R"({"offset":8})");
  ExpectFields("/stream-write-fences/42", "\x01", R"({"value":"\u0001"})");
  ExpectFields("/stream-write-leases/42/9b2f", "9b2f", R"({"token":"9b2f"})");
  ExpectFields("/lakestream/compaction/42", R"({"state":"idle","next":3,"later":1})",
               R"({"state":"idle","next":3,"later":1})");
  ExpectFields("/lakestream/compaction-claim/42/s-1", "s-1", R"({"session":"s-1"})");
  ExpectFields("lakestream-gc-pass", "7", R"({"pass":7})");
  ExpectFields("/lakestream/gc/passes/00000000000000000007", R"({"collector":"c"})", R"({"collector":"c"})");
  ExpectFields("/stream-id-generator", "", "{}");
  ExpectFields("/stream-id-generator/x", R"({"version":1,"state":"ACTIVE","streamId":7,"later":[1]})",
               R"({"version":1,"state":"ACTIVE","streamId":7,"later":[1]})");
  ExpectFields("/stream-id-generator/x", "7", "7");
  ExpectFields("/streams/default/s-partition-0", "", "{}");
  ExpectFields("/streams/default/s-partition-0",
               R"({"streamId":1,"properties":{},"terminatedOffset":2,"deleted":false})",
               R"({"streamId":1,"properties":{},"terminatedOffset":2,"deleted":false})");
  ExpectFields("elsewhere", "text", R"({"value":"text"})");
  ExpectFields("elsewhere", "\xff\x01", R"({"value_base64":"/wE="})");
  ExpectFields("00000000000000000007-00000000000000000001-00000000000000000004",
               Hex("0803120277321800200028013004380940ffffffffffffffffff014801"),
               R"({"version":3,"location":"w2","file_type":"RAW","index_type":"NORMAL","message_count":1,)"
               R"("entry_size_bytes":4,"file_size":9,"offset_in_file":-1,"entry_count":1})");
}

TEST(MetadataRecord, NamesTheDamageAndShowsWhatThereIs) {
  const auto expect = [](std::string_view key, std::string_view value, std::string_view fields, StatusCode code,
                         std::string_view says) {
    const Description description = DescribeRecord(key, AsBytes(value));
    EXPECT_EQ(DumpJson(description.fields), fields) << key;
    ExpectStatus(description.damage, code, {says});
  };
  expect("/mark-deleted-offsets/42", "017", R"({"value":"017"})", StatusCode::kCorrupt, "field=value");
  expect("/admin/streams/default/s", R"({"partitions":-1})", R"({"partitions":-1})", StatusCode::kCorrupt,
         "field=partitions");
  expect("/admin/streams/default/s", "{", R"({"value":"{"})", StatusCode::kCorrupt, "object=/admin/streams/default/s");
  expect("/lakestream/deployment", R"({"format_version":4})", R"({"format_version":4})", StatusCode::kUnimplemented,
         "version=4");
}

}  // namespace
}  // namespace lakestream
