#include <gtest/gtest.h>

#include "log/gc/candidate_list.h"
#include "log/gc/testing/gc_world.h"
#include "meta/wrap/fault_metadata_store.h"
#include "objstore/wrap/fault_object_store.h"

namespace lakestream {
namespace {

using std::chrono::hours;
using Strings = std::vector<std::string>;

constexpr Duration kGrace = GcWorld::kGrace;
constexpr Duration kTick = GcWorld::kTick;
constexpr Duration kYear = hours(365 * 24);

/// A pass that dies at its n-th call, whether that reached the store or not, leaves nothing that a later one does not put
/// right.
TEST(CollectorCrash, AtEveryCall) {
  for (const bool reached : {false, true}) {
    int calls = 0;
    for (int at = 1; at == 1 || at <= calls; ++at) {
      GcWorld w;
      w.Entry(w.a, 1);
      w.Compacted(2);
      w.Compacted(3);
      w.PutWork(w.a, GcWorld::Working(3));
      for (const int orphan : {4, 5, 6}) w.Orphan(orphan);
      w.Age(kGrace + kTick);
      w.PassText();
      w.Orphan(7);
      w.Age(kGrace + kTick);
      w.options.deletes_at_once = 2;
      const Status gone = Unavailable("the process is gone");
      w.hook.calls = 0;
      w.hook.before = [&](int call) -> Task<Status> { co_return call > at || (call == at && !reached) ? gone : OkStatus(); };
      w.hook.after = [&](int call) { return call == at ? gone : OkStatus(); };
      const Result<CollectionReport> died = w.Pass();
      calls = std::max(calls, w.hook.calls);
      w.hook.before = nullptr;
      w.hook.after = nullptr;
      if (at == 1) {
        // To know how many calls there are.
        GcWorld whole;
        whole.Orphan(4);
        whole.Compacted(2);
        whole.Age(kGrace + kTick);
        whole.PassText();
        whole.Age(kGrace + kTick);
        whole.options.deletes_at_once = 1;
        whole.hook.calls = 0;
        EXPECT_EQ(whole.PassText(), "waiting 0, garbage 3, deleted 3");
        calls = whole.hook.calls;
      }
      EXPECT_TRUE(w.HasWal(1) && w.HasFile(3) && w.HasWal(7)) << "at call " << at;
      w.PassUntilClean();
      EXPECT_EQ(w.Keys(w.memory_objects), Strings({GcWorld::Wal(1)})) << "at call " << at;
      EXPECT_TRUE(w.HasFile(3)) << "at call " << at;
      EXPECT_FALSE(w.HasFile(2)) << "at call " << at;
      // What the pass left itself goes, too.
      EXPECT_EQ(w.GcRecords().size(), 2u) << "at call " << at << ": " << testing::PrintToString(w.GcRecords());
    }
    EXPECT_GT(calls, 30);
  }
}

/// Garbage, ready to be deleted, and what is named; a pass in which something goes wrong deletes nothing.
class BadPass : public GcWorld {
 public:
  BadPass() : meta_plan(sim.runtime()), object_plan(sim.runtime()), bad_meta(sim.runtime(), hooked_meta, meta_plan),
              bad_wal(sim.runtime(), hooked_wal, object_plan) {
    Entry(a, 1);
    Entry(b, 2);
    Orphan(3);
    Compacted(4);
    PutWork(a, Working(4));
    Age(kGrace + kTick);
    EXPECT_EQ(PassText(), "waiting 1, garbage 0, deleted 0");
    Age(kGrace + kTick);
    Orphan(5);
  }

  std::string Bad() {
    const std::vector<std::string> records = GcRecords();
    const CollectorParts parts{sim.runtime(), bad_meta, bad_wal, hooked_compacted, catalog};
    Collector collector(parts, options);
    const Result<CollectionReport> report = sim.Run(collector.Pass(OpContext(), [](const CollectedObject&) {}));
    EXPECT_TRUE(HasWal(3)) << "nothing is deleted";
    EXPECT_EQ(report.status().code(), StatusCode::kUnavailable) << Text(report);
    std::size_t results = 0;
    for (const std::string& key : GcRecords()) results += key.starts_with("/lakestream/gc/results/") ? 1 : 0;
    EXPECT_EQ(results, 1u) << "the pass does not count";
    EXPECT_EQ(meta_plan.rules_left() + object_plan.rules_left(), 0);
    return report.ok() ? Text(report) : std::string(report.status().message());
  }

  MetadataFaultPlan meta_plan;
  FaultPlan object_plan;
  FaultMetadataStore bad_meta;
  FaultObjectStore bad_wal;
};

TEST(CollectorFaults, AScanThatIsCutShort) {
  for (const char* family : {"0", "/lakestream/compaction/"}) {
    int cut = 0;
    for (int shard = 1; shard <= 4; ++shard) {
      BadPass w;
      // Where there is no record but the mark, the cut changes nothing.
      const KeyBounds bounds = std::string(family) == "0" ? MarkedIndexKeys() : MarkedCompactionKeys();
      KeyRange range;
      range.partition = w.memory_meta.ShardPartitions()[static_cast<std::size_t>(shard - 1)];
      range.from = bounds.first;
      range.to = bounds.end;
      const auto page = w.sim.Run(w.memory_meta.Scan(OpContext(), range, "", 10));
      ASSERT_TRUE(page.ok());
      if (page->records.size() < 2) continue;
      // The sweep of what drops left scans the compaction records, too, before the pass begins.
      const bool work = std::string(family) != "0";
      w.meta_plan.OnNth(MetadataOp::kScan, family, work ? shard + 1 : shard, MetadataFault::CutPages(1));
      EXPECT_NE(w.Bad().find("a scan did not come to the mark"), std::string::npos) << family << " of shard " << shard;
      ++cut;
    }
    EXPECT_GT(cut, 0) << family;
  }
}

TEST(CollectorFaults, AnyFailedCallBeforeTheEnd) {
  for (const char* prefix : {"0", "/lakestream/compaction/"}) {
    BadPass w;
    w.meta_plan.OnNth(MetadataOp::kScan, prefix, 3, MetadataFault::FailUnavailable());
    w.Bad();
  }
  BadPass w;
  w.object_plan.OnNext(ObjectOp::kList, "", Fault::FailUnavailable());
  w.Bad();
}

/// "deleted" is told when it is so, and of a call that failed that nobody knows.
TEST(CollectorFaults, ADeletionThatFails) {
  for (const bool reached : {false, true}) {
    BadPass w;
    w.object_plan.OnNth(ObjectOp::kDelete, "2026/", 1, reached ? Fault::LoseAnswer() : Fault::FailUnavailable());
    const Result<CollectionReport> failed = w.PassOn(w.bad_wal);
    EXPECT_FALSE(failed.ok());
    EXPECT_EQ(w.told, Strings({"deleting wal/" + GcWorld::Wal(3), "unknown wal/" + GcWorld::Wal(3)}));
    EXPECT_EQ(w.HasWal(3), !reached);
    EXPECT_EQ(w.object_plan.rules_left(), 0);
    w.PassUntilClean();
    EXPECT_FALSE(w.HasWal(3));
  }
  BadPass w;
  w.hook.before = [&w](int) -> Task<Status> {
    const bool asked = !w.told.empty() && w.told.back().starts_with("deleting");
    // Nothing but the deletion itself is between the two.
    if (asked) w.told.push_back("a call");
    co_return OkStatus();
  };
  w.PassText();
  EXPECT_EQ(w.told, Strings({"deleting wal/" + GcWorld::Wal(3), "a call", "deleted wal/" + GcWorld::Wal(3)}));
}

TEST(CollectorFaults, AListingThatIsCutShort) {
  for (const int listing : {1, 2}) {
    BadPass w;
    w.object_plan.OnNth(ObjectOp::kList, "", listing, Fault::CutList(1));
    EXPECT_NE(w.Bad().find("cut short"), std::string::npos) << listing;
  }
}

TEST(CollectorFaults, ARecordThatCannotBeReadMayNameAnything) {
  for (const bool work : {false, true}) {
    GcWorld w;
    w.Orphan(1);
    w.Age(kGrace + kTick);
    w.PassText();
    w.Age(kGrace + kTick);
    w.PutMeta(w.a, work ? CompactionRecordKey(w.a) : IndexKey{w.a, Offset(1), 3}.Encode(), "junk");
    EXPECT_EQ(w.Pass().status().code(), StatusCode::kCorrupt);
    EXPECT_TRUE(w.HasWal(1));
  }
  GcWorld w;
  w.PutMeta(w.a, IndexKey{w.a, Offset(1), 3}.Encode() + "x", "junk");
  EXPECT_EQ(w.Pass().status().code(), StatusCode::kCorrupt) << "a key that may have been one of an index record";
}

TEST(CollectorFaults, CandidatesThatAreLostWaitAnew) {
  for (const bool result : {false, true}) {
    GcWorld w;
    w.Orphan(1);
    w.Age(kGrace + kTick);
    w.PassText();
    w.Age(kGrace + kTick);
    const std::string key = result ? CollectionResultKey(1) : CandidatesKey(1, 0);
    ASSERT_TRUE(w.sim.Run(w.memory_meta.Put(OpContext(), CollectionHome(), key, Buffer::CopyOf("{}"), WriteGuard())).ok());
    const Result<CollectionReport> report = w.Pass();
    EXPECT_EQ(GcWorld::Text(report), "waiting 1, garbage 0, deleted 0");
    EXPECT_TRUE(report->waiting_anew);
    w.Age(kGrace + kTick);
    EXPECT_EQ(w.PassText(), "waiting 0, garbage 1, deleted 1");
  }
}

TEST(CollectorClocks, AYearOffNothingIsCollected) {
  for (const Duration off : {kYear, -kYear, kGrace / 10 + kTick, -kGrace / 10 - kTick}) {
    GcWorld w;
    SimNode& elsewhere = w.sim.AddNode("store");
    elsewhere.ShiftWall(off);
    MemoryObjectStore store(elsewhere.runtime());
    w.PutBytes(store, GcWorld::Wal(1), "orphan");
    const CollectorParts parts{w.sim.runtime(), w.memory_meta, store, w.memory_compacted, w.catalog};
    Collector collector(parts, w.options);
    for (int i = 0; i < 3; ++i) {
      w.Age(kGrace + kTick);
      const Status refused = w.sim.Run(collector.Pass(OpContext(), [](const CollectedObject&) {})).status();
      EXPECT_EQ(refused.code(), StatusCode::kUnavailable);
      EXPECT_NE(refused.message().find("clocks"), std::string_view::npos) << refused.message();
    }
    EXPECT_TRUE(w.Exists(store, GcWorld::Wal(1)));
  }
}

/// All of one machine, whose clock can be set.
class OneMachine {
 public:
  explicit OneMachine(std::string boot_id)
      : machine(sim.AddNode("machine")),
        meta(machine.runtime()),
        wal(machine.runtime()),
        compacted(machine.runtime()),
        catalog(machine.runtime(), meta) {
    options.grace = kGrace;
    options.boot_id = std::move(boot_id);
    const BufferChain chain(Buffer::CopyOf("orphan"));
    EXPECT_TRUE(sim.Run(wal.Put(OpContext(), GcWorld::Wal(1), chain, PutMode::kCreate)).ok());
    EXPECT_TRUE(sim.RunFor(kGrace + kTick).ok());
    EXPECT_EQ(Pass(), "waiting 1, garbage 0, deleted 0");
  }
  std::string Pass() {
    Collector collector(CollectorParts{machine.runtime(), meta, wal, compacted, catalog}, options);
    return GcWorld::Text(sim.Run(collector.Pass(OpContext(), [](const CollectedObject&) {})));
  }

  SimScheduler sim{1};
  SimNode& machine;
  MemoryMetadataStore meta;
  MemoryObjectStore wal;
  MemoryObjectStore compacted;
  StreamCatalog catalog;
  CollectorOptions options;
};

TEST(CollectorClocks, AClockSetForwardEndsNoWaitOfTheSameBoot) {
  OneMachine w("boot-1");
  for (int i = 0; i < 6; ++i) {
    w.machine.ShiftWall(hours(48));
    ASSERT_TRUE(w.sim.RunFor(kGrace / 6).ok());
    EXPECT_EQ(w.Pass(), "waiting 1, garbage 0, deleted 0") << i;
  }
  ASSERT_TRUE(w.sim.RunFor(2 * kTick).ok());
  EXPECT_EQ(w.Pass(), "waiting 0, garbage 1, deleted 1") << "and it ends";
}

TEST(CollectorClocks, AfterAnotherBootTheStoresClockCounts) {
  OneMachine w("boot-1");
  w.options.boot_id = "boot-2";
  w.machine.ShiftWall(hours(48));
  EXPECT_EQ(w.Pass(), "waiting 0, garbage 1, deleted 1");
}

TEST(CollectorClocks, AClockSetBackStopsCollectionUntilItHasCaughtUp) {
  OneMachine w("boot-1");
  w.machine.ShiftWall(-hours(2));
  EXPECT_NE(w.Pass().find("clocks"), std::string::npos);
  ASSERT_TRUE(w.sim.RunFor(hours(2) + kGrace).ok());
  EXPECT_EQ(w.Pass(), "waiting 1, garbage 0, deleted 0") << "told by the smaller of the two";
  ASSERT_TRUE(w.sim.RunFor(kTick).ok());
  EXPECT_EQ(w.Pass(), "waiting 0, garbage 1, deleted 1");
}

}  // namespace
}  // namespace lakestream
