#include "log/catalog/topics.h"

#include <gtest/gtest.h>

#include "log/catalog/binding.h"
#include "log/catalog/testing/catalog_world.h"
#include "runtime/when_all.h"

namespace lakestream {
namespace {

const StreamIdentifier kOrders{"default", "orders"};
const std::map<std::string, std::string> kKafka{{"lakestream.binding", "kafka"}};

TEST(Topics, AreStreamsOfTheirOwnNameUnderTheTopics) {
  CatalogWorld world;
  const auto made = world.Create("orders", 2, kKafka);
  ASSERT_TRUE(made.ok()) << made.status().ToString();
  ASSERT_TRUE(IsTopicStreamName(made->id.name)) << made->id.name;
  EXPECT_EQ(TopicOfStreamName(made->id.name), "orders");
  const auto loaded = world.Load("orders");
  ASSERT_TRUE(loaded.ok()) << loaded.status().ToString();
  EXPECT_EQ(loaded->id, made->id);
  EXPECT_EQ(loaded->logs, made->logs);
  EXPECT_EQ(world.Load(made->id.ToString())->logs, made->logs);
  EXPECT_EQ(*BindingOf(*loaded), Binding::kKafka);
  const std::string id = made->id.name.substr(made->id.name.size() - 22);
  const std::map<std::string, std::string> expected{{"lakestream.binding", "kafka"},
                                                    {"lakestream.kafka.managed", "true"},
                                                    {"lakestream.kafka.topic.id", id},
                                                    {"lakestream.kafka.topic.name", "orders"},
                                                    {"lakestream.source.logical.name", "orders"}};
  EXPECT_EQ(loaded->properties, expected);
  EXPECT_EQ(world.Records()["/lakestream/topics/default/orders"], "{\"topicId\":\"" + id + "\"}");
  const auto listed = world.List();
  ASSERT_EQ(listed->size(), 1u);
  EXPECT_EQ(listed->front().logical_name, "orders");
}

TEST(Topics, HaveNamesThatKafkaTakes) {
  CatalogWorld world;
  for (const std::string name : {"a b", "a!", "\xc3\xa9", "a:b", "a\\b"}) {
    EXPECT_EQ(world.Create(name, 1, kKafka).status().code(), StatusCode::kInvalidArgument) << name;
    EXPECT_TRUE(world.Create(name, 1).ok()) << name;
  }
  EXPECT_TRUE(world.Create("Az09._-", 1, kKafka).ok());
  EXPECT_TRUE(world.Create(std::string(168, 'a'), 1, kKafka).ok());
  EXPECT_EQ(world.Create(std::string(169, 'b'), 1, kKafka).status().code(), StatusCode::kInvalidArgument);
}

TEST(Topics, ATopicThatExistsIsNamedAsItWasAskedFor) {
  CatalogWorld world;
  const auto made = world.Create("orders", 1, kKafka);
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(world.Create("orders", 2, kKafka).status().ToString(),
            AlreadyExists("the stream exists").With("stream", "orders").With("stored_name", made->id.name).ToString());
}

TEST(Topics, ATopicThatWasDroppedComesBackAsAnother) {
  CatalogWorld world;
  const auto first = world.Create("orders", 1, kKafka);
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(world.Create("orders", 1, kKafka).status().code(), StatusCode::kAlreadyExists);
  EXPECT_EQ(world.Create("orders", 1).status().code(), StatusCode::kAlreadyExists);
  ASSERT_TRUE(world.sim.Run(world.catalog.DropStream(OpContext(), kOrders))->found);
  EXPECT_EQ(world.Load("orders").status().code(), StatusCode::kNotFound);
  const auto second = world.Create("orders", 3, kKafka);
  ASSERT_TRUE(second.ok()) << second.status().ToString();
  EXPECT_NE(second->id, first->id);
  EXPECT_EQ(world.Load("orders")->logs, second->logs);
  EXPECT_EQ(*world.sim.Run(world.catalog.GrowStream(OpContext(), kOrders, 4)), 4);
  EXPECT_EQ(world.sim.Run(world.catalog.Sweep(OpContext(), kOrders))->dropped_streams, 1);
  EXPECT_EQ(world.Load("orders")->logs.size(), 4u);
}

TEST(Topics, UnknownFieldsAreKept) {
  CatalogWorld world;
  ASSERT_TRUE(world.Create("orders", 1, kKafka).ok());
  const std::string key = "/lakestream/topics/default/orders";
  std::string record = world.Records()[key];
  record.insert(record.size() - 1, ",\"later\":[1]");
  world.Put(key, record);
  ASSERT_TRUE(world.sim.Run(world.catalog.DropStream(OpContext(), kOrders)).ok());
  ASSERT_TRUE(world.Create("orders", 1, kKafka).ok());
  EXPECT_NE(world.Records()[key], record) << "the id is another one";
  EXPECT_TRUE(world.Records()[key].ends_with(",\"later\":[1]}")) << world.Records()[key];
}

TEST(Topics, AStreamOfThePlainNameIsInTheWay) {
  CatalogWorld world;
  ASSERT_TRUE(world.Create("orders", 1).ok());
  EXPECT_EQ(world.Create("orders", 1, kKafka).status().code(), StatusCode::kAlreadyExists);
  EXPECT_EQ(world.Records().count("/lakestream/topics/default/orders"), 0u);
  EXPECT_EQ(world.Create(std::string(170, 'a'), 1, kKafka).status().code(), StatusCode::kInvalidArgument);
}

TEST(Topics, OfAnotherProgramAreFoundByTheirNames) {
  CatalogWorld world;
  const std::string full = "orders-topic-id-DoZSD7MWQRGZSg7TTy1u7w";
  ASSERT_TRUE(world.Create(full, 1, {{"lakestream.kafka.topic.name", "orders"}, {"lakestream.binding", "kafka"}}).ok());
  ASSERT_TRUE(world.Create("orders-topic-id-x", 1).ok());
  EXPECT_EQ(world.Load("orders")->id.name, full);
  EXPECT_EQ(world.Create("orders", 1, kKafka).status().code(), StatusCode::kAlreadyExists);
  ASSERT_TRUE(world.Create("orders-topic-id-AoZSD7MWQRGZSg7TTy1u7w", 1).ok());
  EXPECT_EQ(world.Load("orders").status().code(), StatusCode::kPreconditionFailed);
}

TEST(Topics, ACrashAtAnyCallIsFinishedByTheNextCreation) {
  for (int calls = 0;; ++calls) {
    SCOPED_TRACE(calls);
    CatalogWorld world(static_cast<std::uint64_t>(calls) + 1);
    ASSERT_TRUE(world.Create("orders", 1, kKafka).ok());
    ASSERT_TRUE(world.sim.Run(world.catalog.DropStream(OpContext(), kOrders)).ok());
    CrashStore crash(world.meta, calls, calls % 2 == 0);
    StreamCatalog catalog(world.sim.runtime(), crash);
    (void)world.sim.Run(catalog.CreateStream(OpContext(), kOrders, 2, kKafka));
    if (!crash.crashed()) break;
    const auto next = world.Create("orders", 2, kKafka);
    EXPECT_TRUE(next.ok() || next.status().code() == StatusCode::kAlreadyExists) << next.status().ToString();
    const auto listed = world.List();
    ASSERT_EQ(listed->size(), 1u);
    EXPECT_EQ(world.Load("orders")->id, listed->front().id);
  }
}

TEST(CatalogRace, OneTopicIsOneStream) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    CatalogWorld world(seed);
    if (seed % 2 == 0) {
      ASSERT_TRUE(world.Create("orders", 1, kKafka).ok());
      ASSERT_TRUE(world.sim.Run(world.catalog.DropStream(OpContext(), kOrders)).ok());
    }
    std::vector<Task<Result<StreamMetadata>>> tasks;
    for (int i = 0; i < 4; ++i) tasks.push_back(world.catalog.CreateStream(OpContext(), kOrders, 2, kKafka));
    const auto results = world.sim.RunUntilDone(WhenAll(world.sim.runtime(), std::move(tasks)));
    ASSERT_TRUE(results);
    int made = 0;
    for (const auto& one : *results) {
      made += one.ok() ? 1 : 0;
      EXPECT_TRUE(one.ok() || one.status().code() == StatusCode::kAlreadyExists) << one.status().ToString();
    }
    EXPECT_EQ(made, 1);
    EXPECT_EQ(world.List()->size(), 1u);
  }
}

}  // namespace
}  // namespace lakestream
