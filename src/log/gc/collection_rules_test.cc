#include <gtest/gtest.h>

#include "log/gc/testing/gc_world.h"
#include "meta/wrap/fault_metadata_store.h"
#include "objstore/wrap/fault_object_store.h"
#include "sim/mutants/rule_breaker.h"

// Each rule of collection, broken: what passes then do is something else, and shows.

namespace lakestream {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

constexpr Duration kGrace = GcWorld::kGrace;

/// An orphan, and passes at these times after it was written.
std::string Orphan(const std::vector<Duration>& times) {
  GcWorld w;
  w.Orphan(1);
  std::string text;
  Duration now{};
  for (const Duration time : times) {
    w.Age(time - now);
    now = time;
    text += w.PassText() + "; ";
  }
  return text;
}

std::string Young() { return Orphan({kGrace}); }
std::string OnePass() { return Orphan({2 * kGrace}); }
std::string TwoPassesInARow() { return Orphan({2 * kGrace, 2 * kGrace}); }

std::string ALongPass() {
  GcWorld w;
  w.Orphan(1);
  w.Age(2 * kGrace);
  w.PassText();
  w.hook.calls = 0;
  w.hook.before = [&](int call) -> Task<Status> {
    if (call != 20) co_return OkStatus();
    Task<Status> sleep = SleepFor(w.sim.runtime(), OpContext(), 2 * kGrace);
    co_return co_await sleep;
  };
  return w.PassText();
}

std::string NamedAgain() {
  GcWorld w;
  w.Orphan(1);
  w.Age(2 * kGrace);
  w.PassText();
  w.Age(2 * kGrace);
  EntryIndex index;
  index.location = GcWorld::Wal(1);
  index.message_count = index.entry_count = 1;
  index.entry_size_bytes = index.file_size = 6;
  index.offset_in_file = -1;
  w.PutMeta(w.a, IndexKey{w.a, Offset(1), 6}.Encode(), EncodeEntryIndex(index));
  return w.PassText();
}

/// Two passes over a store whose clock is so far off.
std::string Elsewhere(Duration off, Duration age) {
  GcWorld w;
  SimNode& elsewhere = w.sim.AddNode("store");
  elsewhere.ShiftWall(off);
  MemoryObjectStore store(elsewhere.runtime());
  w.PutBytes(store, GcWorld::Wal(1), "orphan");
  w.Age(age);
  Collector collector(CollectorParts{w.sim.runtime(), w.memory_meta, store, w.memory_compacted, w.catalog}, w.options);
  return GcWorld::Text(w.sim.Run(collector.Pass(OpContext(), [](const CollectedObject&) {})));
}
std::string AnotherClock() { return Elsewhere(-minutes(3), kGrace); }
std::string AYearOff() { return Elsewhere(hours(365 * 24), 2 * kGrace); }

std::string AClockSetForward() {
  SimScheduler sim(1);
  SimNode& machine = sim.AddNode("machine");
  MemoryMetadataStore meta(machine.runtime());
  MemoryObjectStore wal(machine.runtime());
  MemoryObjectStore compacted(machine.runtime());
  StreamCatalog catalog(machine.runtime(), meta);
  CollectorOptions options;
  options.grace = kGrace;
  options.boot_id = "boot";
  const BufferChain chain(Buffer::CopyOf("orphan"));
  EXPECT_TRUE(sim.Run(wal.Put(OpContext(), GcWorld::Wal(1), chain, PutMode::kCreate)).ok());
  std::string text;
  for (int i = 0; i < 2; ++i) {
    machine.ShiftWall(hours(48));
    Collector collector(CollectorParts{machine.runtime(), meta, wal, compacted, catalog}, options);
    text += GcWorld::Text(sim.Run(collector.Pass(OpContext(), [](const CollectedObject&) {}))) + "; ";
  }
  return text;
}

/// A pass through stores that cut a scan of this family, or a listing, short.
std::string Cut(const std::string& family) {
  GcWorld w;
  for (int i = 0; i < 8; ++i) w.Entry(LogId(100 + i), 10 + i);
  w.Age(2 * kGrace);
  MetadataFaultPlan meta_plan(w.sim.runtime());
  FaultPlan object_plan(w.sim.runtime());
  FaultMetadataStore meta(w.sim.runtime(), w.memory_meta, meta_plan);
  FaultObjectStore wal(w.sim.runtime(), w.memory_objects, object_plan);
  if (family.empty()) {
    object_plan.OnNext(ObjectOp::kList, "", Fault::CutList(1));
  } else {
    meta_plan.Always(MetadataOp::kScan, family, MetadataFault::CutPages(1));
  }
  Collector collector(CollectorParts{w.sim.runtime(), meta, wal, w.memory_compacted, w.catalog}, w.options);
  return GcWorld::Text(w.sim.Run(collector.Pass(OpContext(), [](const CollectedObject&) {})));
}
std::string ACutScan() { return Cut("0"); }
std::string ACutListing() { return Cut(""); }

/// A file is installed at each call of a pass.
std::string AnInstallation() {
  std::string text;
  for (int at = 1; at < 60; ++at) {
    GcWorld w;
    w.Compacted(1);
    w.PutWork(w.a, GcWorld::Installing(w.a, 1));
    w.Age(2 * kGrace);
    w.hook.calls = 0;
    w.hook.before = [&](int call) -> Task<Status> {
      if (call != at) co_return OkStatus();
      const Partition partition = Partition::OfLog(w.a);
      const Buffer record(GcWorld::ParquetValue(1));
      Task<Result<WriteAnswer>> install =
          w.memory_meta.Put(OpContext(), partition, IndexKey{w.a, Offset(1), 3}.Encode(), record, WriteGuard());
      LS_CO_TRY((co_await install).status());
      const Buffer idle(*EncodeCompactionRecord(GcWorld::Idle(), w.a));
      Task<Result<WriteAnswer>> finish =
          w.memory_meta.Put(OpContext(), partition, CompactionRecordKey(w.a), idle, WriteGuard());
      co_return (co_await finish).status();
    };
    text += w.PassText() + "; ";
  }
  return text;
}

std::string Work() {
  GcWorld w;
  w.Compacted(1);
  w.PutWork(w.a, GcWorld::Working(1));
  w.Age(2 * kGrace);
  return w.PassText();
}

std::string ManyLogs() {
  GcWorld w;
  for (int i = 0; i < 20; ++i) w.Entry(LogId(100 + i), 10 + i);
  w.Age(2 * kGrace);
  return w.PassText();
}

std::string OthersObjects() {
  GcWorld w;
  w.PutBytes(w.memory_objects, "notes.txt", "theirs");
  w.Age(2 * kGrace);
  return w.PassText();
}

std::string Held() {
  GcWorld w;
  w.Orphan(1);
  w.Age(2 * kGrace);
  w.PassText();
  w.Age(2 * kGrace);
  EXPECT_TRUE(w.sim.Run(AddHold(w.sim.runtime(), w.memory_meta, OpContext(), "audit", "r")).ok());
  return w.PassText();
}

std::string ADropUnderWay() {
  GcWorld w;
  w.Compacted(1);
  w.PutWork(w.a, GcWorld::Installing(w.a, 1));
  w.PutMeta(w.a, WriteFenceKey(w.a), std::string(kWriteFenceValue));
  w.Age(2 * kGrace);
  return w.PassText();
}

TEST(CollectionRules, EachOneIsNeeded) {
  const struct {
    const char* what;
    Rule rule;
    std::string (*look)();
  } cases[] = {
      {"CandidateIsOld", Rule::kCandidateIsOld, &Young},
      {"AgeIsByTheStoresClock", Rule::kAgeIsByTheStoresClock, &AnotherClock},
      {"ClocksAgree", Rule::kClocksAgree, &AYearOff},
      {"WaitIsByTheSmallerClock", Rule::kWaitIsByTheSmallerClock, &AClockSetForward},
      {"DeletedByALaterPass", Rule::kDeletedByALaterPass, &OnePass},
      {"DeletedAfterGrace", Rule::kDeletedAfterGrace, &TwoPassesInARow},
      {"GraceEndsBeforeThePass", Rule::kGraceEndsBeforeThePass, &ALongPass},
      {"NamedIsNoCandidate", Rule::kNamedIsNoCandidate, &NamedAgain},
      {"IncompletePassesCountNothing", Rule::kIncompletePassesCountNothing, &ACutScan},
      {"WorkIsReadBeforeTheIndex", Rule::kWorkIsReadBeforeTheIndex, &AnInstallation},
      {"WorkNamesItsFiles", Rule::kWorkNamesItsFiles, &Work},
      {"IndexIsScannedNotTheRegistry", Rule::kIndexIsScannedNotTheRegistry, &ManyLogs},
      {"EveryShardIsScanned", Rule::kEveryShardIsScanned, &ManyLogs},
      {"ScansGiveTheirMarks", Rule::kScansGiveTheirMarks, &ACutScan},
      {"ListingsAreWhole", Rule::kListingsAreWhole, &ACutListing},
      {"ForeignObjectsStay", Rule::kForeignObjectsStay, &OthersObjects},
      {"HoldsStopDeletions", Rule::kHoldsStopDeletions, &Held},
      {"DroppedOnlyAfterItsIndex", Rule::kDroppedOnlyAfterItsIndex, &ADropUnderWay},
  };
  for (const auto& c : cases) {
    const std::string whole = c.look();
    {
      const RuleBreaker breaker(c.rule);
      EXPECT_NE(c.look(), whole) << c.what;
    }
    EXPECT_EQ(c.look(), whole) << c.what;
  }
}

}  // namespace
}  // namespace lakestream
