// Each rule of compaction and of hard trims, broken: what comes of it is wrong, and shows.

#include <gtest/gtest.h>

#include "log/compactor/testing/compactor_world.h"
#include "model/trim.h"
#include "sim/mutants/rule_breaker.h"

namespace lakestream {
namespace {

using namespace std::chrono_literals;
using Op = MetadataOp;

constexpr LogId kLog{7};
const std::string kRecord = "/lakestream/compaction/";
const std::string kIndexKeys = "00000000000000000007";

std::vector<LogId> One() { return std::vector<LogId>(1, kLog); }

/// A log of three records, of which [0, 6) is compacted first, and a process.
struct OneLog {
  OneLog() {
    for (const char* name : {"a", "b", "c"}) {
      world.Append(kLog, name, {{2, name}, {1, "x"}});
      EXPECT_TRUE(world.sim.RunFor(1s).ok());
    }
    world.Settle();
  }
  std::string Outcome() {
    const CompactionOutcome& outcome = process.Outcome(kLog);
    return std::string(CompactionOutcomeName(outcome.kind)) + " " + Record() + " " + world.Index(kLog);
  }
  std::string Record() {
    const CompactionRecord record = world.Record(kLog);
    const auto* idle = std::get_if<CompactionIdle>(&record.state);
    return std::string(CompactionStateName(record)) + (idle ? std::to_string(idle->next.value()) : "");
  }
  std::string Pass() {
    EXPECT_TRUE(process.Pass(One())->ok());
    return Outcome();
  }
  Hold HoldAt(Op op, const std::string& prefix, int n = 1) {
    pass = process.Start(One(), 1h);
    const Hold hold = CompactorWorld::HoldNth(world, process, op, prefix, n, HoldPoint::kBeforeApply);
    world.Until([&] { return hold.reached(); });
    return hold;
  }
  Hold HoldAt(FaultPlan& faults, ObjectOp op) {
    const Hold hold = faults.HoldNext(op, "", HoldPoint::kBeforeApply);
    pass = process.Start(One(), 1h);
    world.Until([&] { return hold.reached(); });
    return hold;
  }
  std::string End(const Hold& hold) {
    hold.Release();
    world.Until([&] { return pass->has_value(); });
    return Outcome();
  }
  CompactionRecord Installing(const std::string& owner) {
    FileIndex files;
    files.files.push_back(CompactedFile{Offset(5), "lks-x.parquet"});
    CompactionRecord record;
    record.state = CompactionInstalling{owner, CompactionRange{Offset(0), Offset(6)}, IndexKey{kLog, Offset(6), 4},
                                        EncodeEntryIndex(*MakeParquetEntryIndex(files, 6, 4))};
    return record;
  }

  CompactorWorld world;
  CompactorProcess& process = world.AddProcess();
  std::shared_ptr<std::optional<Result<CompactionTotals>>> pass;
};

/// What `look` says with the rule and without it.
template <class Look>
void ExpectDifference(Rule rule, const std::string& whole, Look look) {
  EXPECT_EQ(look(), whole);
  {
    const RuleBreaker breaker(rule);
    EXPECT_NE(look(), whole);
  }
}

TEST(CompactorRules, HardTrimStopsAtMarker) {
  ExpectDifference(Rule::kHardTrimStopsAtMarker, "20", [] {
    return std::to_string(model::HardTrimLimit(Offset(25), Offset(20), Offset(30)).value());
  });
}

TEST(CompactorRules, FilesGoBeforeTheirRecords) {
  ExpectDifference(Rule::kFilesGoBeforeTheirRecords, "stuck idle6 P6 R9 R10 R11", [] {
    OneLog log;
    log.Pass();
    log.world.Append(kLog, "d", {{1, "d"}});
    log.world.Append(kLog, "e", {{1, "e"}});
    log.world.SetMarker(kLog, 9);
    log.world.Settle();
    log.process.compacted_faults.OnNext(ObjectOp::kDelete, "", Fault::Fail(ResourceExhausted("read-only")));
    return log.Pass();
  });
}

TEST(CompactorRules, CompactionRecordIsSwapped) {
  ExpectDifference(Rule::kCompactionRecordIsSwapped, "stuck idle6 P6 P9", [] {
    OneLog log;
    // A slow one, at the swap to `installing`; another one gives its work up and compacts everything.
    const bool put = Broken(Rule::kCompactionRecordIsSwapped);
    const Hold swap = log.HoldAt(put ? Op::kPut : Op::kCompareAndSet, kRecord, put ? 2 : 1);
    log.world.PutRecord(kLog, CompactorWorld::Idle(0));
    CompactorProcess& other = log.world.AddProcess();
    EXPECT_TRUE(other.Pass(One())->ok());
    EXPECT_TRUE(other.Pass(One())->ok());
    log.world.PutRecord(kLog, CompactorWorld::Idle(6));
    return log.End(swap);
  });
}

TEST(CompactorRules, WorkingComesBeforeUploads) {
  ExpectDifference(Rule::kWorkingComesBeforeUploads, "working", [] {
    OneLog log;
    const Hold put = log.HoldAt(log.process.compacted_faults, ObjectOp::kPut);
    std::string state = log.Record();
    log.End(put);
    return state;
  });
}

TEST(CompactorRules, UploadsAreNamed) {
  ExpectDifference(Rule::kUploadsAreNamed, "named", [] {
    OneLog log;
    const Hold put = log.HoldAt(log.process.compacted_faults, ObjectOp::kPut);
    std::string named = "not named";
    for (const std::string& name : FilesOf(log.world.Record(kLog))) {
      if (put.key().ends_with("/" + name)) named = "named";
    }
    log.End(put);
    return named;
  });
}

TEST(CompactorRules, YoungRecordsStay) {
  ExpectDifference(Rule::kYoungRecordsStay, "nothing idle0 R1 R2", [] {
    CompactorWorld world;
    world.Append(kLog, "a", {{1, "a"}});
    world.Append(kLog, "b", {{1, "b"}});
    EXPECT_TRUE(world.sim.RunFor(30s).ok());
    CompactorProcess& process = world.AddProcess();
    EXPECT_TRUE(process.Pass(One())->ok());
    return std::string(CompactionOutcomeName(process.Outcome(kLog).kind)) + " idle0 " + world.Index(kLog);
  });
}

TEST(CompactorRules, RangeIsCheckedAgain) {
  ExpectDifference(Rule::kRangeIsCheckedAgain, "stuck idle0 R3 P6 R9", [] {
    OneLog log;
    const Hold get = log.HoldAt(log.process.wal_faults, ObjectOp::kGet);
    // Some other program compacted the second record.
    FileIndex files;
    files.files.push_back(CompactedFile{Offset(5), "another.parquet"});
    log.world.PutMeta(kLog, IndexKey{kLog, Offset(6), 4}.Encode(),
                      EncodeEntryIndex(*MakeParquetEntryIndex(files, 3, 2)));
    return log.End(get);
  });
}

TEST(CompactorRules, InstalledBeforeRetired) {
  ExpectDifference(Rule::kInstalledBeforeRetired, "R3 R6 R9", [] {
    OneLog log;
    const Hold put = log.HoldAt(Op::kCompareAndSet, kIndexKeys);
    std::string index = log.world.Index(kLog);
    log.End(put);
    return index;
  });
}

TEST(CompactorRules, InstalledOnItsVersion) {
  ExpectDifference(Rule::kInstalledOnItsVersion, "compacted idle6 R9", [] {
    OneLog log;
    const bool put = Broken(Rule::kInstalledOnItsVersion);
    const Hold hold = log.HoldAt(put ? Op::kPut : Op::kCompareAndSet, kIndexKeys);
    log.world.SetMarker(kLog, 6);
    log.world.RemoveIndex(kLog, 0, 6);
    return log.End(hold);
  });
}

TEST(CompactorRules, ParquetIsNotReplaced) {
  ExpectDifference(Rule::kParquetIsNotReplaced, "stuck installing R3 P6 R9", [] {
    OneLog log;
    const Hold get = log.HoldAt(Op::kRead, kIndexKeys);
    FileIndex files;
    files.files.push_back(CompactedFile{Offset(5), "another.parquet"});
    log.world.PutMeta(kLog, IndexKey{kLog, Offset(6), 4}.Encode(),
                      EncodeEntryIndex(*MakeParquetEntryIndex(files, 3, 2)));
    return log.End(get);
  });
}

TEST(CompactorRules, FinishedOnItsVersion) {
  ExpectDifference(Rule::kFinishedOnItsVersion, "waiting installing P6 R9", [] {
    OneLog log;
    const Hold deletion = log.HoldAt(Op::kDeleteRange, kIndexKeys);
    // Another one has taken over meanwhile.
    log.world.PutRecord(kLog, log.Installing("other"));
    log.world.PutMeta(kLog, CompactionClaimKey(kLog, "other"), "other");
    return log.End(deletion);
  });
}

TEST(CompactorRules, TakenOverFromTheEndedAlone) {
  ExpectDifference(Rule::kTakenOverFromTheEndedAlone, "waiting installing R3 R6 R9", [] {
    OneLog log;
    log.world.PutRecord(kLog, log.Installing("other"));
    log.world.PutMeta(kLog, CompactionClaimKey(kLog, "other"), "other");
    log.Pass();
    EXPECT_TRUE(log.world.sim.RunFor(61min).ok());
    return log.Pass();
  });
}

TEST(CompactorRules, FenceLeavesInstalling) {
  ExpectDifference(Rule::kFenceLeavesInstalling, "nothing installing R3 R6 R9", [] {
    OneLog log;
    log.world.PutRecord(kLog, log.Installing("other"));
    log.world.Fence(kLog);
    return log.Pass();
  });
}

TEST(CompactorRules, TrimmedEntriesAreLeftOut) {
  ExpectDifference(Rule::kTrimmedEntriesAreLeftOut, "4", [] {
    OneLog log;
    // Within the first entry, which stays therefore.
    log.world.SetMarker(kLog, 1);
    log.Pass();
    return std::to_string(log.process.Outcome(kLog).entries);
  });
}

TEST(CompactorRules, EntriesKeepTheirTimes) {
  OneLog whole;
  ExpectDifference(Rule::kEntriesKeepTheirTimes, whole.world.Entries(kLog).front(), [] {
    OneLog log;
    log.Pass();
    return log.world.Entries(kLog).front();
  });
}

TEST(CompactorRules, EntriesKeepTheirSizes) {
  OneLog whole;
  ExpectDifference(Rule::kEntriesKeepTheirSizes, whole.world.Entries(kLog).back(), [] {
    OneLog log;
    log.Pass();
    log.Pass();
    return log.world.Entries(kLog).back();
  });
}

TEST(CompactorRules, LastOffsetsAreInclusive) {
  ExpectDifference(Rule::kLastOffsetsAreInclusive, "1 3 5 7 ", [] {
    CompactorWorld world;
    for (const char* name : {"a", "b", "c"}) world.Append(kLog, name, {{2, name}, {2, "x"}});
    world.Settle();
    CompactorOptions options = EagerOptions();
    options.plan.files.entries = 1;
    CompactorProcess& process = world.AddProcess(options);
    EXPECT_TRUE(process.Pass(One())->ok());
    const std::vector<MetadataRecord> index = world.IndexRecords(kLog);
    const Result<EntryIndex> record = DecodeEntryIndex(index[0].value.span(), "record");
    const Result<FileIndex> files = FileIndexOf(*record, "record");
    std::string ends;
    for (const CompactedFile& file : files->files) ends += std::to_string(file.last_offset.value()) + " ";
    return ends;
  });
}

}  // namespace
}  // namespace lakestream
