#include <gtest/gtest.h>

#include "log/catalog/testing/catalog_world.h"
#include "log/lease/lease_keeper.h"

// A drop and processes that hold leases and do nothing: in virtual time, over the same records.

namespace lakestream {
namespace {

class Holder {
 public:
  Holder(CatalogWorld& world, const std::string& name)
      : world_(world),
        node_(world.sim.AddNode(name)),
        meta_(node_.runtime(), world.meta.backend()),
        keeper_(node_.runtime(), meta_, WriterOptions()) {
    keeper_.Start();
  }
  ~Holder() { EXPECT_TRUE(world_.sim.Run(keeper_.Stop(OpContext())).ok()); }
  SimNode& node() { return node_; }
  /// A use that is over at once leaves an idle lease.
  void Take(LogId log) { EXPECT_TRUE(world_.sim.Run(keeper_.Acquire(OpContext(), log)).ok()); }

 private:
  CatalogWorld& world_;
  SimNode& node_;
  MemoryMetadataStore meta_;
  LeaseKeeper keeper_;
};

TEST(DropUnderLeases, IdleHoldersGiveWayInLessThanTwoSeconds) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    CatalogWorld world(seed);
    const auto made = world.Create("orders", 3);
    ASSERT_TRUE(made.ok());
    Holder first(world, "first");
    Holder second(world, "second");
    for (const LogId log : made->logs) {
      first.Take(log);
      second.Take(log);
    }
    const MonotonicTime begun = world.sim.Now();
    const auto dropped = world.sim.Run(world.catalog.DropStream(OpContext(), made->id));
    EXPECT_TRUE(dropped.ok()) << dropped.status().ToString();
    EXPECT_LT(world.sim.Now() - begun, std::chrono::seconds(2));
  }
}

TEST(DropUnderLeases, AHolderThatStandsStillIsWaitedForUntilTheTimeIsUp) {
  CatalogWorld world;
  const auto made = world.Create("orders", 1);
  ASSERT_TRUE(made.ok());
  Holder holder(world, "holder");
  holder.Take(made->logs[0]);
  holder.node().Freeze(world.sim.Now() + std::chrono::seconds(40));
  const MonotonicTime begun = world.sim.Now();
  const auto stuck = world.sim.Run(world.catalog.DropStream(OpContext(), made->id));
  EXPECT_EQ(stuck.status().code(), StatusCode::kIndeterminate);
  EXPECT_GE(world.sim.Now() - begun, CatalogOptions().drain_timeout);
  // It wakes up, sees the fence and gives way.
  const auto again = world.sim.Run(world.catalog.DropStream(OpContext(), made->id));
  EXPECT_TRUE(again.ok()) << again.status().ToString();
}

}  // namespace
}  // namespace lakestream
