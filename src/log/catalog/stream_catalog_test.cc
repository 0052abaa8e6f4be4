#include "log/catalog/stream_catalog.h"

#include <gtest/gtest.h>

#include "log/catalog/testing/catalog_world.h"
#include "runtime/when_all.h"

namespace lakestream {
namespace {

/// The UUIDs of a text, replaced by a, b, ... in the order they first appear.
std::string WithoutUuids(std::string text) {
  std::map<std::string, std::string> names;
  for (std::size_t i = 0; i + 36 <= text.size(); ++i) {
    if (text[i + 8] != '-' || text[i + 13] != '-' || text[i + 14] != '4' || text[i + 18] != '-' ||
        text[i + 23] != '-') {
      continue;
    }
    const std::string uuid = text.substr(i, 36);
    if (uuid.find_first_not_of("0123456789abcdef-") != std::string::npos) continue;
    const auto name = names.try_emplace(uuid, std::string(1, static_cast<char>('a' + names.size()))).first->second;
    text.replace(i, 36, name);
  }
  return text;
}

TEST(StreamIdentifier, ParsesAndPrints) {
  EXPECT_EQ(StreamIdentifier::Parse("orders")->ns, "default");
  EXPECT_EQ(StreamIdentifier::Parse("orders")->ToString(), "orders");
  EXPECT_EQ(StreamIdentifier::Parse("shop/orders")->ns, "shop");
  EXPECT_EQ(StreamIdentifier::Parse("shop/orders")->name, "orders");
  EXPECT_EQ(StreamIdentifier::Parse("shop/orders")->ToString(), "shop/orders");
  for (const std::string bad : {"", "/", "a/", "/a", "a/b/c", ".", "..", "a/..", "_a/b", "x.parquet", "a\nb"}) {
    EXPECT_EQ(StreamIdentifier::Parse(bad).status().code(), StatusCode::kInvalidArgument) << bad;
  }
  EXPECT_TRUE(StreamIdentifier::Parse("_a").ok());
  EXPECT_FALSE(StreamIdentifier::Parse(std::string(201, 'a')).ok());
}

// The records of the first partition as the reference writes them: key by key, byte by byte.
TEST(CreateStream, WritesTheReferencesRecords) {
  CatalogWorld world;
  const auto made = world.Create("orders", 1, {{"b", "2"}, {"a", "1"}});
  ASSERT_TRUE(made.ok()) << made.status().ToString();
  EXPECT_EQ(made->logs, std::vector<LogId>(1, LogId(2)));
  const std::map<std::string, std::string> records = world.Records();
  std::string all;
  for (const auto& [key, value] : records) all += key + " " + value + "\n";
  EXPECT_EQ(
      WithoutUuids(all),
      "/admin/streams/_namespaces/default {\"properties\":{}}\n"
      "/admin/streams/default/orders {\"partitions\":1,\"properties\":{\"a\":\"1\",\"b\":\"2\","
      "\"lakestream.binding\":\"raw\"},\"streamConfig\":{\"properties\":{}},"
      "\"partitioning\":{\"strategy\":\"INDEXED\",\"config\":{\"numPartitions\":\"1\"}},"
      "\"schema\":{\"schemaType\":\"NONE\",\"properties\":{}},\"_incarnationId\":\"a\",\"_ownerToken\":\"b\","
      "\"_ownerGeneration\":1,\"_creationKind\":\"NATIVE_CREATE\"}\n"
      "/stream-id-generator \n"
      "/stream-id-generator/lakestream-native/default/orders/partition-0 {\"version\":1,\"state\":\"ACTIVE\","
      "\"streamId\":2,\"incarnationId\":\"a\",\"ownerToken\":\"b\",\"ownerGeneration\":1}\n"
      "/stream-id/2 {\"key\":\"lakestream-native/default/orders/partition-0\"}\n"
      "/streams/default/orders-partition-0 {\"streamId\":2,\"properties\":{},\"terminatedOffset\":null,"
      "\"registrationIncarnationId\":\"a\",\"registrationOwnerToken\":\"b\",\"registrationOwnerGeneration\":1,"
      "\"deleted\":false}\n");
}

TEST(CreateStream, IsProvisioningUntilItsLogsExist) {
  CatalogWorld world;
  // Topic, config, tombstone and namespace are read and written by the seventh call; the eighth never returns.
  CrashStore crash(world.meta, 7, false);
  StreamCatalog catalog(world.sim.runtime(), crash);
  ASSERT_FALSE(world.sim.Run(catalog.CreateStream(OpContext(), *StreamIdentifier::Parse("orders"), 3, {})).ok());
  const std::string config = WithoutUuids(world.Records()["/admin/streams/default/orders"]);
  EXPECT_TRUE(config.ends_with("\"_incarnationId\":\"a\",\"_ownerToken\":\"b\",\"_ownerGeneration\":1,"
                               "\"_creationKind\":\"NATIVE_CREATE\",\"_provisioning\":true,"
                               "\"_provisioningState\":\"PROVISIONING\"}"))
      << config;
  EXPECT_EQ(world.Load("orders").status().code(), StatusCode::kUnavailable);
  const auto streams = world.List();
  ASSERT_TRUE(streams.ok());
  ASSERT_EQ(streams->size(), 1u);
  EXPECT_EQ(streams->front().state, LifecycleState::kCreating);
}

TEST(CreateStream, RefusesWhatCannotBe) {
  CatalogWorld world;
  const auto code = [&](StreamIdentifier id, int partitions, std::map<std::string, std::string> properties = {}) {
    return world.sim.Run(world.catalog.CreateStream(OpContext(), id, partitions, properties)).status().code();
  };
  EXPECT_EQ(code({"default", "a"}, 0), StatusCode::kInvalidArgument);
  EXPECT_EQ(code({"default", "a"}, 10'001), StatusCode::kInvalidArgument);
  EXPECT_EQ(code({"default", ""}, 1), StatusCode::kInvalidArgument);
  EXPECT_EQ(code({"_namespaces", "a"}, 1), StatusCode::kInvalidArgument);
  EXPECT_EQ(code({"default", "a/b"}, 1), StatusCode::kInvalidArgument);
  EXPECT_EQ(code({"default", "a"}, 1, {{"lakestream.binding", "cooked"}}), StatusCode::kInvalidArgument);
  EXPECT_TRUE(world.Records().empty());
  ASSERT_TRUE(world.Create("a", 1).ok());
  EXPECT_EQ(code({"default", "a"}, 1), StatusCode::kAlreadyExists);
  EXPECT_EQ(code({"default", "a"}, 2), StatusCode::kAlreadyExists);
}

TEST(CreateStream, ADroppedNameStaysDroppedAndLeavesNothing) {
  CatalogWorld world;
  world.PutTombstone("default", "orders");
  const std::size_t before = world.Records().size();
  EXPECT_EQ(world.Create("orders", 2).status().code(), StatusCode::kFenced);
  EXPECT_EQ(world.Records().size(), before);
}

TEST(CreateStream, TheLongestNamesFit) {
  CatalogWorld world;
  const std::string name = std::string(200, 'n') + "/" + std::string(200, 's');
  const auto made = world.Create(name, 150);
  ASSERT_TRUE(made.ok()) << made.status().ToString();
  EXPECT_EQ(world.Load(name)->logs, made->logs);
  EXPECT_EQ(world.CheckIds().size(), 150u);
}

TEST(LoadStream, GivesWhatWasCreated) {
  CatalogWorld world;
  const auto made = world.Create("shop/orders", 130, {{"retention", "7d"}});
  ASSERT_TRUE(made.ok());
  const std::map<std::string, std::string> before = world.Records();
  const auto loaded = world.Load("shop/orders");
  ASSERT_TRUE(loaded.ok()) << loaded.status().ToString();
  EXPECT_EQ(loaded->logs, made->logs);
  EXPECT_EQ(loaded->properties, made->properties);
  EXPECT_EQ(loaded->properties.at("lakestream.binding"), "raw");
  EXPECT_EQ(loaded->properties.at("retention"), "7d");
  EXPECT_EQ(world.Records(), before);  // loading changes nothing
  EXPECT_EQ(world.CheckIds().size(), 130u);
}

TEST(LoadStream, SaysWhyThereIsNone) {
  CatalogWorld world;
  EXPECT_EQ(world.Load("orders").status().code(), StatusCode::kNotFound);
  world.Put("/admin/streams/default/orders", "{");
  EXPECT_EQ(world.Load("orders").status().code(), StatusCode::kCorrupt);
  ASSERT_TRUE(world.Create("gone", 2).ok());
  const std::string key = "/streams/default/gone-partition-1";
  ASSERT_TRUE(world.sim.Run(world.meta.Delete(OpContext(), Partition::OfKey(key), key, WriteGuard())).ok());
  EXPECT_EQ(world.Load("gone").status().code(), StatusCode::kCorrupt);
}

TEST(ListStreams, ListsStreamsAndNothingElse) {
  CatalogWorld world;
  EXPECT_TRUE(world.List()->empty());
  for (const std::string name : {"b", "a", "shop/b", "shop/_a"}) ASSERT_TRUE(world.Create(name, 2).ok());
  world.PutTombstone("default", "c");
  world.PutTombstone("shop", "b2");
  world.Put("/admin/streams/_tablecatalogs/ice", "{}");
  const auto streams = world.List();
  ASSERT_TRUE(streams.ok()) << streams.status().ToString();
  std::string text;
  for (const StreamListing& stream : *streams) {
    EXPECT_EQ(stream.state, LifecycleState::kActive);
    EXPECT_EQ(stream.partitions, 2);
    text += stream.id.ToString() + " ";
  }
  EXPECT_EQ(text, "a b shop/_a shop/b ");
}

TEST(ListStreams, PagesThroughMany) {
  CatalogWorld world;
  const std::string config =
      "{\"partitions\":1,\"properties\":{},\"partitioning\":{\"config\":{\"numPartitions\":\"1\"}},"
      "\"_creationKind\":\"NATIVE_CREATE\"}";
  world.Put("/admin/streams/_namespaces/default", "{\"properties\":{}}");
  for (int i = 0; i < 2500; ++i) world.Put("/admin/streams/default/s" + std::to_string(i), config);
  const auto streams = world.List();
  ASSERT_TRUE(streams.ok()) << streams.status().ToString();
  EXPECT_EQ(streams->size(), 2500u);
}

TEST(CatalogRace, TheSameNameIsCreatedOnce) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    CatalogWorld world(seed);
    MemoryMetadataStore other_meta(world.sim.runtime(), world.meta.backend());
    StreamCatalog other(world.sim.runtime(), other_meta);
    std::vector<Task<Result<StreamMetadata>>> creations;
    for (int i = 0; i < 4; ++i) {
      StreamCatalog& catalog = i % 2 == 0 ? world.catalog : other;
      creations.push_back(catalog.CreateStream(OpContext(), *StreamIdentifier::Parse("orders"), 5, {}));
    }
    const auto made = world.sim.RunUntilDone(WhenAll(world.sim.runtime(), std::move(creations)));
    ASSERT_TRUE(made);
    int created = 0;
    const auto loaded = world.Load("orders");
    ASSERT_TRUE(loaded.ok());
    for (const auto& result : *made) {
      if (result.ok()) {
        ++created;
        EXPECT_EQ(result->logs, loaded->logs);
      } else {
        EXPECT_EQ(result.status().code(), StatusCode::kAlreadyExists) << result.status().ToString();
      }
    }
    EXPECT_EQ(created, 1) << "seed " << seed;
    EXPECT_EQ(world.CheckIds().size(), 5u);
  }
}

TEST(CatalogRace, DifferentDefinitionsOfOneName) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    CatalogWorld world(seed);
    std::vector<Task<Result<StreamMetadata>>> creations;
    for (int i = 0; i < 3; ++i) {
      creations.push_back(world.catalog.CreateStream(OpContext(), *StreamIdentifier::Parse("orders"), 2 + i, {}));
    }
    const auto made = world.sim.RunUntilDone(WhenAll(world.sim.runtime(), std::move(creations)));
    ASSERT_TRUE(made);
    int created = 0;
    for (std::size_t i = 0; i < made->size(); ++i) {
      if (!(*made)[i].ok()) {
        EXPECT_EQ((*made)[i].status().code(), StatusCode::kAlreadyExists);
        continue;
      }
      ++created;
      EXPECT_EQ(world.Load("orders")->logs.size(), 2 + i);
    }
    EXPECT_EQ(created, 1);
  }
}

TEST(CatalogRace, DifferentNamesGetDifferentIds) {
  CatalogWorld world;
  MemoryMetadataStore other_meta(world.sim.runtime(), world.meta.backend());
  StreamCatalog other(world.sim.runtime(), other_meta);
  std::vector<Task<Result<StreamMetadata>>> creations;
  for (int i = 0; i < 20; ++i) {
    StreamCatalog& catalog = i % 2 == 0 ? world.catalog : other;
    creations.push_back(catalog.CreateStream(OpContext(), *StreamIdentifier::Parse("s" + std::to_string(i)), 7, {}));
  }
  const auto made = world.sim.RunUntilDone(WhenAll(world.sim.runtime(), std::move(creations)));
  ASSERT_TRUE(made);
  std::set<LogId> ids;
  for (const auto& result : *made) {
    ASSERT_TRUE(result.ok()) << result.status().ToString();
    ids.insert(result->logs.begin(), result->logs.end());
  }
  EXPECT_EQ(ids.size(), 140u);
}

}  // namespace
}  // namespace lakestream
