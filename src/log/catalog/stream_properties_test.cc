#include "log/catalog/stream_properties.h"

#include <gtest/gtest.h>

#include "log/catalog/testing/catalog_world.h"
#include "meta/wrap/fault_metadata_store.h"
#include "runtime/when_all.h"

namespace lakestream {
namespace {

const StreamIdentifier kOrders{"default", "orders"};

Result<StreamProperties> Set(CatalogWorld& world, PropertyChange change) {
  return world.sim.Run(world.catalog.SetProperties(OpContext(), kOrders, std::move(change)));
}

PropertyChange One(const std::string& name, const std::string& value) {
  PropertyChange change;
  change.set[name] = value;
  return change;
}

TEST(Properties, SetRemoveAndReplace) {
  CatalogWorld world;
  ASSERT_TRUE(world.Create("orders", 1, {{"a", "1"}, {"b", "2"}}).ok());
  PropertyChange change = One("c", "3");
  change.remove.push_back("a");
  const auto set = Set(world, change);
  ASSERT_TRUE(set.ok()) << set.status().ToString();
  const std::map<std::string, std::string> expected{{"b", "2"}, {"c", "3"}, {"lakestream.binding", "raw"}};
  EXPECT_EQ(set->properties, expected);
  EXPECT_TRUE(set->changed);
  EXPECT_EQ(world.Load("orders")->properties, expected);
  EXPECT_EQ(world.Load("orders")->revision, set->revision);
  EXPECT_FALSE(Set(world, One("c", "3"))->changed);
  PropertyChange all = One("z", "9");
  all.replace = true;
  const std::map<std::string, std::string> replaced{{"lakestream.binding", "raw"}, {"z", "9"}};
  EXPECT_EQ(Set(world, all)->properties, replaced);
}

TEST(Properties, TheBindingIsFixed) {
  CatalogWorld world;
  EXPECT_EQ(Set(world, One("a", "b")).status().code(), StatusCode::kNotFound);
  ASSERT_TRUE(world.Create("orders", 1).ok());
  EXPECT_EQ(Set(world, One("lakestream.binding", "kafka")).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(Set(world, One("lakestream.kafka.topic.name", "x")).status().code(), StatusCode::kInvalidArgument);
  EXPECT_TRUE(Set(world, One("lakestream.binding", "raw")).ok());
  PropertyChange remove;
  remove.remove.push_back("lakestream.binding");
  EXPECT_EQ(Set(world, remove).status().code(), StatusCode::kInvalidArgument);
}

TEST(Properties, ARevisionIsComparedAndSet) {
  CatalogWorld world;
  ASSERT_TRUE(world.Create("orders", 1).ok());
  PropertyChange change = One("a", "1");
  change.revision = world.Load("orders")->revision;
  ASSERT_TRUE(Set(world, change).ok());
  change.set["a"] = "2";
  EXPECT_EQ(Set(world, change).status().code(), StatusCode::kPreconditionFailed);
  EXPECT_EQ(world.Load("orders")->properties.at("a"), "1");
}

TEST(Properties, AnOldSourceRevisionChangesNothing) {
  CatalogWorld world;
  ASSERT_TRUE(world.Create("orders", 1).ok());
  PropertyChange change = One("a", "5");
  change.source_revision = 5;
  EXPECT_TRUE(Set(world, change)->changed);
  for (const std::int64_t old : {4, 5}) {
    PropertyChange late = One("a", "4");
    late.source_revision = old;
    EXPECT_FALSE(Set(world, late)->changed);
  }
  EXPECT_EQ(world.Load("orders")->properties.at("a"), "5");
  EXPECT_NE(world.Records()["/admin/streams/default/orders"].find("\"_propertiesSourceRevision\":5"),
            std::string::npos);
}

TEST(Properties, ConcurrentChangesAllCount) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    CatalogWorld world(seed);
    ASSERT_TRUE(world.Create("orders", 1).ok());
    std::vector<Task<Result<StreamProperties>>> tasks;
    for (int i = 0; i < 4; ++i) {
      tasks.push_back(world.catalog.SetProperties(OpContext(), kOrders, One("p" + std::to_string(i), "x")));
    }
    const auto results = world.sim.RunUntilDone(WhenAll(world.sim.runtime(), std::move(tasks)));
    ASSERT_TRUE(results);
    for (const auto& one : *results) EXPECT_TRUE(one.ok()) << one.status().ToString();
    EXPECT_EQ(world.Load("orders")->properties.size(), 5u);
  }
}

TEST(Properties, WhatOthersChangedSinceIsNotUndone) {
  for (const bool with_revision : {true, false}) {
    CatalogWorld world;
    ASSERT_TRUE(world.Create("orders", 1).ok());
    OvertakenStore overtaken(world.meta, 1, [&]() -> Task<Status> {
      Task<Result<StreamProperties>> change = world.catalog.SetProperties(OpContext(), kOrders, One("a", "theirs"));
      co_return (co_await change).status();
    });
    StreamCatalog catalog(world.sim.runtime(), overtaken);
    PropertyChange change = One("a", "ours");
    if (with_revision) change.revision = world.Load("orders")->revision;
    const auto set = world.sim.Run(catalog.SetProperties(OpContext(), kOrders, change));
    EXPECT_EQ(set.status().code(), StatusCode::kIndeterminate) << set.status().ToString();
    EXPECT_EQ(world.Load("orders")->properties.at("a"), "theirs");
  }
}

TEST(Properties, LostAnswersAreResolved) {
  for (const bool applied : {true, false}) {
    for (const bool with_revision : {true, false}) {
      CatalogWorld world;
      ASSERT_TRUE(world.Create("orders", 1).ok());
      MetadataFaultPlan plan(world.sim.runtime());
      FaultMetadataStore faulty(world.sim.runtime(), world.meta, plan);
      plan.OnNth(MetadataOp::kCompareAndSet, "", 1,
                 applied ? MetadataFault::LoseAnswer() : MetadataFault::Fail(Indeterminate("the answer was lost")));
      StreamCatalog catalog(world.sim.runtime(), faulty);
      PropertyChange change = One("a", "1");
      if (with_revision) change.revision = world.Load("orders")->revision;
      const auto set = world.sim.Run(catalog.SetProperties(OpContext(), kOrders, change));
      EXPECT_TRUE(set.ok()) << set.status().ToString();
      EXPECT_EQ(world.Load("orders")->properties.at("a"), "1");
      EXPECT_TRUE(world.sim.Run(faulty.Stop()).ok());
    }
  }
}

}  // namespace
}  // namespace lakestream
