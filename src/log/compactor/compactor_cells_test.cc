// Drives every cell of model::NextCompaction and of model::NextInstall through the compactor, with faults at the seams. A
// cell that can occur and that no scenario reaches fails the test.

#include <gtest/gtest.h>

#include "log/compactor/testing/compactor_world.h"
#include "model/compaction_state.h"

namespace lakestream {
namespace {

using namespace std::chrono_literals;
using Kind = CompactionOutcome::Kind;
using Op = MetadataOp;
using model::CompactionStand;
using model::CompactionView;
using model::InstallEvent;
using model::InstallStep;

constexpr LogId kLog{7};
constexpr Duration kWorkDeadline = 30min;
const std::string kRecord = "/lakestream/compaction/";
const std::string kIndexKeys = "00000000000000000007";
const std::string kLeases = "/stream-write-leases/";

std::vector<LogId> One() { return std::vector<LogId>(1, kLog); }

/// A log of three records, of which the first two are to be compacted into [0, 6), and a process.
class World : public CompactorWorld {
 public:
  World() {
    for (const char* name : {"a", "b", "c"}) Append(kLog, name, {{2, name}, {1, ""}});
    before = Entries(kLog);
    Settle();
    CompactorOptions options = EagerOptions();
    options.work_deadline = kWorkDeadline;
    process = &AddProcess(options);
  }

  std::string OwnSession() {
    // A pass over a log without records opens the compactor's session, and no other one.
    EXPECT_TRUE(process->Pass(std::vector<LogId>(1, LogId(99)))->ok());
    const std::vector<std::string> ids = memory_meta.backend()->SessionIds();
    EXPECT_EQ(ids.size(), 1u);
    return ids.front();
  }
  CompactionRecord Working(const std::string& owner) {
    CompactionRecord record;
    record.state = CompactionWorking{owner, CompactionRange{Offset(0), Offset(6)}, {"lks-x.parquet"}};
    return record;
  }
  CompactionRecord Installing(const std::string& owner) {
    FileIndex files;
    files.files.push_back(CompactedFile{Offset(5), "lks-x.parquet"});
    CompactionRecord record;
    record.state = CompactionInstalling{owner, CompactionRange{Offset(0), Offset(6)}, IndexKey{kLog, Offset(6), 2},
                                        EncodeEntryIndex(*MakeParquetEntryIndex(files, 6, 2))};
    return record;
  }
  void PutClaim(const std::string& owner) { PutMeta(kLog, CompactionClaimKey(kLog, owner), owner); }
  void LoseSessions() { ASSERT_TRUE(sim.Run(process->faulty_meta.LoseSessions()).ok()); }
  /// So that whoever swaps on the version before fails.
  void Touch(const std::string& key) { PutMeta(kLog, key, Value(kLog, key)); }
  std::string RangeKey() { return IndexKey{kLog, Offset(6), 2}.Encode(); }

  void Count(CompactionCells* sum) const {
    const CompactionCells cells = process->compactor->cells();
    for (int i = 0; i < model::kCompactionStands; ++i) {
      for (int j = 0; j < model::kCompactionViews; ++j) sum->next[i][j] += cells.next[i][j];
    }
    for (int i = 0; i < model::kInstallSteps; ++i) {
      for (int j = 0; j < model::kInstallEvents; ++j) sum->install[i][j] += cells.install[i][j];
    }
  }

  std::vector<std::string> before;
  CompactorProcess* process;
};

struct StandCase {
  CompactionStand stand;
  /// What stands in the store before the pass.
  void (*set_up)(World&);
  int look;                 ///< at which look of the pass it is seen
  const char* lives;        ///< "outcome record" of the pass where the log lives
  const char* fenced;       ///< where it is fenced
  const char* ended;        ///< where the session of the compactor is lost
  bool has_files = true;    ///< of what is installed
};

constexpr char kDone[] = "compacted idle";

const StandCase kStandCases[] = {
    {CompactionStand::kAbsent, [](World&) {}, 1, kDone, "nothing idle", kDone},
    {CompactionStand::kIdle, [](World& w) { w.PutRecord(kLog, CompactorWorld::Idle(0)); }, 1, kDone, "nothing idle",
     kDone},
    {CompactionStand::kWorkingHere, [](World&) {}, 3, kDone, "nothing idle", kDone},
    // Its files are there: what has to begin again comes in the next pass.
    {CompactionStand::kWorkingComplete, [](World&) {}, 4, kDone, "nothing idle", "stuck idle"},
    {CompactionStand::kWorkingLost, [](World& w) { w.PutRecord(kLog, w.Working(w.OwnSession())); }, 1, kDone,
     "nothing idle", kDone},
    {CompactionStand::kWorkingAlive,
     [](World& w) {
       w.PutRecord(kLog, w.Working("other"));
       w.PutClaim("other");
     },
     1, "waiting working", "nothing working", "waiting working"},
    {CompactionStand::kWorkingLate,
     [](World& w) {
       w.PutRecord(kLog, w.Working("other"));
       w.PutClaim("other");
       ASSERT_TRUE(w.process->Pass(One())->ok());
       ASSERT_TRUE(w.sim.RunFor(kWorkDeadline).ok());
     },
     1, kDone, "nothing idle", kDone},
    {CompactionStand::kWorkingEnded, [](World& w) { w.PutRecord(kLog, w.Working("other")); }, 1, kDone, "nothing idle",
     kDone},
    {CompactionStand::kInstallingHere, [](World&) {}, 5, kDone, "nothing installing", kDone},
    {CompactionStand::kInstallingLost, [](World& w) { w.PutRecord(kLog, w.Installing(w.OwnSession())); }, 1, kDone,
     "nothing installing", kDone, false},
    {CompactionStand::kInstallingAlive,
     [](World& w) {
       w.PutRecord(kLog, w.Installing("other"));
       w.PutClaim("other");
     },
     1, "waiting installing", "nothing installing", "waiting installing"},
    {CompactionStand::kInstallingLate,
     [](World& w) {
       w.PutRecord(kLog, w.Installing("other"));
       w.PutClaim("other");
       ASSERT_TRUE(w.process->Pass(One())->ok());
       ASSERT_TRUE(w.sim.RunFor(kWorkDeadline).ok());
     },
     1, "waiting installing", "nothing installing", "waiting installing"},
    {CompactionStand::kInstallingEnded, [](World& w) { w.PutRecord(kLog, w.Installing("other")); }, 1, kDone,
     "nothing installing", kDone, false},
    {CompactionStand::kDropped,
     [](World& w) {
       CompactionRecord dropped;
       dropped.state = CompactionDropped();
       w.PutRecord(kLog, dropped);
     },
     1, "nothing dropped", "nothing dropped", "nothing dropped"},
};

void RunStand(const StandCase& c, CompactionView view, CompactionCells* sum) {
  SCOPED_TRACE(std::string(model::CompactionStandName(c.stand)) + ", " + std::string(model::CompactionViewName(view)));
  World world;
  c.set_up(world);
  CompactorProcess& process = *world.process;
  const auto pass = process.Start(One(), 30min);
  // A fence is there before the look, a session may be lost after it.
  const HoldPoint point = view == CompactionView::kLogFenced ? HoldPoint::kBeforeApply : HoldPoint::kAfterApply;
  const Hold look = CompactorWorld::HoldNth(world, process, Op::kRead, kRecord, c.look, point);
  world.Until([&] { return look.reached(); });
  if (view == CompactionView::kLogFenced) world.Fence(kLog);
  if (view == CompactionView::kSessionEnded) world.LoseSessions();
  look.Release();
  world.Until([&] { return pass->has_value(); });
  ASSERT_TRUE((*pass)->ok()) << (*pass)->status().ToString();
  const CompactionOutcome& outcome = process.Outcome(kLog);
  const char* expected = view == CompactionView::kLogFenced ? c.fenced : c.lives;
  if (view == CompactionView::kSessionEnded) expected = c.ended;
  EXPECT_EQ(std::string(CompactionOutcomeName(outcome.kind)) + " " + std::string(CompactionStateName(world.Record(kLog))),
            expected)
      << outcome.status.ToString();
  const CompactionCells cells = process.compactor->cells();
  EXPECT_GT(cells.next[static_cast<int>(c.stand)][static_cast<int>(view)], 0);
  if (c.has_files) {
    EXPECT_EQ(world.Entries(kLog), world.before);
  }
  world.Count(sum);
}

// --- installations ---------------------------------------------------------------------------------------

struct InstallCase {
  const char* name;
  InstallStep step;
  InstallEvent event;
  Op op;                   ///< the call that is meddled with
  std::string prefix;
  int nth;                 ///< of those that match in the pass
  std::optional<MetadataFault> fault;
  void (*meanwhile)(World&);    ///< without a fault: while the call has not reached the store
  const char* outcome;
  bool whole = true;            ///< all entries are there
};

std::vector<InstallCase> InstallCases() {
  const MetadataFault fail = MetadataFault::FailUnavailable();
  const MetadataFault lose = MetadataFault::LoseAnswer();
  const auto lose_sessions = [](World& w) { w.LoseSessions(); };
  // The first swap of the record is its creation; then it is swapped to `installing`, then to `idle`.
  return {
      {"LeaseRefused", InstallStep::kLease, InstallEvent::kRefused, Op::kCreateEphemeral, kLeases, 1, fail, nullptr,
       kDone},
      {"LeaseFenced", InstallStep::kLease, InstallEvent::kFenced, Op::kCreateEphemeral, kLeases, 1, std::nullopt,
       [](World& w) { w.Fence(kLog); }, "nothing installing"},
      {"LeaseOfALostSession", InstallStep::kLease, InstallEvent::kSessionEnded, Op::kCreateEphemeral, kLeases, 1,
       std::nullopt, lose_sessions, kDone},
      {"GetRefused", InstallStep::kGetKey, InstallEvent::kRefused, Op::kRead, kIndexKeys, 1, fail, nullptr, kDone},
      {"GetFindsNothing", InstallStep::kGetKey, InstallEvent::kKeyAbsent, Op::kRead, kIndexKeys, 1, std::nullopt,
       [](World& w) { w.RemoveIndex(kLog, 0, 6); }, kDone, false},
      {"GetFindsAnother", InstallStep::kGetKey, InstallEvent::kKeyForeign, Op::kRead, kIndexKeys, 1, std::nullopt,
       [](World& w) {
         FileIndex files;
         files.files.push_back(CompactedFile{Offset(5), "another.parquet"});
         w.PutMeta(kLog, w.RangeKey(), EncodeEntryIndex(*MakeParquetEntryIndex(files, 3, 1)));
       },
       "stuck installing", false},
      {"GetOfALostSession", InstallStep::kGetKey, InstallEvent::kSessionEnded, Op::kRead, kIndexKeys, 1, std::nullopt,
       lose_sessions, kDone},
      {"PutConflicts", InstallStep::kPutRecord, InstallEvent::kConflict, Op::kCompareAndSet, kIndexKeys, 1,
       std::nullopt, [](World& w) { w.Touch(w.RangeKey()); }, kDone},
      {"PutRefused", InstallStep::kPutRecord, InstallEvent::kRefused, Op::kCompareAndSet, kIndexKeys, 1, fail, nullptr,
       kDone},
      {"PutUnknown", InstallStep::kPutRecord, InstallEvent::kUnknown, Op::kCompareAndSet, kIndexKeys, 1, lose, nullptr,
       kDone},
      {"PutOfALostSession", InstallStep::kPutRecord, InstallEvent::kSessionEnded, Op::kCompareAndSet, kIndexKeys, 1,
       std::nullopt, lose_sessions, kDone},
      {"DeleteRefused", InstallStep::kDeleteRange, InstallEvent::kRefused, Op::kDeleteRange, kIndexKeys, 1, fail,
       nullptr, kDone},
      {"DeleteUnknown", InstallStep::kDeleteRange, InstallEvent::kUnknown, Op::kDeleteRange, kIndexKeys, 1, lose,
       nullptr, kDone},
      {"DeleteOfALostSession", InstallStep::kDeleteRange, InstallEvent::kSessionEnded, Op::kDeleteRange, kIndexKeys, 1,
       std::nullopt, lose_sessions, kDone},
      {"FinishConflicts", InstallStep::kFinish, InstallEvent::kConflict, Op::kCompareAndSet, kRecord, 2, std::nullopt,
       [](World& w) { w.Touch(CompactionRecordKey(kLog)); }, kDone},
      {"FinishRefused", InstallStep::kFinish, InstallEvent::kRefused, Op::kCompareAndSet, kRecord, 2, fail, nullptr,
       kDone},
      {"FinishUnknown", InstallStep::kFinish, InstallEvent::kUnknown, Op::kCompareAndSet, kRecord, 2, lose, nullptr,
       kDone},
      {"FinishOfALostSession", InstallStep::kFinish, InstallEvent::kSessionEnded, Op::kCompareAndSet, kRecord, 2,
       std::nullopt, lose_sessions, kDone},
  };
}

void RunInstall(const InstallCase& c, CompactionCells* sum) {
  SCOPED_TRACE(c.name);
  World world;
  CompactorProcess& process = *world.process;
  if (c.fault) process.meta_faults.OnNth(c.op, c.prefix, c.nth, *c.fault);
  const auto pass = process.Start(One(), 30min);
  if (!c.fault) {
    const Hold hold = CompactorWorld::HoldNth(world, process, c.op, c.prefix, c.nth, HoldPoint::kBeforeApply);
    world.Until([&] { return hold.reached(); });
    c.meanwhile(world);
    hold.Release();
  }
  world.Until([&] { return pass->has_value(); });
  ASSERT_TRUE((*pass)->ok()) << (*pass)->status().ToString();
  EXPECT_EQ(process.meta_faults.rules_left(), 0);
  const CompactionOutcome& outcome = process.Outcome(kLog);
  EXPECT_EQ(std::string(CompactionOutcomeName(outcome.kind)) + " " + std::string(CompactionStateName(world.Record(kLog))),
            c.outcome)
      << outcome.status.ToString();
  const CompactionCells cells = process.compactor->cells();
  EXPECT_GT(cells.install[static_cast<int>(c.step)][static_cast<int>(c.event)], 0);
  if (c.whole) {
    EXPECT_EQ(world.Entries(kLog), world.before);
  }
  world.Count(sum);
}

/// Why a cell cannot be reached from here; empty where it must be.
std::string OutOfReach(CompactionStand, CompactionView view) {
  return view == CompactionView::kLogDeleted ? "only whoever deletes a log knows that it is deleted" : "";
}
std::string OutOfReach(InstallStep step, InstallEvent event) {
  if (event != InstallEvent::kUnknown) return "";
  if (step == InstallStep::kLease) return "the lease keeper tells of a lost answer as of a refused call";
  if (step == InstallStep::kGetKey) return "a read changes nothing";
  return "";
}

TEST(CompactionCells, EveryOneIsTaken) {
  CompactionCells sum;
  for (const StandCase& c : kStandCases) {
    for (const CompactionView view :
         {CompactionView::kLogLives, CompactionView::kLogFenced, CompactionView::kSessionEnded}) {
      RunStand(c, view, &sum);
    }
  }
  for (const InstallCase& c : InstallCases()) RunInstall(c, &sum);
  int reached = 0;
  for (int i = 0; i < model::kCompactionStands; ++i) {
    for (int j = 0; j < model::kCompactionViews; ++j) {
      const auto stand = static_cast<CompactionStand>(i);
      const auto view = static_cast<CompactionView>(j);
      const std::string why_not = OutOfReach(stand, view);
      EXPECT_EQ(sum.next[i][j] > 0, why_not.empty())
          << model::CompactionStandName(stand) << " / " << model::CompactionViewName(view) << ": " << why_not;
      reached += sum.next[i][j] > 0 ? 1 : 0;
    }
  }
  for (int i = 0; i < model::kInstallSteps; ++i) {
    for (int j = 0; j < model::kInstallEvents; ++j) {
      const auto step = static_cast<InstallStep>(i);
      const auto event = static_cast<InstallEvent>(j);
      if (model::NextInstall(step, event).action == model::InstallAction::kImpossible) continue;
      const std::string why_not = OutOfReach(step, event);
      EXPECT_EQ(sum.install[i][j] > 0, why_not.empty())
          << model::InstallStepName(step) << " / " << model::InstallEventName(event) << ": " << why_not;
      reached += sum.install[i][j] > 0 ? 1 : 0;
    }
  }
  std::printf("%d cells reached\n", reached);
}

}  // namespace
}  // namespace lakestream
