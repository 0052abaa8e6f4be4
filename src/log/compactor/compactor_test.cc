#include "log/compactor/compactor.h"

#include <gtest/gtest.h>

#include "log/compactor/testing/compactor_world.h"

namespace lakestream {
namespace {

using namespace std::chrono_literals;
using Kind = CompactionOutcome::Kind;

constexpr LogId kLog{7};

std::vector<LogId> One() { return std::vector<LogId>(1, kLog); }

/// Three records of two entries each, and a last one.
void Fill(CompactorWorld& world) {
  for (const char* name : {"a", "b", "c", "d"}) {
    world.Append(kLog, name, {{2, std::string(name) + "-first"}, {1, std::string(name) + "-second"}});
    ASSERT_TRUE(world.sim.RunFor(1s).ok());
  }
}

TEST(Compactor, OneRangeBecomesOneRecord) {
  CompactorWorld world;
  Fill(world);
  const std::vector<std::string> before = world.Entries(kLog);
  ASSERT_EQ(before.size(), 8u);
  world.Settle();
  CompactorProcess& process = world.AddProcess();
  auto totals = process.Pass(One());
  ASSERT_TRUE(totals && totals->ok()) << totals->status().ToString();
  const CompactionOutcome outcome = process.Outcome(kLog);
  EXPECT_EQ(outcome.kind, Kind::kCompacted) << outcome.status.ToString();
  EXPECT_EQ(outcome.range, (CompactionRange{Offset(0), Offset(9)}));
  EXPECT_EQ(outcome.entries, 6);
  EXPECT_EQ(outcome.files.size(), 1u);
  EXPECT_EQ((*totals)->compacted, 1);
  EXPECT_EQ((*totals)->gets, 3);
  EXPECT_EQ((*totals)->objects_read, 3);
  EXPECT_EQ((*totals)->payload_bytes, 45);
  EXPECT_EQ(world.Index(kLog), "P9 R12");
  EXPECT_EQ(world.Entries(kLog), before);
  EXPECT_EQ(world.Files().size(), 2u);
  EXPECT_EQ(world.Record(kLog), CompactorWorld::Idle(9));
  EXPECT_EQ(world.Count("/lakestream/compaction-claim/"), 0u);
  // Ursa's cursor is one beyond the end.
  const auto cursor = world.sim.Run(world.memory_meta.Get(
      OpContext(), Partition::OfKey("/first-uncompacted-offset/7"), "/first-uncompacted-offset/7"));
  ASSERT_TRUE(cursor.ok() && *cursor);
  EXPECT_EQ((*cursor)->value.text(), "10");

  // The last record is a range of its own, and then nothing is left to do.
  ASSERT_TRUE(process.Pass(One())->ok());
  EXPECT_EQ(process.Outcome(kLog).kind, Kind::kCompacted);
  EXPECT_EQ(world.Index(kLog), "P9 P12");
  EXPECT_EQ(world.Entries(kLog), before);
  ASSERT_TRUE(process.Pass(One())->ok());
  EXPECT_EQ(process.Outcome(kLog).kind, Kind::kNothing);
  EXPECT_EQ(process.Outcome(kLog).decision.reason, model::PlanReason::kNothingRaw);
  EXPECT_EQ(world.Count("/stream-write-leases/"), 1u) << "kept for the next one";
}

TEST(Compactor, ThePlanChangesNothing) {
  CompactorWorld world;
  Fill(world);
  world.Settle();
  CompactorProcess& process = world.AddProcess();
  const auto records = [&] { return world.memory_meta.backend()->Dump().size(); };
  const std::size_t before = records();
  const Result<CompactionOutlook> outlook = world.sim.Run(process.compactor->Plan(OpContext(), kLog));
  ASSERT_TRUE(outlook.ok()) << outlook.status().ToString();
  EXPECT_EQ(outlook->decision.kind, model::CompactionDecision::Kind::kCompact);
  EXPECT_EQ(outlook->decision.range, (CompactionRange{Offset(0), Offset(9)}));
  EXPECT_FALSE(outlook->fenced);
  EXPECT_EQ(outlook->record, CompactionRecord());
  EXPECT_EQ(records(), before);
  EXPECT_EQ(world.sim.Run(process.compactor->Plan(OpContext(), LogId(-1))).status().code(),
            StatusCode::kInvalidArgument);
}

TEST(Compactor, WhatIsYoungStays) {
  CompactorWorld world;
  Fill(world);
  CompactorProcess& process = world.AddProcess();
  ASSERT_TRUE(process.Pass(One())->ok());
  EXPECT_EQ(process.Outcome(kLog).kind, Kind::kNothing);
  EXPECT_EQ(process.Outcome(kLog).decision.reason, model::PlanReason::kTooYoung);
  // The first two have settled, the others have not.
  ASSERT_TRUE(world.sim.RunFor(57'500ms).ok());
  ASSERT_TRUE(process.Pass(One())->ok());
  EXPECT_EQ(process.Outcome(kLog).range.end, Offset(6));
  EXPECT_EQ(world.Index(kLog), "P6 R9 R12");
}

TEST(Compactor, AgesGoByTheClockOfTheStore) {
  CompactorWorld world;
  Fill(world);
  ASSERT_TRUE(world.sim.RunFor(70s).ok());
  CompactorProcess& process = world.AddProcess();
  // By the time of its claim in the store the records are young.
  process.meta.made_earlier_ms = 30'000;
  ASSERT_TRUE(process.Pass(One())->ok());
  EXPECT_EQ(process.Outcome(kLog).kind, Kind::kNothing) << world.Index(kLog);
  EXPECT_EQ(process.Outcome(kLog).decision.reason, model::PlanReason::kTooYoung);
  EXPECT_EQ(world.Count("/lakestream/compaction-claim/"), 0u);
}

TEST(Compactor, AMissingObjectIsQuarantinedAndTheRestGoesOn) {
  CompactorWorld world;
  Fill(world);
  const std::vector<std::string> before = world.Entries(kLog);
  world.Settle();
  world.RemoveObject("b");
  CompactorProcess& process = world.AddProcess();
  ASSERT_TRUE(process.Pass(One())->ok());
  CompactionOutcome outcome = process.Outcome(kLog);
  EXPECT_EQ(outcome.kind, Kind::kStuck);
  EXPECT_EQ(outcome.status.code(), StatusCode::kNotFound);
  ASSERT_EQ(outcome.quarantined.size(), 1u);
  EXPECT_EQ(outcome.quarantined[0].range, (CompactionRange{Offset(3), Offset(6)}));
  EXPECT_NE(outcome.quarantined[0].reason.find("key=b"), std::string::npos) << outcome.quarantined[0].reason;
  EXPECT_EQ(world.Record(kLog).quarantined, outcome.quarantined);
  EXPECT_EQ(world.Index(kLog), "R3 R6 R9 R12");

  // At once: what comes before, then what follows.
  for (int pass = 0; pass < 4; ++pass) ASSERT_TRUE(process.Pass(One())->ok());
  EXPECT_EQ(world.Index(kLog), "P3 R6 P9 P12");
  EXPECT_EQ(process.Outcome(kLog).kind, Kind::kNothing);
  EXPECT_EQ(process.Outcome(kLog).quarantined.size(), 1u) << "it is reported until it is trimmed";

  world.SetMarker(kLog, 6);
  for (int pass = 0; pass < 3; ++pass) ASSERT_TRUE(process.Pass(One())->ok());
  const std::vector<std::string> rest(before.begin() + 4, before.end());
  EXPECT_EQ(world.Entries(kLog), rest);
}

TEST(Compactor, ADamagedObjectIsReadTwiceBeforeItCountsAsDamaged) {
  CompactorWorld world;
  Fill(world);
  const std::vector<std::string> before = world.Entries(kLog);
  world.Settle();
  CompactorProcess& process = world.AddProcess();
  // A byte of the directory, once: the line's fault.
  process.wal_faults.OnNext(ObjectOp::kGet, "b", Fault::FlipByte(5));
  ASSERT_TRUE(process.Pass(One())->ok());
  EXPECT_EQ(process.Outcome(kLog).kind, Kind::kCompacted) << process.Outcome(kLog).status.ToString();
  EXPECT_EQ(world.Entries(kLog), before);

  CompactorWorld other;
  Fill(other);
  other.Settle();
  CompactorProcess& sure = other.AddProcess();
  sure.wal_faults.Always(ObjectOp::kGet, "b", Fault::FlipByte(5));
  ASSERT_TRUE(sure.Pass(One())->ok());
  EXPECT_EQ(sure.Outcome(kLog).kind, Kind::kStuck);
  EXPECT_EQ(sure.Outcome(kLog).status.code(), StatusCode::kCorrupt);
  EXPECT_EQ(other.Record(kLog).quarantined.size(), 1u);
}

TEST(Compactor, ARecordThatDisagreesWithItsObjectIsQuarantined) {
  CompactorWorld world;
  Fill(world);
  const std::vector<MetadataRecord> records = world.IndexRecords(kLog);
  EntryIndex index = *DecodeEntryIndex(records[1].value.span(), "record");
  index.file_size += 1;
  world.PutMeta(kLog, records[1].key, EncodeEntryIndex(index));
  world.Settle();
  CompactorProcess& process = world.AddProcess();
  ASSERT_TRUE(process.Pass(One())->ok());
  EXPECT_EQ(process.Outcome(kLog).status.code(), StatusCode::kCorrupt);
  ASSERT_EQ(world.Record(kLog).quarantined.size(), 1u);
  EXPECT_NE(world.Record(kLog).quarantined[0].reason.find("file_size"), std::string::npos);
}

TEST(Compactor, WhatTheMarkerHidesIsTrimmedFirst) {
  CompactorWorld world;
  Fill(world);
  const std::vector<std::string> before = world.Entries(kLog);
  world.Settle();
  world.SetMarker(kLog, 7);
  CompactorProcess& process = world.AddProcess();
  ASSERT_TRUE(process.Pass(One())->ok());
  EXPECT_EQ(process.Outcome(kLog).kind, Kind::kTrimmed);
  EXPECT_EQ(process.Outcome(kLog).trimmed_to, Offset(6));
  EXPECT_EQ(world.Index(kLog), "R9 R12");
  ASSERT_TRUE(process.Pass(One())->ok());
  EXPECT_EQ(process.Outcome(kLog).kind, Kind::kCompacted);
  EXPECT_EQ(world.Index(kLog), "P9 R12");
  // The PARQUET record's file goes before a RAW record behind it.
  ASSERT_TRUE(process.Pass(One())->ok());
  world.Append(kLog, "e", {{1, "e"}});
  world.Append(kLog, "f", {{1, "f"}});
  world.SetMarker(kLog, 13);
  world.Settle();
  EXPECT_EQ(world.Files().size(), 4u);
  ASSERT_TRUE(process.Pass(One())->ok());
  EXPECT_EQ(process.Outcome(kLog).kind, Kind::kTrimmed) << process.Outcome(kLog).status.ToString();
  EXPECT_EQ(world.Index(kLog), "R14");
  EXPECT_EQ(world.Files().size(), 0u);
}

TEST(Compactor, ALogWithoutAStreamIsStuck) {
  CompactorWorld world;
  Fill(world);
  world.Settle();
  world.homes.known = false;
  CompactorProcess& process = world.AddProcess();
  ASSERT_TRUE(process.Pass(One())->ok());
  EXPECT_EQ(process.Outcome(kLog).kind, Kind::kStuck);
  EXPECT_EQ(process.Outcome(kLog).status.code(), StatusCode::kNotFound);
  EXPECT_EQ(world.Record(kLog), CompactionRecord());
  EXPECT_EQ(world.Count("/lakestream/compaction-claim/"), 0u);
}

TEST(Compactor, ADamagedIndexRecordIsStuck) {
  CompactorWorld world;
  Fill(world);
  world.PutMeta(kLog, world.IndexRecords(kLog)[1].key, "no record");
  world.Settle();
  CompactorProcess& process = world.AddProcess();
  ASSERT_TRUE(process.Pass(One())->ok());
  EXPECT_EQ(process.Outcome(kLog).status.code(), StatusCode::kCorrupt);
}

TEST(Compactor, BadLogsAreRefused) {
  CompactorWorld world;
  CompactorProcess& process = world.AddProcess();
  EXPECT_EQ(process.Pass(std::vector<LogId>(1, LogId(-1)))->status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(process.Pass(std::vector<LogId>(2, kLog))->status().code(), StatusCode::kInvalidArgument);
  // A log without records.
  ASSERT_TRUE(process.Pass(One())->ok());
  EXPECT_EQ(process.Outcome(kLog).decision.reason, model::PlanReason::kNoRecords);
}

TEST(Compactor, StopEndsAPassAndHandsOverAtOnce) {
  CompactorWorld world;
  Fill(world);
  const std::vector<std::string> before = world.Entries(kLog);
  world.Settle();
  CompactorProcess& process = world.AddProcess();
  const Hold get = process.wal_faults.HoldNext(ObjectOp::kGet, "b", HoldPoint::kBeforeApply);
  const auto pass = process.Start(One(), 10min);
  while (!get.reached()) ASSERT_TRUE(world.sim.Step());
  EXPECT_EQ(std::holds_alternative<CompactionWorking>(world.Record(kLog).state), true);
  ASSERT_TRUE(world.sim.Run(process.compactor->Stop(OpContext())).ok());
  ASSERT_TRUE(*pass);
  EXPECT_EQ((*pass)->status().code(), StatusCode::kCancelled);
  EXPECT_TRUE(process.outcomes.empty());
  EXPECT_EQ(process.Pass(One())->status().code(), StatusCode::kCancelled);
  EXPECT_TRUE(world.sim.Run(process.compactor->Stop(OpContext())).ok());

  CompactorProcess& other = world.AddProcess();
  ASSERT_TRUE(other.Pass(One())->ok());
  EXPECT_EQ(other.Outcome(kLog).kind, Kind::kCompacted) << other.Outcome(kLog).status.ToString();
  EXPECT_EQ(world.Entries(kLog), before);
}

}  // namespace
}  // namespace lakestream
