#include "log/catalog/stream_creation.h"

#include <gtest/gtest.h>

#include "format/log_records.h"
#include "log/catalog/testing/catalog_world.h"
#include "meta/wrap/fault_metadata_store.h"
#include "runtime/when_all.h"

namespace lakestream {
namespace {

const StreamIdentifier kOrders{"default", "orders"};
constexpr int kPartitions = 3;

Result<StreamMetadata> CreateThrough(CatalogWorld& world, MetadataStore& meta, int partitions = kPartitions) {
  StreamCatalog catalog(world.sim.runtime(), meta);
  return world.sim.Run(catalog.CreateStream(OpContext(), kOrders, partitions, {}));
}

/// The stream is there, once, and nothing names an id twice.
void ExpectWhole(CatalogWorld& world) {
  const auto loaded = world.Load("orders");
  ASSERT_TRUE(loaded.ok()) << loaded.status().ToString();
  EXPECT_EQ(loaded->logs.size(), std::size_t{kPartitions});
  const std::set<std::int64_t> ids = world.CheckIds();
  EXPECT_EQ(ids.size(), std::size_t{kPartitions});
  const auto records = world.Records();
  for (const LogId log : loaded->logs) {
    EXPECT_EQ(ids.count(log.value()), 1u);
    EXPECT_EQ(records.count("/stream-id/" + log.ToString()), 1u);
  }
}

TEST(StreamCreation, ACrashAtAnyCallIsFinishedByTheNextCreation) {
  for (const bool apply_last : {false, true}) {
    int calls = 0;
    for (;; ++calls) {
      SCOPED_TRACE(testing::Message() << "crash at call " << calls << (apply_last ? " after" : " before") << " it");
      CatalogWorld world(static_cast<std::uint64_t>(calls) + 1);
      CrashStore crash(world.meta, calls, apply_last);
      const auto first = CreateThrough(world, crash);
      if (!crash.crashed()) {
        EXPECT_TRUE(first.ok());
        break;
      }
      EXPECT_FALSE(first.ok());
      // Not done is what it says only where no other creation can finish it. (A store that does a call and fails it as
      // not done is none that can be relied on.)
      const bool begun = world.Records().contains(StreamConfigKey(kOrders.ns, kOrders.name));
      const bool said = first.status().code() == StatusCode::kIndeterminate;
      EXPECT_TRUE(apply_last || said == begun) << first.status().ToString();
      const bool made_it = world.Load("orders").ok();
      const auto second = CreateThrough(world, world.meta);
      if (made_it) {
        EXPECT_EQ(second.status().code(), StatusCode::kAlreadyExists);
      } else {
        EXPECT_TRUE(second.ok()) << second.status().ToString();
      }
      ExpectWhole(world);
      if (testing::Test::HasFailure()) return;
    }
    EXPECT_GE(calls, 6 + 5 * kPartitions);
  }
}

TEST(StreamCreation, ACrashOfACrashToo) {
  for (int first = 0; first < 30; first += 5) {
    for (int second = 0; second < 30; second += 4) {
      CatalogWorld world(static_cast<std::uint64_t>(first * 100 + second + 1));
      CrashStore crash_first(world.meta, first, second % 8 == 0);
      CrashStore crash_second(world.meta, second, first % 2 == 0);
      (void)CreateThrough(world, crash_first);
      (void)CreateThrough(world, crash_second);
      (void)CreateThrough(world, world.meta);
      ExpectWhole(world);
      if (testing::Test::HasFailure()) return;
    }
  }
}

TEST(StreamCreation, AfterACrashAnotherDefinitionIsRefused) {
  CatalogWorld world;
  CrashStore crash(world.meta, 8, false);
  EXPECT_FALSE(CreateThrough(world, crash).ok());
  EXPECT_EQ(CreateThrough(world, world.meta, kPartitions + 1).status().code(), StatusCode::kAlreadyExists);
  EXPECT_EQ(world.Create("orders", kPartitions, {{"a", "b"}}).status().code(), StatusCode::kAlreadyExists);
  EXPECT_TRUE(CreateThrough(world, world.meta).ok());
}

TEST(StreamCreation, LostAnswersAreResolved) {
  for (const MetadataOp op : {MetadataOp::kPut, MetadataOp::kCreateIfAbsent, MetadataOp::kCompareAndSet}) {
    for (int n = 1; n <= 11; ++n) {
      for (const bool applied : {true, false}) {
        SCOPED_TRACE(testing::Message() << MetadataOpName(op) << " " << n << " applied " << applied);
        CatalogWorld world(static_cast<std::uint64_t>(n));
        MetadataFaultPlan plan(world.sim.runtime());
        FaultMetadataStore faulty(world.sim.runtime(), world.meta, plan);
        const Status lost = Indeterminate("the answer was lost");
        plan.OnNth(op, "", n, applied ? MetadataFault::LoseAnswer() : MetadataFault::Fail(lost));
        const auto made = CreateThrough(world, faulty);
        EXPECT_TRUE(made.ok()) << made.status().ToString();
        ExpectWhole(world);
        EXPECT_TRUE(world.sim.Run(faulty.Stop()).ok());
      }
    }
  }
}

TEST(StreamCreation, ALostAnswerAndADropAreNoFailure) {
  for (const std::string binding : {"raw", "kafka"}) {
    SCOPED_TRACE(binding);
    CatalogWorld world;
    OvertakenStore overtaken(world.meta, 1, [&]() -> Task<Status> {
      Task<Result<StreamDropped>> drop = world.catalog.DropStream(OpContext(), kOrders);
      const Result<StreamDropped> dropped = co_await drop;
      EXPECT_TRUE(dropped.ok() && dropped->found);
      co_return dropped.status();
    });
    StreamCatalog catalog(world.sim.runtime(), overtaken);
    const auto made =
        world.sim.Run(catalog.CreateStream(OpContext(), kOrders, kPartitions, {{"lakestream.binding", binding}}));
    EXPECT_EQ(made.status().code(), StatusCode::kIndeterminate) << made.status().ToString();
    EXPECT_TRUE(world.List()->empty()) << "one call made two streams";
  }
}

/// Puts the tombstone before the n-th call.
class DropAtStore final : public ForwardingMetadataStore {
 public:
  DropAtStore(MetadataStore& inner, int calls_before) : ForwardingMetadataStore(inner), left_(calls_before) {}
  bool dropped() const { return left_ < 0; }
  Task<Result<std::vector<ReadAnswer>>> Read(OpContext context, std::vector<ReadRequest> requests) override {
    return Run(*this, inner().Read(std::move(context), std::move(requests)));
  }
  Task<Result<WriteAnswer>> CreateIfAbsent(OpContext context, Partition partition, std::string key, Buffer value,
                                           WriteGuard guard) override {
    return Run(*this, inner().CreateIfAbsent(std::move(context), std::move(partition), std::move(key),
                                             std::move(value), std::move(guard)));
  }

 private:
  template <class R>
  static Task<R> Run(DropAtStore& self, Task<R> call) {
    if (self.left_-- == 0) {
      const std::string key = StreamTombstoneKey(kOrders.ns, kOrders.name);
      const auto put =
          co_await self.inner().Put(OpContext(), Partition::OfKey(key), key, Buffer::CopyOf(kTombstone), WriteGuard());
      EXPECT_TRUE(put.ok());
    }
    co_return co_await call;
  }
  int left_;
};

/// What a drop that put the tombstone and died leaves to the next creation: nothing of the stream remains but
/// mappings that are tombstones and fences.
void ExpectUndone(CatalogWorld& world) {
  for (const auto& [key, value] : world.Records()) {
    EXPECT_FALSE(key.starts_with("/admin/streams/default/")) << key;
    EXPECT_FALSE(key.starts_with("/streams/")) << key;
    EXPECT_FALSE(key.starts_with("/stream-id/")) << key;
    if (!key.starts_with("/stream-id-generator/")) continue;
    const auto mapping = DecodeLogMapping(value, key);
    ASSERT_TRUE(mapping.ok());
    EXPECT_TRUE(mapping->tombstone) << value;
    const std::string fence = WriteFenceKey(mapping->log);
    EXPECT_EQ(world.Records()[fence], kWriteFenceValue);
  }
}

TEST(StreamCreation, ADropAtAnyMomentIsSeenByOneOfTheTwo) {
  int undone = 0;
  int made = 0;
  for (int at = 0;; ++at) {
    SCOPED_TRACE(testing::Message() << "dropped at call " << at);
    CatalogWorld world(static_cast<std::uint64_t>(at) + 1);
    DropAtStore drop(world.meta, at);
    const auto created = CreateThrough(world, drop);
    if (!drop.dropped()) break;
    if (created.ok()) {
      // The creation had read the tombstone before it was put: whoever dropped it reads an active config after.
      ++made;
      EXPECT_TRUE(world.Load("orders").ok());
      continue;
    }
    ++undone;
    EXPECT_EQ(created.status().code(), StatusCode::kFenced) << created.status().ToString();
    ExpectUndone(world);
  }
  EXPECT_GT(undone, 2);
  EXPECT_GT(made, 2);
}

TEST(StreamCreation, ACrashWhileUndoingIsFinishedByASweep) {
  for (const bool apply_last : {false, true}) {
    int calls = 0;
    for (;; ++calls) {
      SCOPED_TRACE(testing::Message() << "crash at call " << calls << (apply_last ? " after" : " before") << " it");
      CatalogWorld world(static_cast<std::uint64_t>(calls) + 1);
      CrashStore half_way(world.meta, 20, false);
      EXPECT_FALSE(CreateThrough(world, half_way).ok());
      world.PutTombstone("default", "orders");
      CrashStore crash(world.meta, calls, apply_last);
      const auto undo = CreateThrough(world, crash);
      EXPECT_FALSE(undo.ok());
      const bool whole = !crash.crashed();
      EXPECT_EQ(CreateThrough(world, world.meta).status().code(), StatusCode::kFenced);
      EXPECT_TRUE(world.sim.Run(world.catalog.Sweep(OpContext())).ok());
      ExpectUndone(world);
      if (whole || testing::Test::HasFailure()) break;
    }
    EXPECT_GE(calls, 10);
  }
}

Task<Result<StreamMetadata>> DropAndUndo(CatalogWorld& world, MetadataStore& meta, Hold before) {
  co_await before.Reached();
  const std::string key = StreamTombstoneKey(kOrders.ns, kOrders.name);
  const auto put =
      co_await world.meta.Put(OpContext(), Partition::OfKey(key), key, Buffer::CopyOf(kTombstone), WriteGuard());
  EXPECT_TRUE(put.ok());
  StreamCatalog catalog(world.sim.runtime(), meta);
  std::map<std::string, std::string> none;
  Task<Result<StreamMetadata>> create = catalog.CreateStream(OpContext(), kOrders, kPartitions, none);
  co_return co_await create;
}

Task<Result<StreamMetadata>> ReleaseInTurn(CatalogWorld& world, Hold activation, Hold deletion) {
  co_await deletion.Reached();
  activation.Release();
  const Status slept = co_await SleepFor(world.sim.runtime(), OpContext(), std::chrono::seconds(10));
  EXPECT_TRUE(slept.ok());
  deletion.Release();
  co_return NotFound("this one creates nothing");
}

TEST(StreamCreation, WhileItIsUndoneNoOtherCreationCanFinishIt) {
  // One creation stands before its last step. The tombstone comes, and another creation undoes the stream as far
  // as its config. Now the last step goes on.
  CatalogWorld world;
  MetadataFaultPlan slow_plan(world.sim.runtime());
  MetadataFaultPlan undo_plan(world.sim.runtime());
  FaultMetadataStore slow_store(world.sim.runtime(), world.meta, slow_plan);
  FaultMetadataStore undo_store(world.sim.runtime(), world.meta, undo_plan);
  const std::string config = StreamConfigKey(kOrders.ns, kOrders.name);
  const HoldPoint before = HoldPoint::kBeforeApply;
  const Hold activation = slow_plan.HoldNext(MetadataOp::kCompareAndSet, config, before);
  const Hold deletion = undo_plan.HoldNext(MetadataOp::kDelete, config, before);
  StreamCatalog slow(world.sim.runtime(), slow_store);
  std::vector<Task<Result<StreamMetadata>>> tasks;
  tasks.push_back(slow.CreateStream(OpContext(), kOrders, kPartitions, {}));
  tasks.push_back(DropAndUndo(world, undo_store, activation));
  tasks.push_back(ReleaseInTurn(world, activation, deletion));
  const auto results = world.sim.RunUntilDone(WhenAll(world.sim.runtime(), std::move(tasks)));
  ASSERT_TRUE(results);
  EXPECT_EQ((*results)[0].status().code(), StatusCode::kFenced) << (*results)[0].status().ToString();
  EXPECT_EQ((*results)[1].status().code(), StatusCode::kFenced) << (*results)[1].status().ToString();
  ExpectUndone(world);
  EXPECT_TRUE(world.sim.Run(slow_store.Stop()).ok());
  EXPECT_TRUE(world.sim.Run(undo_store.Stop()).ok());
}

}  // namespace
}  // namespace lakestream
