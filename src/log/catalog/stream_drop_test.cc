#include "log/catalog/stream_drop.h"

#include <gtest/gtest.h>

#include "format/index_key.h"
#include "format/log_records.h"
#include "log/catalog/testing/catalog_world.h"
#include "log/isolation/isolation.h"
#include "meta/wrap/fault_metadata_store.h"
#include "runtime/when_all.h"

namespace lakestream {
namespace {

const StreamIdentifier kOrders{"default", "orders"};
constexpr int kPartitions = 3;

CatalogOptions Impatient() {
  CatalogOptions options;
  options.drain_timeout = std::chrono::seconds(1);
  return options;
}

Result<StreamDropped> DropThrough(CatalogWorld& world, MetadataStore& meta) {
  StreamCatalog catalog(world.sim.runtime(), meta, Impatient());
  return world.sim.Run(catalog.DropStream(OpContext(), kOrders));
}

std::vector<LogId> CreateWithEntries(CatalogWorld& world) {
  const auto made = world.Create("orders", kPartitions);
  EXPECT_TRUE(made.ok());
  for (const LogId log : made->logs) world.PutIndexRecord(log, 1);
  return made->logs;
}

/// Of the stream nothing is left but tombstones and fences.
void ExpectGone(CatalogWorld& world, const std::vector<LogId>& logs) {
  const auto records = world.Records();
  for (const auto& [key, value] : records) {
    EXPECT_FALSE(key.starts_with("/admin/streams/default/")) << key;
    EXPECT_FALSE(key.starts_with("/streams/")) << key;
    EXPECT_FALSE(key.starts_with("/stream-id/")) << key;
    EXPECT_FALSE(IndexKey::Decode(key).ok()) << key;
    if (!key.starts_with("/stream-id-generator/")) continue;
    EXPECT_TRUE(DecodeLogMapping(value, key)->tombstone) << value;
  }
  EXPECT_EQ(records.count("/admin/streams/_tombstones/default/orders"), 1u);
  for (const LogId log : logs) EXPECT_EQ(records.at(WriteFenceKey(log)), kWriteFenceValue);
}

TEST(StreamDrop, LeavesTombstonesAndFencesOnly) {
  CatalogWorld world;
  const std::vector<LogId> logs = CreateWithEntries(world);
  const auto dropped = DropThrough(world, world.meta);
  ASSERT_TRUE(dropped.ok()) << dropped.status().ToString();
  EXPECT_TRUE(dropped->found);
  EXPECT_EQ(dropped->partitions, kPartitions);
  ExpectGone(world, logs);
  EXPECT_EQ(world.Records()["/admin/streams/_tombstones/default/orders"],
            "{\"partitions\":0,\"properties\":{},\"streamConfig\":{\"properties\":{}},"
            "\"partitioning\":{\"strategy\":\"INDEXED\",\"config\":{\"numPartitions\":\"0\"}},"
            "\"schema\":{\"schemaType\":\"NONE\",\"properties\":{}},\"_creationKind\":\"NATIVE_CREATE\","
            "\"_provisioning\":true,\"_provisioningState\":\"DROPPED\",\"_purgeRequested\":true}");
  EXPECT_EQ(world.Load("orders").status().code(), StatusCode::kNotFound);
  EXPECT_EQ(world.Create("orders", kPartitions).status().code(), StatusCode::kFenced);
  EXPECT_TRUE(world.List()->empty());
  const auto again = DropThrough(world, world.meta);
  ASSERT_TRUE(again.ok());
  EXPECT_FALSE(again->found);
}

TEST(StreamDrop, EndsTheIsolationOfItsLogs) {
  CatalogWorld world;
  const std::vector<LogId> logs = CreateWithEntries(world);
  ASSERT_TRUE(world.sim.Run(Isolate(world.meta, OpContext(), logs[0])).ok());
  const LogId other(1000);
  ASSERT_TRUE(world.sim.Run(Isolate(world.meta, OpContext(), other)).ok());
  ASSERT_TRUE(DropThrough(world, world.meta).ok());
  EXPECT_EQ(*world.sim.Run(ListIsolated(world.meta, OpContext())), std::vector<LogId>{other});
}

TEST(StreamDrop, UsesUpANameThatNoStreamHas) {
  CatalogWorld world;
  const auto dropped = DropThrough(world, world.meta);
  ASSERT_TRUE(dropped.ok()) << dropped.status().ToString();
  EXPECT_FALSE(dropped->found);
  EXPECT_EQ(world.Create("orders", 1).status().code(), StatusCode::kFenced);
}

TEST(StreamDrop, ACrashAtAnyCallIsFinishedByTheNextDrop) {
  for (const bool apply_last : {false, true}) {
    int calls = 0;
    for (;; ++calls) {
      SCOPED_TRACE(testing::Message() << "crash at call " << calls << (apply_last ? " after" : " before") << " it");
      CatalogWorld world(static_cast<std::uint64_t>(calls) + 1);
      const std::vector<LogId> logs = CreateWithEntries(world);
      CrashStore crash(world.meta, calls, apply_last);
      const auto first = DropThrough(world, crash);
      if (!crash.crashed()) {
        EXPECT_TRUE(first.ok());
        break;
      }
      EXPECT_FALSE(first.ok());
      // Definitely not done is what it says only where nothing was done.
      const bool tombstone = world.Records().count("/admin/streams/_tombstones/default/orders") == 1;
      const bool maybe = first.status().code() == StatusCode::kIndeterminate || apply_last;
      EXPECT_TRUE(maybe || !tombstone) << first.status().ToString();
      EXPECT_TRUE(tombstone || world.Load("orders").ok());
      const auto second = DropThrough(world, world.meta);
      ASSERT_TRUE(second.ok()) << second.status().ToString();
      ExpectGone(world, logs);
      if (testing::Test::HasFailure()) return;
    }
    EXPECT_GE(calls, 5 + 10 * kPartitions);
  }
}

TEST(StreamDrop, OnceItIsBegunEvenDamageIsNoFailure) {
  CatalogWorld world;
  (void)CreateWithEntries(world);
  world.Put("/streams/default/orders-partition-1", "{");
  const auto dropped = DropThrough(world, world.meta);
  EXPECT_EQ(dropped.status().code(), StatusCode::kIndeterminate) << dropped.status().ToString();
  EXPECT_NE(dropped.status().message().find("cause=corrupt"), std::string_view::npos) << dropped.status().ToString();
  EXPECT_EQ(world.Load("orders").status().code(), StatusCode::kNotFound);
}

TEST(StreamDrop, ALostAnswerAndNoTimeLeftIsNoFailure) {
  CatalogWorld world;
  MetadataFaultPlan plan(world.sim.runtime());
  FaultMetadataStore faulty(world.sim.runtime(), world.meta, plan);
  plan.OnNth(MetadataOp::kDelete, "", 1, MetadataFault::LoseAnswer());
  plan.OnNth(MetadataOp::kDeleteRange, "", 1, MetadataFault::LoseAnswer());
  CatalogAccess slow(world.sim.runtime(), faulty);
  const OpContext context = OpContext().WithDeadline(world.sim.Now() + std::chrono::milliseconds(5));
  EXPECT_EQ(world.sim.Run(slow.Remove(context, Partition::OfKey("k"), "k")).code(), StatusCode::kIndeterminate);
  LogDeletion deletion(slow, LogId(7));
  const OpContext later = OpContext().WithDeadline(world.sim.Now() + std::chrono::milliseconds(5));
  EXPECT_EQ(world.sim.Run(deletion.DeleteIndex(later)).code(), StatusCode::kIndeterminate);
  EXPECT_TRUE(world.sim.Run(faulty.Stop()).ok());
}

TEST(StreamDrop, ALostAnswerAndAStoreThatIsDownIsNoFailure) {
  CatalogWorld world;
  int calls = 0;
  const std::function<Task<Status>()> call = [&]() -> Task<Status> {
    co_return ++calls == 1 ? Indeterminate("the answer was lost") : Unavailable("down");
  };
  EXPECT_EQ(world.sim.Run(UntilAnswered(world.sim.runtime(), OpContext(), call)).code(), StatusCode::kIndeterminate);
  EXPECT_EQ(calls, kMaxCatalogAttempts);
  EXPECT_EQ(world.sim.Run(UntilAnswered(world.sim.runtime(), OpContext(), call)).code(), StatusCode::kUnavailable);
  EXPECT_EQ(calls, kMaxCatalogAttempts + 1);
}

TEST(StreamDrop, ASweepThatStopsHalfWaySaysSo) {
  int calls = 0;
  for (;; ++calls) {
    SCOPED_TRACE(calls);
    CatalogWorld world(static_cast<std::uint64_t>(calls) + 1);
    const std::vector<LogId> logs = CreateWithEntries(world);
    CrashStore drop(world.meta, 8, true);
    EXPECT_FALSE(DropThrough(world, drop).ok());
    const auto before = world.Records();
    CrashStore crash(world.meta, calls, false);
    StreamCatalog catalog(world.sim.runtime(), crash);
    const auto swept = world.sim.Run(catalog.Sweep(OpContext()));
    if (!crash.crashed()) {
      ExpectGone(world, logs);
      break;
    }
    const bool said = swept.status().code() == StatusCode::kIndeterminate;
    EXPECT_TRUE(said || world.Records() == before) << swept.status().ToString();
  }
  EXPECT_GT(calls, 20);
}

TEST(StreamDrop, ACrashAtAnyCallIsFinishedByASweep) {
  for (int calls = 6;; ++calls) {
    SCOPED_TRACE(calls);
    CatalogWorld world(static_cast<std::uint64_t>(calls) + 1);
    const std::vector<LogId> logs = CreateWithEntries(world);
    CrashStore crash(world.meta, calls, true);
    (void)DropThrough(world, crash);
    if (!crash.crashed()) break;
    const auto swept = world.sim.Run(world.catalog.Sweep(OpContext()));
    ASSERT_TRUE(swept.ok()) << swept.status().ToString();
    EXPECT_EQ(swept->dropped_streams, 1);
    ExpectGone(world, logs);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(StreamDrop, LostAnswersAreResolved) {
  for (const MetadataOp op :
       {MetadataOp::kCreateIfAbsent, MetadataOp::kCompareAndSet, MetadataOp::kDelete, MetadataOp::kDeleteRange}) {
    for (int n = 1; n <= 8; ++n) {
      for (const bool applied : {true, false}) {
        SCOPED_TRACE(testing::Message() << MetadataOpName(op) << " " << n << " applied " << applied);
        CatalogWorld world(static_cast<std::uint64_t>(n));
        const std::vector<LogId> logs = CreateWithEntries(world);
        MetadataFaultPlan plan(world.sim.runtime());
        FaultMetadataStore faulty(world.sim.runtime(), world.meta, plan);
        plan.OnNth(op, "", n,
                   applied ? MetadataFault::LoseAnswer() : MetadataFault::Fail(Indeterminate("the answer was lost")));
        const auto dropped = DropThrough(world, faulty);
        EXPECT_TRUE(dropped.ok()) << dropped.status().ToString();
        ExpectGone(world, logs);
        EXPECT_TRUE(world.sim.Run(faulty.Stop()).ok());
        if (testing::Test::HasFailure()) return;
      }
    }
  }
}

TEST(StreamDrop, ADrainThatTimesOutChangesNothingAndCanBeRepeated) {
  CatalogWorld world;
  const std::vector<LogId> logs = CreateWithEntries(world);
  const std::string lease = WriteLeaseKey(logs[1], "token");
  const Partition home = Partition::OfLog(logs[1]);
  ASSERT_TRUE(world.sim.Run(world.meta.Put(OpContext(), home, lease, Buffer::CopyOf("token"), WriteGuard())).ok());
  const std::string index_key = world.PutIndexRecord(logs[1], 5);
  const std::string mapping = LogMappingKey(LogMappingNameOf("default", "orders", 1));
  const auto before = world.Records();

  const auto stuck = DropThrough(world, world.meta);
  EXPECT_EQ(stuck.status().code(), StatusCode::kIndeterminate) << stuck.status().ToString();
  const auto after = world.Records();
  for (const std::string& key : {index_key, mapping, std::string("/streams/default/orders-partition-1"),
                                 LogRegistrationKey(logs[1]), lease}) {
    EXPECT_EQ(after.at(key), before.at(key)) << key;
  }
  for (const LogId log : logs) EXPECT_EQ(after.at(WriteFenceKey(log)), kWriteFenceValue);
  const auto listed = world.List();
  ASSERT_EQ(listed->size(), 1u);
  EXPECT_EQ(listed->front().state, LifecycleState::kDeleting);
  EXPECT_EQ(world.Load("orders").status().code(), StatusCode::kNotFound);
  const auto swept = world.sim.Run(world.catalog.Sweep(OpContext()));
  EXPECT_EQ(swept->held, 1) << "a sweep waits for nobody and takes no log from a writer";
  EXPECT_EQ(world.Records().count(index_key), 1u);

  ASSERT_TRUE(world.sim.Run(world.meta.Delete(OpContext(), home, lease, WriteGuard())).ok());
  ASSERT_TRUE(DropThrough(world, world.meta).ok());
  ExpectGone(world, logs);
}

TEST(StreamDrop, WaitsForTheLastLease) {
  CatalogWorld world;
  const std::vector<LogId> logs = CreateWithEntries(world);
  const std::string lease = WriteLeaseKey(logs[0], "token");
  const Partition home = Partition::OfLog(logs[0]);
  ASSERT_TRUE(world.sim.Run(world.meta.Put(OpContext(), home, lease, Buffer::CopyOf("token"), WriteGuard())).ok());
  StreamCatalog catalog(world.sim.runtime(), world.meta, Impatient());
  std::vector<Task<Status>> tasks;
  const auto drop = [&]() -> Task<Status> {
    Task<Result<StreamDropped>> dropping = catalog.DropStream(OpContext(), kOrders);
    co_return (co_await dropping).status();
  };
  const auto release = [&]() -> Task<Status> {
    const Status slept = co_await SleepFor(world.sim.runtime(), OpContext(), std::chrono::milliseconds(700));
    EXPECT_TRUE(slept.ok());
    co_return co_await world.meta.Delete(OpContext(), home, lease, WriteGuard());
  };
  tasks.push_back(drop());
  tasks.push_back(release());
  const auto results = world.sim.RunUntilDone(WhenAll(world.sim.runtime(), std::move(tasks)));
  ASSERT_TRUE(results);
  EXPECT_TRUE((*results)[0].ok()) << (*results)[0].ToString();
  ExpectGone(world, logs);
}

TEST(StreamDrop, LateWritesAreSweptUnlessALeaseStands) {
  CatalogWorld world;
  const std::vector<LogId> logs = CreateWithEntries(world);
  ASSERT_TRUE(DropThrough(world, world.meta).ok());
  const auto nothing = world.sim.Run(world.catalog.Sweep(OpContext()));
  EXPECT_EQ(nothing->partitions, 0);
  EXPECT_EQ(nothing->dropped_streams, 1);

  world.PutIndexRecord(logs[2], 3);
  const std::string lease = WriteLeaseKey(logs[2], "token");
  const Partition home = Partition::OfLog(logs[2]);
  ASSERT_TRUE(world.sim.Run(world.meta.Put(OpContext(), home, lease, Buffer::CopyOf("token"), WriteGuard())).ok());
  const auto held = world.sim.Run(world.catalog.Sweep(OpContext()));
  EXPECT_EQ(held->held, 1);
  EXPECT_EQ(held->late_logs, 0);
  ASSERT_TRUE(world.sim.Run(world.meta.Delete(OpContext(), home, lease, WriteGuard())).ok());
  const auto swept = world.sim.Run(world.catalog.Sweep(OpContext(), kOrders));
  EXPECT_EQ(swept->late_logs, 1);
  ExpectGone(world, logs);
}

TEST(StreamDrop, PartitionsThatCameAfterTheDropAreSwept) {
  CatalogWorld world;
  ASSERT_TRUE(DropThrough(world, world.meta).ok());
  // A creation that was slow from its mapping on.
  world.Put(LogMappingKey(LogMappingNameOf("default", "orders", 7)),
            "{\"version\":1,\"state\":\"ACTIVE\",\"streamId\":77,\"incarnationId\":\"i\",\"ownerToken\":\"o\","
            "\"ownerGeneration\":1}",
            std::string(kLogIdGeneratorKey));
  world.Put("/stream-id/77", "{\"key\":\"lakestream-native/default/orders/partition-7\"}");
  // A record whose mapping cannot be seen.
  world.Put("/streams/default/orders-partition-8", "{\"streamId\":78,\"properties\":{},\"deleted\":false}");
  world.Put("/stream-id/78", "{\"key\":\"lakestream-native/default/orders/partition-8\"}");
  const std::vector<LogId> logs{LogId(77), LogId(78)};
  for (const LogId log : logs) world.PutIndexRecord(log, 2);
  const auto swept = world.sim.Run(world.catalog.Sweep(OpContext()));
  ASSERT_TRUE(swept.ok()) << swept.status().ToString();
  EXPECT_EQ(swept->partitions, 2);
  ExpectGone(world, logs);
}

TEST(StreamDrop, WhatAnotherProgramDroppedAndKeptIsNotSwept) {
  CatalogWorld world;
  world.Put("/admin/streams/_namespaces/default", "{\"properties\":{}}");
  world.Put("/admin/streams/_tombstones/default/orders",
            "{\"partitions\":1,\"partitioning\":{\"config\":{\"numPartitions\":\"1\"}},\"kept\":7,"
            "\"_creationKind\":\"NATIVE_CREATE\",\"_provisioning\":true,\"_provisioningState\":\"DROPPED\"}");
  world.Put("/streams/default/orders-partition-0", "{\"streamId\":78,\"properties\":{},\"deleted\":false}");
  const std::string index_key = world.PutIndexRecord(LogId(78), 2);
  EXPECT_EQ(world.sim.Run(world.catalog.Sweep(OpContext()))->dropped_streams, 0);
  EXPECT_EQ(world.Records().count(index_key), 1u);
  ASSERT_TRUE(DropThrough(world, world.meta).ok());
  const std::string tombstone = world.Records()["/admin/streams/_tombstones/default/orders"];
  EXPECT_NE(tombstone.find("\"kept\":7"), std::string::npos) << tombstone;
  EXPECT_EQ(world.sim.Run(world.catalog.Sweep(OpContext()))->partitions, 1);
  EXPECT_EQ(world.Records().count(index_key), 0u);
}

TEST(CatalogRace, DropAndDrop) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    CatalogWorld world(seed);
    const std::vector<LogId> logs = CreateWithEntries(world);
    std::vector<Task<Result<StreamDropped>>> drops;
    for (int i = 0; i < 3; ++i) drops.push_back(world.catalog.DropStream(OpContext(), kOrders));
    const auto dropped = world.sim.RunUntilDone(WhenAll(world.sim.runtime(), std::move(drops)));
    ASSERT_TRUE(dropped);
    for (const auto& one : *dropped) EXPECT_TRUE(one.ok()) << one.status().ToString();
    ExpectGone(world, logs);
  }
}

TEST(CatalogRace, CreateAndDrop) {
  int made = 0;
  int refused = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    CatalogWorld world(seed);
    std::vector<Task<Status>> tasks;
    const auto create = [&]() -> Task<Status> {
      for (std::uint64_t i = 0; i < seed % 8; ++i) co_await Yield(world.sim.runtime());
      std::map<std::string, std::string> none;
      Task<Result<StreamMetadata>> creating = world.catalog.CreateStream(OpContext(), kOrders, kPartitions, none);
      co_return (co_await creating).status();
    };
    const auto drop = [&]() -> Task<Status> {
      Task<Result<StreamDropped>> dropping = world.catalog.DropStream(OpContext(), kOrders);
      co_return (co_await dropping).status();
    };
    tasks.push_back(create());
    tasks.push_back(drop());
    const auto results = world.sim.RunUntilDone(WhenAll(world.sim.runtime(), std::move(tasks)));
    ASSERT_TRUE(results);
    const StatusCode created = (*results)[0].code();
    EXPECT_TRUE(created == StatusCode::kOk || created == StatusCode::kFenced) << (*results)[0].ToString();
    EXPECT_TRUE((*results)[1].ok()) << (*results)[1].ToString();
    ++(created == StatusCode::kOk ? made : refused);
    EXPECT_EQ(world.Load("orders").status().code(), StatusCode::kNotFound);
    EXPECT_TRUE(world.sim.Run(world.catalog.Sweep(OpContext())).ok());
    ExpectGone(world, {});
    if (testing::Test::HasFailure()) FAIL() << "seed " << seed;
  }
  EXPECT_GT(made, 0);
  EXPECT_GT(refused, 0);
}

}  // namespace
}  // namespace lakestream
