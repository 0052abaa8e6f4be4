#include "format/catalog_records.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "format/testing/bytes.h"

namespace lakestream {
namespace {

constexpr std::string_view kStream = "orders-topic-id-DoZSD7MWQRGZSg7TTy1u7w";

// A stream while it is being created, and once it is.
constexpr std::string_view kProvisioning =
    R"({"partitions":3,"properties":{},"streamConfig":{"properties":{}},"partitioning":{"strategy":"INDEXED",)"
    R"("config":{"numPartitions":"3"}},"schema":{"schemaType":"NONE","properties":{}},)"
    R"("_incarnationId":"incarnation-1","_ownerToken":"owner-1","_ownerGeneration":1,)"
    R"("_creationKind":"NATIVE_CREATE","_provisioning":true,)"
    R"("_provisioningState":"PROVISIONING"})";
constexpr std::string_view kActive =
    R"({"partitions":3,"properties":{},"streamConfig":{"properties":{}},"partitioning":{"strategy":"INDEXED",)"
    R"("config":{"numPartitions":"3"}},"schema":{"schemaType":"NONE","properties":{}},)"
    R"("_incarnationId":"incarnation-1","_ownerToken":"owner-1","_ownerGeneration":1,)"
    R"("_creationKind":"NATIVE_CREATE"})";

std::string Replaced(std::string_view text, std::string_view what, std::string_view by) {
  std::string out(text);
  const std::size_t at = out.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return out.replace(at, what.size(), by);
}

TEST(CatalogKeys, KnownKeys) {
  EXPECT_EQ(kLogIdGeneratorKey, "/stream-id-generator");
  EXPECT_EQ(NamespaceKey("my-ns"), "/admin/streams/_namespaces/my-ns");
  EXPECT_EQ(StreamConfigKey("default", kStream),
            "/admin/streams/default/orders-topic-id-DoZSD7MWQRGZSg7TTy1u7w");
  EXPECT_EQ(StreamTombstoneKey("ns", "orders"), "/admin/streams/_tombstones/ns/orders");
  EXPECT_EQ(PartitionKeyOf("default", "my-topic", 0), "/streams/default/my-topic-partition-0");
  EXPECT_EQ(LogNameOf("default", "orders", 0), "default/orders-partition-0");
  EXPECT_EQ(LogMappingNameOf("default", kStream, 3),
            "lakestream-native/default/orders-topic-id-DoZSD7MWQRGZSg7TTy1u7w/partition-3");
  EXPECT_EQ(LogMappingKey(LogMappingNameOf("default", "orders", 0)),
            "/stream-id-generator/lakestream-native/default/orders/partition-0");
  EXPECT_EQ(LogRegistrationKey(LogId(42)), "/stream-id/42");
}

TEST(CatalogKeys, RangesHoldTheirOwnOnly) {
  const auto inside = [](const KeyBounds& range, const std::string& key) {
    return range.first <= key && key < range.end;
  };
  EXPECT_TRUE(inside(StreamConfigKeys("ns"), StreamConfigKey("ns", "a")));
  EXPECT_TRUE(inside(StreamConfigKeys("ns"), StreamConfigKey("ns", "\xee\xbf\xbf")));
  EXPECT_FALSE(inside(StreamConfigKeys("ns"), StreamConfigKey("ns2", "a")));
  EXPECT_FALSE(inside(StreamConfigKeys("ns"), StreamTombstoneKey("ns", "a")));
  EXPECT_TRUE(inside(NamespaceKeys(), NamespaceKey("ns")));
  EXPECT_FALSE(inside(NamespaceKeys(), StreamTombstoneKey("ns", "a")));
  EXPECT_TRUE(inside(LogRegistrationKeys(), LogRegistrationKey(LogId(9223372036854775807))));
  EXPECT_FALSE(inside(LogRegistrationKeys(), LogMappingKey("x")));
}

TEST(CatalogKeys, MappingNamesAreMatchedWhole) {
  const auto parsed = ParseLogMappingName(LogMappingNameOf("ns", kStream, 12));
  ASSERT_TRUE(parsed.has_value());
  EXPECT_EQ(parsed->ns, "ns");
  EXPECT_EQ(parsed->name, kStream);
  EXPECT_EQ(parsed->partition, 12);
  for (const std::string_view no :
       {"", "lakestream-native/", "lakestream-native/ns/a", "lakestream-native/ns/partition-1",
        "lakestream-native/ns/a/partition-", "lakestream-native/ns/a/partition-01", "lakestream-native/ns/a/partition-1/",
        "lakestream-native/ns/a/partition-2147483648", "lakestream-native/ns/../partition-1",
        "lakestream-native/../a/partition-1", "lakestream-native/ns/a/b/partition-1", "native/ns/a/partition-1"}) {
    EXPECT_FALSE(ParseLogMappingName(no).has_value()) << no;
  }
}

TEST(CatalogKeys, PartitionKeysAreReadFromTheRight) {
  const auto parsed = ParsePartitionKey("/streams/ns/a-partition-1-partition-12");
  ASSERT_TRUE(parsed.has_value());
  EXPECT_EQ(parsed->ns, "ns");
  EXPECT_EQ(parsed->name, "a-partition-1");
  EXPECT_EQ(parsed->partition, 12);
  for (const std::string bad :
       {"/streams/ns/a-partition-", "/streams/ns/a-partition-01", "/streams/ns/a-partition-1x",
        "/streams/ns/a-partition--1", "/streams/ns/a-partition-2147483648", "/streams/ns/-partition-1",
        "/streams//a-partition-1", "/streams/a-partition-1", "/streams/ns/b/a-partition-1",
        "/streams/_ns/a-partition-1", "streams/ns/a-partition-1", "/streams/ns/a",
        "/streams/ns-partition-1/a"}) {
    EXPECT_FALSE(ParsePartitionKey(bad).has_value()) << bad;
  }
}

TEST(CatalogKeys, Names) {
  EXPECT_TRUE(CheckStreamName("default", kStream).ok());
  EXPECT_TRUE(CheckStreamName("n", "_x").ok());
  EXPECT_TRUE(CheckStreamName("n", "größe-データ").ok());
  EXPECT_TRUE(CheckStreamName("n", std::string(200, 'x')).ok());
  EXPECT_TRUE(CheckStreamName("...", "a.parque").ok());
  const std::string bad_names[] = {"",
                                   ".",
                                   "..",
                                   "a/b",
                                   "a\nb",
                                   std::string("a\0b", 3),
                                   "a\x7f",
                                   "a\xc2\x85",
                                   "x.parquet",
                                   "x.parquet-topic",
                                   std::string(201, 'x'),
                                   "\xff",
                                   "a\xc3",
                                   "\xc0\xaf",
                                   "\xed\xa0\x80",
                                   "\xf4\x90\x80\x80",
                                   "\xe0\x80\x80",
                                   "\xef\xbf\xbf"};
  for (const std::string& bad : bad_names) {
    ExpectStatus(CheckStreamName("ns", bad), StatusCode::kInvalidArgument, {"field=stream"});
    ExpectStatus(CheckStreamName(bad, "name"), StatusCode::kInvalidArgument, {"field=namespace"});
    EXPECT_FALSE(CheckNamespaceName(bad).ok());
  }
  ExpectStatus(CheckStreamName("_ns", "a"), StatusCode::kInvalidArgument, {"underscore"});
}

// The longest legal names make the longest key, which every store must take (LMDB: 511 bytes with its prefix).
TEST(CatalogKeys, LongestKeyFits) {
  const std::string name(200, 'x');
  EXPECT_LE(LogMappingKey(LogMappingNameOf(name, name, 2147483647)).size(), 495u);
  EXPECT_LE(StreamTombstoneKey(name, name).size(), 495u);
  EXPECT_LE(PartitionKeyOf(name, name, 2147483647).size(), 495u);
}

TEST(StreamConfig, KnownBytes) {
  StreamConfigRecord record;
  record.SetPartitions(3);
  record.incarnation_id = "incarnation-1";
  record.owner_token = "owner-1";
  record.owner_generation = 1;
  record.state = ProvisioningState::kProvisioning;
  ASSERT_TRUE(EncodeStreamConfig(record).ok()) << EncodeStreamConfig(record).status().ToString();
  EXPECT_EQ(*EncodeStreamConfig(record), kProvisioning);
  EXPECT_EQ(*DecodeStreamConfig(kProvisioning, "k"), record);
  record.state = ProvisioningState::kActive;
  EXPECT_EQ(*EncodeStreamConfig(record), kActive);
  EXPECT_EQ(*DecodeStreamConfig(kActive, "k"), record);
}

// Every field of the record, in the writer's order, with unknown ones at each level.
TEST(StreamConfig, FullRecordRewritesToTheSameBytes) {
  const std::string text =
      R"({"partitions":2,"properties":{"z":"1","a":"2"},"streamConfig":{"properties":{"retention.ms":"5"},)"
      R"("u":1},)"
      R"("partitioning":{"strategy":"INDEXED","config":{"numPartitions":"2","other":"x"},"u":[2]},)"
      R"("schema":{"schemaType":"AVRO","properties":{"p":"q"},"u":{"v":null}},)"
      R"("_pendingExpansion":{"basePartitions":2,"targetPartitions":5,"u":1.50},)"
      R"("_propertiesSourceRevision":12,)"
      R"("materialization":{"type":"ICEBERG","x":[1]},"_incarnationId":"i","_ownerToken":"t",)"
      R"("_ownerGeneration":2,)"
      R"("_metadataSourceOwnerToken":"s","_metadataSourceGeneration":1,"_creationKind":"NATIVE_CREATE",)"
      R"("_provisioning":true,"_provisioningState":"DROPPED","_purgeRequested":true,"later":{"a":[true]},)"
      R"("n":null})";
  const Result<StreamConfigRecord> record = DecodeStreamConfig(text, "k");
  ASSERT_TRUE(record.ok()) << record.status().ToString();
  EXPECT_EQ(record->state, ProvisioningState::kDropped);
  EXPECT_TRUE(record->purge_requested);
  EXPECT_EQ(record->pending_expansion->target_partitions, 5);
  EXPECT_EQ(*EncodeStreamConfig(*record), text);
}

TEST(StreamConfig, DefaultsOfAbsentFields) {
  const Result<StreamConfigRecord> record = DecodeStreamConfig(
      R"({"partitions":0,"partitioning":{"config":{"numPartitions":"0"}},"_creationKind":"NATIVE_CREATE"})",
      "k");
  ASSERT_TRUE(record.ok()) << record.status().ToString();
  EXPECT_EQ(record->partitioning.strategy, "INDEXED");
  EXPECT_EQ(record->schema.schema_type, "NONE");
  EXPECT_EQ(record->state, ProvisioningState::kActive);
  EXPECT_FALSE(record->owner_generation.has_value());
}

TEST(StreamConfig, RefusesBadFields) {
  const struct {
    std::string_view what;
    std::string_view by;
    std::string_view field;
  } cases[] = {
      {R"("partitions":3)", R"("partitions":-1)", "field=partitions"},
      {R"("partitions":3)", R"("partitions":2)", "field=partitioning.config.numPartitions"},
      {R"("numPartitions":"3")", R"("numPartitions":"03")", "field=partitioning.config.numPartitions"},
      {R"("numPartitions":"3")", "", "field=partitioning.config.numPartitions"},
      {R"("numPartitions":"3")", R"("numPartitions":3)", "field=partitioning.config.numPartitions"},
      {R"("properties":{})", R"("properties":[])", "field=properties"},
      {R"("strategy":"INDEXED")", R"("strategy":1)", "field=partitioning.strategy"},
      {R"("_ownerGeneration":1)", R"("_ownerGeneration":-1)", "field=_ownerGeneration"},
      {R"(,"_creationKind":"NATIVE_CREATE")", "", "field=_creationKind"},
      {R"("_creationKind":"NATIVE_CREATE")", R"("_creationKind":"EXTERNAL")", "field=_creationKind"},
      {R"("_provisioning":true)", R"("_provisioning":false)", "field=_provisioningState"},
      {R"("_provisioningState":"PROVISIONING")", R"("_provisioningState":"ACTIVE")",
       "field=_provisioningState"},
      {R"("_provisioningState":"PROVISIONING")", R"("_provisioningState":"GONE")", "field=_provisioningState"},
      {R"(,"_provisioningState":"PROVISIONING")", "", "field=_provisioningState"},
      {R"("_provisioning":true)",
       R"("_pendingExpansion":{"basePartitions":3,"targetPartitions":2},"_provisioning":true)",
       "field=_pendingExpansion.targetPartitions"},
  };
  for (const auto& c : cases) {
    ExpectStatus(DecodeStreamConfig(Replaced(kProvisioning, c.what, c.by), "/admin/streams/a/b").status(),
                 StatusCode::kCorrupt, {"object=/admin/streams/a/b", c.field});
  }
  StreamConfigRecord record;
  record.partitions = 2;
  EXPECT_EQ(EncodeStreamConfig(record).status().code(), StatusCode::kInvalidArgument);
}

TEST(LogMetadata, KnownBytes) {
  for (
      const std::string text : {
          R"({"streamId":1,"properties":{},"terminatedOffset":2,"deleted":false})",
          R"({"streamId":2,"properties":{},"terminatedOffset":null,"deleted":false})",
          R"({"streamId":4,"properties":{"key":"value"},"terminatedOffset":5,)"
          R"("registrationIncarnationId":"incarnation-1",)"
          R"("registrationOwnerToken":"owner-1","registrationOwnerGeneration":7,"deleted":true})",
          R"({"streamId":-1,"properties":{},"terminatedOffset":null,"deleted":false})",
          R"({"streamId":2,"properties":{},"terminatedOffset":null,"retiredStreamIds":[3,5],)"
          R"("purgeableRetiredStreamIds":[3],)"
          R"("retiredStreamMappings":[{"streamId":3,"mappingKey":"m"},{"streamId":5,"mappingKey":"n",)"
          R"("purge":true}],)"
          R"("retiredMappingKeys":["m","n"],"later":{"x":1},"deleted":false})",
      }) {
    const Result<LogMetadataRecord> record = DecodeLogMetadata(text, "k");
    ASSERT_TRUE(record.ok()) << record.status().ToString();
    EXPECT_EQ(*EncodeLogMetadata(*record), text);
  }
  LogMetadataRecord record;
  record.log = LogId(2);
  record.registrant = LogRegistrant{"incarnation-1", "owner-1", 1};
  EXPECT_EQ(
      *EncodeLogMetadata(record),
      R"({"streamId":2,"properties":{},"terminatedOffset":null,"registrationIncarnationId":"incarnation-1",)"
      R"("registrationOwnerToken":"owner-1","registrationOwnerGeneration":1,"deleted":false})");
}

TEST(LogMetadata, OlderFormsAreRead) {
  const Result<LogMetadataRecord> empty = DecodeLogMetadata("", "k");
  ASSERT_TRUE(empty.ok());
  EXPECT_FALSE(empty->log.has_value());
  const Result<LogMetadataRecord> old =
      DecodeLogMetadata(R"({"streamId":3,"properties":{},"terminatedOffset":4})", "k");
  ASSERT_TRUE(old.ok());
  EXPECT_EQ(old->log, LogId(3));
  EXPECT_FALSE(old->deleted);
}

TEST(LogMetadata, RefusesBadFields) {
  for (const auto& [text, field] : std::vector<std::pair<std::string, std::string>>{
           {R"({"properties":{}})", "field=streamId"},
           {R"({"streamId":-2})", "field=streamId"},
           {R"({"streamId":1,"registrationOwnerToken":"t"})", "field=registrationIncarnationId"},
           {R"({"streamId":1,"retiredStreamIds":["3"]})", "field=retiredStreamIds"},
           {R"({"streamId":1,"retiredStreamMappings":[{"streamId":3}]})",
            "field=retiredStreamMappings.mappingKey"},
           {R"({"streamId":1,"retiredMappingKeys":[1]})", "field=retiredMappingKeys"},
           {R"({"streamId":1,"deleted":"no"})", "field=deleted"},
       }) {
    ExpectStatus(DecodeLogMetadata(text, "key").status(), StatusCode::kCorrupt, {"object=key", field});
  }
}

TEST(LogMapping, KnownBytes) {
  const std::string text =
      R"({"version":1,"state":"ACTIVE","streamId":2,"incarnationId":"incarnation-1",)"
      R"("ownerToken":"owner-1","ownerGeneration":1})";
  LogMappingRecord record;
  record.log = LogId(2);
  record.incarnation_id = "incarnation-1";
  record.owner_token = "owner-1";
  record.owner_generation = 1;
  EXPECT_EQ(*EncodeLogMapping(record), text);
  EXPECT_EQ(*DecodeLogMapping(text, "k"), record);
  record.tombstone = true;
  EXPECT_EQ(*EncodeLogMapping(record), Replaced(text, "ACTIVE", "TOMBSTONE"));
  const Result<LogMappingRecord> plain = DecodeLogMapping("42", "k");
  ASSERT_TRUE(plain.ok());
  EXPECT_EQ(plain->log, LogId(42));
  EXPECT_FALSE(plain->tombstone);
  ExpectStatus(DecodeLogMapping(Replaced(text, "\"version\":1", "\"version\":2"), "k").status(),
               StatusCode::kCorrupt, {"field=version", "value=2"});
  ExpectStatus(DecodeLogMapping(Replaced(text, "ACTIVE", "OTHER"), "k").status(), StatusCode::kCorrupt,
               {"field=state"});
  EXPECT_FALSE(DecodeLogMapping("042", "k").ok());
  EXPECT_FALSE(DecodeLogMapping("-1", "k").ok());
}

TEST(LogRegistration, KnownBytes) {
  const std::string text =
      R"({"key":"lakestream-native/default/orders-topic-id-DoZSD7MWQRGZSg7TTy1u7w/partition-2"})";
  const Result<LogRegistrationRecord> record = DecodeLogRegistration(text, "k");
  ASSERT_TRUE(record.ok());
  EXPECT_EQ(record->key, LogMappingNameOf("default", kStream, 2));
  EXPECT_EQ(*EncodeLogRegistration(*record), text);
  for (const std::string other : {R"({"key":null})", R"({"key":"a","later":1})"}) {
    EXPECT_EQ(*EncodeLogRegistration(*DecodeLogRegistration(other, "k")), other);
  }
  EXPECT_FALSE(DecodeLogRegistration(R"({"key":1})", "k").ok());
}

TEST(Namespace, KnownBytes) {
  EXPECT_EQ(*EncodeNamespace(NamespaceRecord()), R"({"properties":{}})");
  for (const std::string text : {R"({"properties":{}})", R"({"properties":{"b":"1","a":"2"},"later":[1]})"}) {
    EXPECT_EQ(*EncodeNamespace(*DecodeNamespace(text, "k")), text);
  }
  EXPECT_FALSE(DecodeNamespace("", "k").ok());
}

}  // namespace
}  // namespace lakestream
