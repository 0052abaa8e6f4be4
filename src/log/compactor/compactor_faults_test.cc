// Compactors that die, stand still, race, and lose answers: whatever happens, every entry stays what it was, and whoever
// comes next finishes.

#include <gtest/gtest.h>

#include "format/index_key.h"
#include "log/compactor/testing/compactor_world.h"

namespace lakestream {
namespace {

using namespace std::chrono_literals;
using Kind = CompactionOutcome::Kind;
using Op = MetadataOp;

constexpr LogId kLog{7};
const std::string kRecord = "/lakestream/compaction/";
const std::string kIndexKeys = "00000000000000000007";
const std::string kLeases = "/stream-write-leases/";

std::vector<LogId> One() { return std::vector<LogId>(1, kLog); }

/// Two logs in shared objects: one with records below its marker, one without.
struct SharedLogs {
  explicit SharedLogs(CompactorWorld& w) : world(w) {
    for (const char* name : {"a", "b", "c", "d"}) {
      const std::vector<TestSection> sections = {{logs[0], {{2, std::string(name) + "-of-seven"}, {1, ""}}},
                                                 {logs[1], {{1, std::string(name) + "-of-eight"}}}};
      for (const WalSection& section : world.PutObject(name, sections)) {
        world.Publish(section.log, world.RecordOf(section, name));
      }
      EXPECT_TRUE(world.sim.RunFor(10ms).ok());
    }
    world.SetMarker(logs[0], 4);
    for (const LogId log : logs) before[log] = world.Entries(log);
    world.Settle();
  }
  /// Passes of one process until nothing is left to do.
  void Finish(CompactorProcess& process) {
    for (int pass = 0; pass < 20; ++pass) {
      const auto totals = process.Pass(logs);
      ASSERT_TRUE(totals && totals->ok()) << totals->status().ToString();
      if ((*totals)->nothing == 2) return;
      ASSERT_TRUE(world.sim.RunFor(2s).ok());
    }
    ADD_FAILURE() << "it never comes to rest";
  }
  void ExpectWhole() {
    for (const LogId log : logs) {
      EXPECT_EQ(world.Entries(log), before[log]) << "log " << log.value();
      EXPECT_EQ(world.Index(log).find('R'), std::string::npos) << world.Index(log);
    }
    EXPECT_EQ(world.Count("/lakestream/compaction-claim/"), 0u);
  }

  CompactorWorld& world;
  const std::vector<LogId> logs = {LogId(7), LogId(8)};
  std::map<LogId, std::vector<std::string>> before;
};

TEST(CompactorFaults, DiesAtEveryCallAndAnotherOneFinishes) {
  int calls = 0;
  for (const bool apply_last : {false, true}) {
    for (int n = 0;; ++n) {
      SCOPED_TRACE("after " + std::to_string(n) + " calls" + (apply_last ? ", and one without an answer" : ""));
      CompactorWorld world;
      SharedLogs shared(world);
      CompactorProcess& first = world.AddProcess();
      first.death.left = n;
      first.death.apply_last = apply_last;
      bool died = false;
      for (int pass = 0; pass < 4 && !died; ++pass) died = !first.Pass(shared.logs).has_value();
      if (!died) break;
      calls = std::max(calls, n);
      for (const LogId log : shared.logs) ASSERT_EQ(world.Entries(log), shared.before[log]) << "log " << log.value();
      first.Expire();
      CompactorProcess& second = world.AddProcess();
      shared.Finish(second);
      shared.ExpectWhole();
      ASSERT_FALSE(testing::Test::HasFailure());
    }
  }
  // Three rounds of two logs: it is no accident that nothing happened.
  EXPECT_GT(calls, 60);
  std::printf("died at each of %d calls, twice\n", calls + 1);
}

TEST(CompactorFaults, TwoRace) {
  int both = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    CompactorWorld world(seed);
    SharedLogs shared(world);
    // Half of them on a store that holds no guard.
    CompactorProcess& first = world.AddProcess(EagerOptions(), seed % 2 == 0);
    CompactorProcess& second = world.AddProcess(EagerOptions(), seed % 2 == 0);
    for (int round = 0; round < 3; ++round) {
      const auto one = first.Start(shared.logs, 10min);
      const auto other = second.Start(shared.logs, 10min);
      world.Until([&] { return one->has_value() && other->has_value(); });
      ASSERT_TRUE((*one)->ok()) << (*one)->status().ToString();
      ASSERT_TRUE((*other)->ok()) << (*other)->status().ToString();
      EXPECT_EQ((**one)->stuck + (**other)->stuck, 0);
      both += (**one)->compacted > 0 && (**other)->compacted > 0 ? 1 : 0;
      for (const LogId log : shared.logs) ASSERT_EQ(world.Entries(log), shared.before[log]);
    }
    shared.Finish(first);
    shared.ExpectWhole();
    ASSERT_FALSE(testing::Test::HasFailure());
  }
  EXPECT_GT(both, 0);
}

TEST(CompactorFaults, ManyFaultsAtOnce) {
  std::int64_t injected = 0;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE(seed);
    CompactorWorld world(seed);
    SharedLogs shared(world);
    MetadataFaultRates meta;
    meta.fail = meta.lose_answer = meta.apply_late = meta.delay = meta.short_page = 300;
    meta.lose_sessions = 100;
    meta.max_late = 20s;
    FaultRates objects;
    // No flipped bytes: a payload has no checksum but its store's.
    objects.fail = objects.lose_answer = objects.apply_late = objects.delay = objects.short_body = 200;
    for (int i = 0; i < 3; ++i) {
      CompactorProcess& process = world.AddProcess(EagerOptions(), seed % 2 == 0);
      process.meta_faults.Randomize(meta, world.sim.Stream("meta faults"));
      process.wal_faults.Randomize(objects, world.sim.Stream("wal faults"));
      process.compacted_faults.Randomize(objects, world.sim.Stream("compacted faults"));
    }
    for (int round = 0; round < 6; ++round) {
      std::vector<std::shared_ptr<std::optional<Result<CompactionTotals>>>> passes;
      for (const auto& process : world.processes) passes.push_back(process->Start(shared.logs, 5min));
      world.Until([&] {
        return std::all_of(passes.begin(), passes.end(), [](const auto& pass) { return pass->has_value(); });
      });
      for (const LogId log : shared.logs) ASSERT_EQ(world.Entries(log), shared.before[log]) << "log " << log.value();
      ASSERT_TRUE(world.sim.RunFor(30s).ok());
    }
    for (const auto& process : world.processes) {
      injected += process->meta_faults.injected(MetadataFaultKind::kLoseAnswer) +
                  process->meta_faults.injected(MetadataFaultKind::kApplyLate);
      process->Kill();
    }
    // Two short answers in a row would be damage; these seeds have none.
    for (const LogId log : shared.logs) ASSERT_TRUE(world.Record(log).quarantined.empty()) << "seed " << seed;
    shared.Finish(world.AddProcess());
    shared.ExpectWhole();
    ASSERT_FALSE(testing::Test::HasFailure());
  }
  EXPECT_GT(injected, 100);
  std::printf("%lld answers lost or late\n", static_cast<long long>(injected));
}

/// One log of three records, compacted into [0, 6).
struct OneLog {
  explicit OneLog(bool guarded = true, CompactorOptions options = EagerOptions())
      : first(world.AddProcess(options, guarded)), second(world.AddProcess(options, guarded)) {
    for (const char* name : {"a", "b", "c"}) world.Append(kLog, name, {{2, name}, {1, ""}});
    before = world.Entries(kLog);
    world.Settle();
  }
  /// The first one stands still at a call.
  Hold HoldFirst(Op op, const std::string& prefix, int n = 1) {
    pass = first.Start(One(), 24h);
    const Hold hold = CompactorWorld::HoldNth(world, first, op, prefix, n, HoldPoint::kBeforeApply);
    world.Until([&] { return hold.reached(); });
    return hold;
  }
  void EndFirst() {
    world.Until([&] { return pass->has_value(); });
  }
  const CompactionOutcome& Second() {
    EXPECT_TRUE(second.Pass(One())->ok());
    return second.Outcome(kLog);
  }
  void LoseFirst() {
    first.Expire();
    EXPECT_EQ(world.Count("/lakestream/compaction-claim/"), 0u);
  }
  /// Whom the record names: of a compaction that is being installed.
  std::string Owner() {
    const CompactionRecord record = world.Record(kLog);
    const auto* const installing = std::get_if<CompactionInstalling>(&record.state);
    return installing == nullptr ? std::string() : installing->owner;
  }
  /// The session behind the only lease.
  std::string LeaseSession() {
    EXPECT_EQ(world.Count(kLeases), 1u);
    for (const MetadataRecord& record : world.memory_meta.backend()->Dump()) {
      if (record.key.starts_with(kLeases)) return record.session;
    }
    return std::string();
  }

  CompactorWorld world;
  CompactorProcess& first;
  CompactorProcess& second;
  std::vector<std::string> before;
  std::shared_ptr<std::optional<Result<CompactionTotals>>> pass;
};

TEST(CompactorFaults, APausedInstallerIsWaitedForWhileItsSessionLives) {
  for (const bool guarded : {true, false}) {
    OneLog log(guarded);
    const Hold put = log.HoldFirst(Op::kCompareAndSet, kIndexKeys);
    // Longer than any deadline of a compaction record.
    ASSERT_TRUE(log.world.sim.RunFor(90min).ok());
    EXPECT_EQ(log.Second().kind, Kind::kWaiting);
    EXPECT_FALSE(log.second.Outcome(kLog).owner.empty());
    EXPECT_EQ(log.world.Index(kLog), "R3 R6 R9");

    log.LoseFirst();
    EXPECT_EQ(log.Second().kind, Kind::kCompacted) << log.second.Outcome(kLog).status.ToString();
    EXPECT_EQ(log.world.Index(kLog), "P6 R9");
    const std::vector<MetadataRecord> index = log.world.IndexRecords(kLog);
    // What the first one did not know lands now.
    put.Release();
    log.EndFirst();
    const std::vector<MetadataRecord> after = log.world.IndexRecords(kLog);
    ASSERT_EQ(after.size(), index.size());
    EXPECT_EQ(after[0].version, index[0].version) << "the late put is on a version that is gone";
    EXPECT_EQ(log.world.Entries(kLog), log.before);
    EXPECT_EQ(log.world.Record(kLog), CompactorWorld::Idle(6));
  }
}

TEST(CompactorFaults, ALateDeletionHasNothingToDelete) {
  OneLog log(false);
  const Hold deletion = log.HoldFirst(Op::kDeleteRange, kIndexKeys);
  log.LoseFirst();
  EXPECT_EQ(log.Second().kind, Kind::kCompacted);
  EXPECT_EQ(log.Second().kind, Kind::kCompacted);
  EXPECT_EQ(log.world.Index(kLog), "P6 P9");
  deletion.Release();
  log.EndFirst();
  EXPECT_EQ(log.world.Index(kLog), "P6 P9");
  EXPECT_EQ(log.world.Entries(kLog), log.before);
}

TEST(CompactorFaults, WorkIsGivenUpAfterItsDeadlineAndItsOwnerFindsOut) {
  CompactorOptions options = EagerOptions();
  options.work_deadline = 10min;
  OneLog log(true, options);
  // At its swap to `installing`, with its files complete.
  const Hold swap = log.HoldFirst(Op::kCompareAndSet, kRecord);
  EXPECT_EQ(log.Second().kind, Kind::kWaiting);
  ASSERT_TRUE(log.world.sim.RunFor(11min).ok());
  EXPECT_EQ(log.Second().kind, Kind::kCompacted);
  swap.Release();
  log.EndFirst();
  EXPECT_EQ(log.first.Outcome(kLog).kind, Kind::kStuck);
  EXPECT_EQ(log.world.Index(kLog), "P6 R9");
  EXPECT_EQ(log.world.Entries(kLog), log.before);
  EXPECT_EQ(log.world.Record(kLog), CompactorWorld::Idle(6));
  // What the second one installed is what the record names, and the first one's files are garbage.
  EXPECT_EQ(log.world.Files().size(), 4u);
  ASSERT_TRUE(log.first.Pass(One())->ok());
  EXPECT_EQ(log.first.Outcome(kLog).kind, Kind::kCompacted) << "at once";
}

TEST(CompactorFaults, AFenceWhileFilesAreWrittenEndsTheWork) {
  OneLog log;
  const Hold swap = log.HoldFirst(Op::kCompareAndSet, kRecord);
  log.world.Fence(kLog);
  swap.Release();
  log.EndFirst();
  // The swap was under way: it may have been done before the fence.
  EXPECT_EQ(log.first.Outcome(kLog).kind, Kind::kNothing);
  EXPECT_EQ(CompactionStateName(log.world.Record(kLog)), "installing");
  EXPECT_EQ(log.world.Index(kLog), "R3 R6 R9");
  EXPECT_EQ(log.Second().kind, Kind::kNothing);
  log.LoseFirst();
  EXPECT_EQ(log.Second().kind, Kind::kNothing) << "there is no lease to be had any more";
  EXPECT_EQ(CompactionStateName(log.world.Record(kLog)), "installing") << "its files may be named by the index";
}

TEST(CompactorFaults, AFenceDoesNotStopWhoHoldsALease) {
  OneLog log;
  const Hold put = log.HoldFirst(Op::kCompareAndSet, kIndexKeys);
  log.world.Fence(kLog);
  // The keeper looks for fences, and sees it.
  ASSERT_TRUE(log.world.sim.RunFor(5s).ok());
  EXPECT_EQ(log.world.Count("/stream-write-leases/"), 1u) << "whoever deletes the log waits";
  put.Release();
  log.EndFirst();
  EXPECT_EQ(log.first.Outcome(kLog).kind, Kind::kCompacted);
  EXPECT_EQ(log.world.Index(kLog), "P6 R9");
  ASSERT_TRUE(log.world.sim.RunFor(5s).ok());
  EXPECT_EQ(log.world.Count("/stream-write-leases/"), 0u);
}

/// Whoever deletes the log waits no more for a lease whose session has ended.
TEST(CompactorFaults, NothingIsInstalledUnderALeaseWhoseSessionHasEnded) {
  struct Case {
    Op op;
    const char* index;  ///< before it
  };
  for (const Case& c : {Case{Op::kCompareAndSet, "R3 R6 R9"}, Case{Op::kDeleteRange, "R3 P6 R9"}}) {
    SCOPED_TRACE(MetadataOpName(c.op));
    OneLog log;
    const Hold step = log.HoldFirst(c.op, kIndexKeys);
    const std::string owner = log.Owner();
    const std::string lease = log.LeaseSession();
    ASSERT_NE(lease, owner);
    ASSERT_TRUE(log.world.memory_meta.backend()->ExpireSession(lease));
    const Hold next = log.first.meta_faults.HoldNext(Op::kCreateEphemeral, kLeases, HoldPoint::kBeforeApply);
    step.Release();
    log.world.Until([&] { return next.reached(); });
    EXPECT_EQ(log.world.Index(kLog), c.index);
    EXPECT_EQ(log.Owner(), owner) << "whose own session has not ended";
    EXPECT_TRUE(log.world.memory_meta.backend()->SessionAlive(owner));
    next.Release();
    log.EndFirst();
    EXPECT_EQ(log.first.Outcome(kLog).kind, Kind::kCompacted);
    EXPECT_EQ(log.world.Index(kLog), "P6 R9");
    EXPECT_EQ(log.world.Entries(kLog), log.before);
  }
}

/// The store knows that the session behind the lease has ended, the process does not.
TEST(CompactorFaults, ALeaseThatTheStoreFencesIsReplaced) {
  for (const Op op : {Op::kCompareAndSet, Op::kDeleteRange}) {
    SCOPED_TRACE(MetadataOpName(op));
    OneLog log;
    log.first.meta_faults.OnNext(op, kIndexKeys, MetadataFault::Fail(Fenced("the session of a write has ended")));
    const Hold next = log.HoldFirst(Op::kCreateEphemeral, kLeases, 2);
    EXPECT_TRUE(log.world.memory_meta.backend()->SessionAlive(log.Owner())) << "it was not about this one";
    next.Release();
    log.EndFirst();
    EXPECT_EQ(log.first.Outcome(kLog).kind, Kind::kCompacted);
    EXPECT_EQ(log.world.Index(kLog), "P6 R9");
  }
}

TEST(CompactorFaults, ADeletedLogStaysEmpty) {
  for (const bool guarded : {true, false}) {
    OneLog log(guarded);
    const Hold put = log.HoldFirst(Op::kCompareAndSet, kIndexKeys);
    log.LoseFirst();
    log.world.Fence(kLog);
    log.world.RemoveIndex(kLog, 0, 1'000'000);
    put.Release();
    log.EndFirst();
    EXPECT_EQ(log.world.Index(kLog), "");
    EXPECT_EQ(log.Second().kind, Kind::kNothing);
    EXPECT_EQ(log.world.Index(kLog), "");
  }
}

TEST(CompactorFaults, ATrimBetweenIsNotUndone) {
  // Of the whole range, while its files are written: C1 does not hold any more.
  OneLog log;
  const Hold get = log.first.wal_faults.HoldNext(ObjectOp::kGet, "", HoldPoint::kBeforeApply);
  log.pass = log.first.Start(One(), 1h);
  log.world.Until([&] { return get.reached(); });
  log.world.SetMarker(kLog, 6);
  log.world.RemoveIndex(kLog, 0, 6);
  get.Release();
  log.EndFirst();
  EXPECT_EQ(log.world.Index(kLog).find("6"), std::string::npos) << log.world.Index(kLog);
  EXPECT_EQ(log.world.Entries(kLog).size(), 2u);

  // Between the Get and the Put of C3: the key does not come back.
  OneLog other;
  const Hold put = other.HoldFirst(Op::kCompareAndSet, kIndexKeys);
  other.world.SetMarker(kLog, 6);
  other.world.RemoveIndex(kLog, 0, 6);
  put.Release();
  other.EndFirst();
  EXPECT_EQ(other.world.Index(kLog), "R9");
  EXPECT_EQ(other.first.Outcome(kLog).kind, Kind::kCompacted);
  EXPECT_EQ(other.world.Record(kLog), CompactorWorld::Idle(6));
}

TEST(CompactorFaults, FilesAreNamedBeforeTheFirstUpload) {
  OneLog log;
  std::vector<std::string> named;
  const Hold put = log.first.compacted_faults.HoldNext(ObjectOp::kPut, "", HoldPoint::kBeforeApply);
  log.pass = log.first.Start(One(), 1h);
  log.world.Until([&] { return put.reached(); });
  named = FilesOf(log.world.Record(kLog));
  EXPECT_EQ(CompactionStateName(log.world.Record(kLog)), "working");
  ASSERT_FALSE(named.empty());
  EXPECT_EQ(put.key(), "shop/orders/" + named.front());
  put.Release();
  log.EndFirst();
}

TEST(CompactorFaults, ASwapWithoutAnAnswerIsFoundOut) {
  // Of the creation, of `installing`, and of the way back from a failure; done, or done late.
  struct Case {
    Op op;
    int nth;
    MetadataFault fault;
  };
  const Case cases[] = {
      {Op::kCreateIfAbsent, 1, MetadataFault::LoseAnswer()}, {Op::kCreateIfAbsent, 1, MetadataFault::ApplyLate(100ms)},
      {Op::kCompareAndSet, 1, MetadataFault::LoseAnswer()},  {Op::kCompareAndSet, 1, MetadataFault::ApplyLate(100ms)},
      {Op::kCompareAndSet, 2, MetadataFault::LoseAnswer()},  {Op::kCompareAndSet, 2, MetadataFault::ApplyLate(100ms)},
  };
  for (const Case& c : cases) {
    OneLog log;
    log.first.meta_faults.OnNth(c.op, kRecord, c.nth, c.fault);
    const auto pass = log.first.Pass(One(), 1min);
    EXPECT_EQ(log.first.meta_faults.rules_left(), 0);
    for (int more = 0; more < 3; ++more) {
      ASSERT_TRUE(log.world.sim.RunFor(2s).ok());
      ASSERT_TRUE(log.first.Pass(One())->ok());
    }
    EXPECT_EQ(log.world.Index(kLog), "P6 P9");
    EXPECT_EQ(log.world.Entries(kLog), log.before);
    EXPECT_EQ(log.world.Count("/lakestream/compaction-claim/"), 0u);
  }
}

TEST(CompactorFaults, AClaimOutlivesASwapThatMayStillHappen) {
  OneLog log;
  // Nobody learns what became of it for a minute; then it lands.
  log.first.meta_faults.OnNth(Op::kCompareAndSet, kRecord, 1, MetadataFault::ApplyLate(10min));
  const auto pass = log.first.Start(One(), 1min);
  log.world.Until([&] { return pass->has_value(); });
  EXPECT_FALSE((*pass)->ok());
  EXPECT_EQ(log.world.Count("/lakestream/compaction-claim/"), 1u);
  EXPECT_EQ(log.Second().kind, Kind::kWaiting);
  ASSERT_TRUE(log.world.sim.RunFor(15min).ok());
  EXPECT_EQ(CompactionStateName(log.world.Record(kLog)), "installing");
  EXPECT_EQ(log.Second().kind, Kind::kWaiting) << "the first one lives";
  ASSERT_TRUE(log.first.Pass(One())->ok());
  EXPECT_EQ(log.first.Outcome(kLog).kind, Kind::kCompacted);
  EXPECT_EQ(log.world.Index(kLog), "P6 R9");
  EXPECT_EQ(log.world.Count("/lakestream/compaction-claim/"), 0u);
}

/// Else the log could be deleted, and the change come later.
TEST(CompactorFaults, AnUnknownChangeHoldsItsLeaseUntilItIsSettled) {
  for (const bool by_another : {false, true}) {
    OneLog log;
    const auto leases = [&log] { return log.world.Count("/stream-write-leases/"); };
    log.first.meta_faults.OnNth(Op::kCompareAndSet, IndexKeyPrefix(kLog), 1, MetadataFault::ApplyLate(10min));
    const auto pass = log.first.Start(One(), 1min);
    log.world.Until([&] { return pass->has_value(); });
    ASSERT_TRUE(log.world.sim.RunFor(5min).ok());
    EXPECT_EQ(CompactionStateName(log.world.Record(kLog)), "installing");
    EXPECT_EQ(leases(), 1u) << "it may still come";
    ASSERT_TRUE(log.world.sim.RunFor(15min).ok());
    if (by_another) {
      const std::string owner = std::get<CompactionInstalling>(log.world.Record(kLog).state).owner;
      const std::string claim = CompactionClaimKey(kLog, owner);
      const Partition partition = Partition::OfLog(kLog);
      ASSERT_TRUE(log.world.sim.Run(log.second.client.Delete(OpContext(), partition, claim, WriteGuard())).ok());
      EXPECT_EQ(log.Second().kind, Kind::kCompacted);
    }
    // The second time it finds the installation done.
    for (int i = 0; i < 2; ++i) ASSERT_TRUE(log.first.Pass(One())->ok());
    ASSERT_TRUE(log.world.sim.RunFor(5min).ok());
    EXPECT_EQ(leases(), 0u) << "nothing can come any more";
    EXPECT_EQ(log.world.Entries(kLog), log.before);
  }
}

/// Until it is closed, what it owned is its own.
TEST(CompactorFaults, ASessionThatCannotBeClosedIsClosedLater) {
  OneLog log;
  log.first.meta_faults.Always(Op::kCompareAndSet, IndexKeyPrefix(kLog), MetadataFault::FailUnavailable());
  const auto pass = log.first.Start(One(), 1min);
  log.world.Until([&] { return pass->has_value(); });
  ASSERT_EQ(CompactionStateName(log.world.Record(kLog)), "installing");
  log.first.meta_faults.Always(Op::kCloseSession, "", MetadataFault::FailUnavailable());
  log.first.faulty_meta.SuspectSessions(true);
  (void)log.first.Pass(One());
  log.first.faulty_meta.SuspectSessions(false);
  ASSERT_TRUE(log.world.sim.RunFor(1min).ok());
  ASSERT_TRUE(log.first.Pass(One())->ok());
  EXPECT_EQ(log.Second().kind, Kind::kWaiting) << "the old session stands in the store";
  log.first.meta_faults.Heal();
  ASSERT_TRUE(log.first.Pass(One())->ok());
  EXPECT_EQ(log.Second().kind, Kind::kCompacted);
  EXPECT_EQ(log.world.Entries(kLog), log.before);
}

TEST(CompactorFaults, AStopThatCouldNotCloseTheSessionIsRepeated) {
  OneLog log;
  const Hold get = log.first.wal_faults.HoldNext(ObjectOp::kGet, "", HoldPoint::kBeforeApply);
  log.pass = log.first.Start(One(), 1h);
  log.world.Until([&] { return get.reached(); });
  log.first.meta_faults.Always(Op::kCloseSession, "", MetadataFault::FailUnavailable());
  Compactor& compactor = *log.first.compactor;
  for (int times = 0; times < 2; ++times) {
    const OpContext soon = OpContext().WithDeadline(log.first.node.runtime().Now() + 1min);
    EXPECT_EQ(log.world.sim.Run(compactor.Stop(soon)).code(), StatusCode::kUnavailable);
    EXPECT_EQ(log.Second().kind, Kind::kWaiting);
  }
  log.first.meta_faults.Heal();
  EXPECT_TRUE(log.world.sim.Run(compactor.Stop(OpContext())).ok());
  EXPECT_EQ(log.Second().kind, Kind::kCompacted);
}

TEST(CompactorFaults, AStopClosesTheSessionAsSoonAsItCan) {
  for (const MetadataFault& fault : {MetadataFault::FailUnavailable(), MetadataFault::LoseAnswer()}) {
    OneLog log;
    ASSERT_TRUE(log.first.Pass(One())->ok());
    for (int i = 0; i < 3; ++i) log.first.meta_faults.OnNext(Op::kCloseSession, "", fault);
    const std::size_t sessions = log.world.memory_meta.backend()->SessionIds().size();
    const OpContext soon = OpContext().WithDeadline(log.first.node.runtime().Now() + 1min);
    EXPECT_TRUE(log.world.sim.Run(log.first.compactor->Stop(soon)).ok());
    EXPECT_EQ(log.first.meta_faults.rules_left(), 0);
    EXPECT_EQ(log.world.memory_meta.backend()->SessionIds().size(), sessions - 1);
  }
}

/// However many logs hear of its end.
TEST(CompactorFaults, ASessionIsClosedOnce) {
  CompactorWorld world;
  CompactorProcess& process = world.AddProcess();
  const std::vector<LogId> logs = {LogId(7), LogId(8)};
  for (const LogId log : logs) {
    for (const char* name : {"a", "b", "c"}) world.Append(log, name + log.ToString(), {{2, name}, {1, ""}});
    process.meta_faults.OnNext(Op::kCreateEphemeral, "/lakestream/compaction-claim/" + log.ToString() + "/",
                               MetadataFault::Fail(Fenced("the session has ended")));
  }
  world.Settle();
  process.meta_faults.OnNth(Op::kCloseSession, "", 2, MetadataFault::FailUnavailable());
  const auto totals = process.Pass(logs);
  ASSERT_TRUE(totals->ok()) << totals->status().ToString();
  EXPECT_EQ((*totals)->compacted, 2);
  EXPECT_EQ(process.meta_faults.rules_left(), 1) << "it was closed twice";
}

/// Whoever cannot look at the record does not know that it names somebody else.
TEST(CompactorFaults, AClaimOutlivesAPassThatCannotLook) {
  OneLog log;
  log.first.meta_faults.OnNth(Op::kCompareAndSet, kRecord, 1, MetadataFault::ApplyLate(100ms));
  const auto pass = log.first.Start(One(), 1min);
  log.world.Until([&] { return CompactionStateName(log.world.Record(kLog)) == "installing"; });
  log.first.meta_faults.Always(Op::kRead, kRecord, MetadataFault::FailUnavailable());
  log.world.Until([&] { return pass->has_value(); });
  for (int more = 0; more < 2; ++more) {
    ASSERT_TRUE(log.world.sim.RunFor(1min).ok());
    ASSERT_TRUE(log.first.Pass(One())->ok());
    EXPECT_EQ(log.first.Outcome(kLog).kind, Kind::kStuck);
    EXPECT_EQ(log.world.Count("/lakestream/compaction-claim/"), 1u);
    EXPECT_EQ(log.Second().kind, Kind::kWaiting) << "the first one lives";
  }
  log.first.meta_faults.Heal();
  ASSERT_TRUE(log.world.sim.RunFor(1min).ok());
  ASSERT_TRUE(log.first.Pass(One())->ok());
  EXPECT_EQ(log.first.Outcome(kLog).kind, Kind::kCompacted);
  EXPECT_EQ(log.world.Count("/lakestream/compaction-claim/"), 0u);
}

}  // namespace
}  // namespace lakestream
