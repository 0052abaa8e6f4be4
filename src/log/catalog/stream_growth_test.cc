#include "log/catalog/stream_growth.h"

#include <gtest/gtest.h>

#include "log/catalog/testing/catalog_world.h"
#include "meta/wrap/fault_metadata_store.h"
#include "runtime/when_all.h"

namespace lakestream {
namespace {

const StreamIdentifier kOrders{"default", "orders"};

Result<int> GrowThrough(CatalogWorld& world, MetadataStore& meta, int target) {
  StreamCatalog catalog(world.sim.runtime(), meta);
  return world.sim.Run(catalog.GrowStream(OpContext(), kOrders, target));
}

void ExpectPartitions(CatalogWorld& world, std::size_t count) {
  const auto loaded = world.Load("orders");
  ASSERT_TRUE(loaded.ok()) << loaded.status().ToString();
  EXPECT_EQ(loaded->logs.size(), count);
  EXPECT_EQ(std::set<LogId>(loaded->logs.begin(), loaded->logs.end()).size(), count);
  for (const LogId log : loaded->logs) EXPECT_EQ(world.Records().count("/stream-id/" + log.ToString()), 1u);
  (void)world.CheckIds();
}

TEST(StreamGrowth, AddsPartitionsAndKeepsTheOldOnes) {
  CatalogWorld world;
  const auto made = world.Create("orders", 2, {{"a", "b"}});
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(*GrowThrough(world, world.meta, 5), 5);
  ExpectPartitions(world, 5);
  const auto loaded = world.Load("orders");
  EXPECT_EQ(loaded->logs[0], made->logs[0]);
  EXPECT_EQ(loaded->logs[1], made->logs[1]);
  EXPECT_EQ(loaded->properties, made->properties);
  EXPECT_EQ(*GrowThrough(world, world.meta, 5), 5);
  EXPECT_EQ(*GrowThrough(world, world.meta, 1), 5) << "a stream never shrinks";
  ExpectPartitions(world, 5);
}

TEST(StreamGrowth, RefusesWhatCannotBe) {
  CatalogWorld world;
  EXPECT_EQ(GrowThrough(world, world.meta, 2).status().code(), StatusCode::kNotFound);
  ASSERT_TRUE(world.Create("orders", 2).ok());
  EXPECT_EQ(GrowThrough(world, world.meta, 0).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(GrowThrough(world, world.meta, 10'001).status().code(), StatusCode::kInvalidArgument);
  ASSERT_TRUE(world.sim.Run(world.catalog.DropStream(OpContext(), kOrders)).ok());
  EXPECT_EQ(GrowThrough(world, world.meta, 3).status().code(), StatusCode::kNotFound);
}

TEST(StreamGrowth, ACrashAtAnyCallIsFinishedByTheNextGrowth) {
  for (const bool apply_last : {false, true}) {
    int calls = 0;
    for (;; ++calls) {
      SCOPED_TRACE(testing::Message() << "crash at call " << calls << (apply_last ? " after" : " before") << " it");
      CatalogWorld world(static_cast<std::uint64_t>(calls) + 1);
      ASSERT_TRUE(world.Create("orders", 2).ok());
      CrashStore crash(world.meta, calls, apply_last);
      const auto first = GrowThrough(world, crash, 4);
      if (!crash.crashed()) break;
      // Not done is what it says only where no other growth can finish it.
      const auto config = DecodeStreamConfig(world.Records()["/admin/streams/default/orders"], "config");
      const bool begun = config->pending_expansion || config->partitions == 4;
      const bool said = first.status().code() == StatusCode::kIndeterminate;
      EXPECT_TRUE(apply_last || said == begun) << first.status().ToString();
      const auto between = world.Load("orders");
      ASSERT_TRUE(between.ok()) << between.status().ToString();
      EXPECT_TRUE(between->logs.size() == 2 || between->logs.size() == 4) << between->logs.size();
      // Another target: what was begun is finished first.
      const auto next = GrowThrough(world, world.meta, 3 + calls % 3);
      ASSERT_TRUE(next.ok()) << next.status().ToString();
      ExpectPartitions(world, static_cast<std::size_t>(*next));
      EXPECT_GE(*next, 3 + calls % 3);
      ASSERT_TRUE(GrowThrough(world, world.meta, 6).ok());
      ExpectPartitions(world, 6);
      if (testing::Test::HasFailure()) return;
    }
    EXPECT_GE(calls, 10);
  }
}

TEST(StreamGrowth, AStreamWithoutAnOwnerIsLeftAsItIs) {
  CatalogWorld world;
  const std::string key = "/admin/streams/default/orders";
  world.Put(key, "{\"partitions\":1,\"partitioning\":{\"config\":{\"numPartitions\":\"1\"}},"
                 "\"_creationKind\":\"NATIVE_CREATE\"}");
  const std::string before = world.Records()[key];
  EXPECT_EQ(*GrowThrough(world, world.meta, 1), 1);
  EXPECT_EQ(GrowThrough(world, world.meta, 2).status().code(), StatusCode::kUnimplemented);
  EXPECT_EQ(world.Records()[key], before) << "a growth that nobody can finish";
}

TEST(StreamGrowth, ACrashThenADropLeavesNothing) {
  for (int calls = 0;; ++calls) {
    SCOPED_TRACE(calls);
    CatalogWorld world(static_cast<std::uint64_t>(calls) + 1);
    ASSERT_TRUE(world.Create("orders", 2).ok());
    CrashStore crash(world.meta, calls, true);
    (void)GrowThrough(world, crash, 4);
    if (!crash.crashed()) break;
    ASSERT_TRUE(world.sim.Run(world.catalog.DropStream(OpContext(), kOrders)).ok());
    for (const auto& [key, value] : world.Records()) {
      EXPECT_FALSE(key.starts_with("/streams/")) << key;
      EXPECT_FALSE(key.starts_with("/stream-id/")) << key;
    }
    if (testing::Test::HasFailure()) return;
  }
}

TEST(StreamGrowth, LostAnswersAreResolved) {
  for (const MetadataOp op : {MetadataOp::kPut, MetadataOp::kCreateIfAbsent, MetadataOp::kCompareAndSet}) {
    for (int n = 1; n <= 6; ++n) {
      for (const bool applied : {true, false}) {
        SCOPED_TRACE(testing::Message() << MetadataOpName(op) << " " << n << " applied " << applied);
        CatalogWorld world(static_cast<std::uint64_t>(n));
        ASSERT_TRUE(world.Create("orders", 2).ok());
        MetadataFaultPlan plan(world.sim.runtime());
        FaultMetadataStore faulty(world.sim.runtime(), world.meta, plan);
        plan.OnNth(op, "", n,
                   applied ? MetadataFault::LoseAnswer() : MetadataFault::Fail(Indeterminate("the answer was lost")));
        const auto grown = GrowThrough(world, faulty, 4);
        EXPECT_TRUE(grown.ok()) << grown.status().ToString();
        ExpectPartitions(world, 4);
        EXPECT_TRUE(world.sim.Run(faulty.Stop()).ok());
      }
    }
  }
}

TEST(StreamGrowth, ALostAnswerAndADropAreNoFailure) {
  CatalogWorld world;
  ASSERT_TRUE(world.Create("orders", 2).ok());
  // The second swap shows the growth.
  OvertakenStore overtaken(world.meta, 2, [&]() -> Task<Status> {
    Task<Result<StreamDropped>> drop = world.catalog.DropStream(OpContext(), kOrders);
    co_return (co_await drop).status();
  });
  EXPECT_EQ(GrowThrough(world, overtaken, 4).status().code(), StatusCode::kIndeterminate);
}

TEST(StreamGrowth, UnknownFieldsAreKept) {
  CatalogWorld world;
  ASSERT_TRUE(world.Create("orders", 1).ok());
  const std::string key = "/admin/streams/default/orders";
  std::string config = world.Records()[key];
  config.insert(config.size() - 1, ",\"later\":{\"a\":[1,2]}");
  world.Put(key, config);
  ASSERT_TRUE(GrowThrough(world, world.meta, 2).ok());
  EXPECT_NE(world.Records()[key].find("\"later\":{\"a\":[1,2]}"), std::string::npos);
  PropertyChange change;
  change.set["x"] = "y";
  ASSERT_TRUE(world.sim.Run(world.catalog.SetProperties(OpContext(), kOrders, change)).ok());
  EXPECT_NE(world.Records()[key].find("\"later\":{\"a\":[1,2]}"), std::string::npos);
}

TEST(CatalogRace, GrowAndGrow) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    CatalogWorld world(seed);
    ASSERT_TRUE(world.Create("orders", 1).ok());
    std::vector<Task<Result<int>>> growths;
    for (int i = 0; i < 4; ++i) growths.push_back(world.catalog.GrowStream(OpContext(), kOrders, 2 + i));
    const auto grown = world.sim.RunUntilDone(WhenAll(world.sim.runtime(), std::move(growths)));
    ASSERT_TRUE(grown);
    for (int i = 0; i < 4; ++i) {
      const auto& one = (*grown)[static_cast<std::size_t>(i)];
      ASSERT_TRUE(one.ok()) << one.status().ToString();
      EXPECT_GE(*one, 2 + i);
    }
    ExpectPartitions(world, 5);
  }
}

TEST(CatalogRace, GrowAndDrop) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    CatalogWorld world(seed);
    ASSERT_TRUE(world.Create("orders", 1).ok());
    std::vector<Task<Status>> tasks;
    const auto grow = [&]() -> Task<Status> {
      Task<Result<int>> growing = world.catalog.GrowStream(OpContext(), kOrders, 4);
      co_return (co_await growing).status();
    };
    const auto drop = [&]() -> Task<Status> {
      Task<Result<StreamDropped>> dropping = world.catalog.DropStream(OpContext(), kOrders);
      co_return (co_await dropping).status();
    };
    tasks.push_back(grow());
    tasks.push_back(drop());
    const auto results = world.sim.RunUntilDone(WhenAll(world.sim.runtime(), std::move(tasks)));
    ASSERT_TRUE(results);
    EXPECT_TRUE((*results)[0].ok() || (*results)[0].code() == StatusCode::kNotFound) << (*results)[0].ToString();
    EXPECT_TRUE((*results)[1].ok()) << (*results)[1].ToString();
    EXPECT_EQ(world.Load("orders").status().code(), StatusCode::kNotFound);
    ASSERT_TRUE(world.sim.Run(world.catalog.Sweep(OpContext())).ok());
    for (const auto& [key, value] : world.Records()) {
      EXPECT_FALSE(key.starts_with("/streams/")) << key;
      EXPECT_FALSE(key.starts_with("/stream-id/")) << key;
    }
  }
}

}  // namespace
}  // namespace lakestream
