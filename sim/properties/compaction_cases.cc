#include <utility>

#include "sim/testing/compaction_history.h"

// What the properties of compaction and hard trims must accept and refuse.

namespace lakestream::sim {
namespace {

constexpr LogId kLog = CompactionHistory::kLog;
constexpr CompactionRange kRange = CompactionHistory::kRange;

MadeHistory Good() { return Trimmed(); }

/// The first record is compacted, too, in a history that ends as it should.
MadeHistory Then(CompactionHistory h, void (*go_on)(CompactionHistory&)) {
  go_on(h);
  return h;
}

// always_readable

MadeHistory RetiredBeforeInstalled() { return Then(Installing(), Retire); }
MadeHistory InstalledWithoutAFile() {
  CompactionHistory h = Named();
  h.Upload("a.parquet", {Entry(1, Offset(0)), Entry(2, Offset(1)), Entry(3, Offset(2))});
  h.Installing("s-1");
  h.Install(kRange);
  return h;
}
MadeHistory InstalledWithoutACompanion() {
  CompactionHistory h = Installing();
  h.evidence.compacted.pop_back();
  h.Install(kRange);
  return h;
}
MadeHistory FileGoneAboveTheMarker() {
  CompactionHistory h = Compacted();
  h.Marker(Offset(4));
  h.RemoveFile("a.parquet");
  return h;
}
/// A hard trim that came in between has taken the files: nobody reads what is installed.
MadeHistory InstalledBelowTheMarker() {
  CompactionHistory h = Installing();
  h.Marker(Offset(5));
  h.RemoveFile("a.parquet");
  h.RemoveFile("b.parquet");
  h.Install(kRange);
  return h;
}
MadeHistory MiddleRemoved() {
  CompactionHistory h = Appended();
  h.Marker(Offset(2));
  h.RemoveRecord(Offset(3));
  return h;
}

// rows_are_entries

/// With another second file.
MadeHistory InstalledWith(std::vector<SeenEntry> rows, Offset marker = Offset(0)) {
  CompactionHistory h = Named();
  if (marker > Offset(0)) h.Marker(marker);
  h.Upload("a.parquet", {Entry(1, Offset(0)), Entry(2, Offset(1)), Entry(3, Offset(2))});
  h.Upload("b.parquet", std::move(rows));
  h.Installing("s-1");
  h.Install(kRange);
  return h;
}
MadeHistory RowLacks() { return InstalledWith({Entry(5, Offset(4))}); }
MadeHistory TrimmedRowLacks() { return InstalledWith({Entry(5, Offset(4))}, Offset(4)); }
MadeHistory LastRowLacks() { return InstalledWith({Entry(4, Offset(3))}); }
MadeHistory AnotherRow() { return InstalledWith({Entry(4, Offset(3)), Entry(7, Offset(4))}); }
MadeHistory RowsChanged(void (*change)(SeenEntry&)) {
  SeenEntry last = Entry(5, Offset(4));
  change(last);
  return InstalledWith({Entry(4, Offset(3)), last});
}
MadeHistory RowWithAnotherTime() {
  return RowsChanged([](SeenEntry& row) { row.timestamp_ms = 7; });
}
MadeHistory RowWithAnotherSum() {
  return RowsChanged([](SeenEntry& row) { row.cumulative_size -= 10; });
}
MadeHistory RowWithAnotherSize() {
  return RowsChanged([](SeenEntry& row) { row.size -= 1; });
}
MadeHistory RowTwice() { return InstalledWith({Entry(3, Offset(2)), Entry(4, Offset(3)), Entry(5, Offset(4))}); }
MadeHistory FileIndexExclusive() {
  CompactionHistory h = Appended();
  h.files = {{Offset(3), "a.parquet"}, {Offset(4), "b.parquet"}};
  h.Working("s-1", kRange);
  UploadAll(h);
  h.Installing("s-1");
  h.Install(kRange);
  return h;
}
MadeHistory FileCannotBeRead() {
  CompactionHistory h = Installing();
  h.evidence.file_entries.begin()->second.trouble = "corrupt: page";
  h.Install(kRange);
  return h;
}

// parquet_stays

MadeHistory Replaced() {
  CompactionHistory h = Compacted();
  h.files.back().name = "c.parquet";
  h.Install(kRange);
  return h;
}
MadeHistory InstalledTwice() {
  CompactionHistory h = Installed();
  h.Install(kRange);
  return h;
}
MadeHistory InstalledAcross() {
  CompactionHistory h = Compacted();
  h.files = {{Offset(5), "c.parquet"}};
  h.Install({Offset(0), Offset(6)});
  return h;
}
MadeHistory ParquetRemoved() {
  CompactionHistory h = Compacted();
  h.Marker(Offset(4));
  h.RemoveRecord(Offset(5));
  return h;
}

// one_installer

MadeHistory InstalledWhileWorking() {
  CompactionHistory h = Named();
  UploadAll(h);
  h.Install(kRange);
  return h;
}
MadeHistory AnotherIsInstalled() {
  CompactionHistory h = Installing();
  h.files = {{Offset(2), "c.parquet"}};
  h.Install({Offset(0), Offset(3)});
  return h;
}
MadeHistory LeftHalfDone() {
  CompactionHistory h = Installed();
  h.RemoveRecord(Offset(2));
  h.Idle(kRange.end);
  return h;
}
MadeHistory LeftUndone() {
  CompactionHistory h = Installing();
  h.Idle(kRange.end);
  return h;
}
MadeHistory RemovedByNobody() {
  CompactionHistory h = Appended();
  h.RemoveRecord(Offset(2));
  return h;
}

// keys_stay_gone

MadeHistory InstalledAfterATrim() {
  CompactionHistory h = Installing();
  h.Marker(Offset(5));
  h.RemoveRecord(Offset(5));
  h.Install(kRange);
  return h;
}
MadeHistory RawAgain() {
  CompactionHistory h = Compacted();
  h.Record("two", {Entry(3, Offset(2))});
  return h;
}

// hard_trim_keeps

MadeHistory TrimmedAboveTheMarker() {
  CompactionHistory h = Appended();
  h.Marker(Offset(2));
  h.RemoveRecord(Offset(2));
  h.RemoveRecord(Offset(3));
  return h;
}
MadeHistory LastRecordTrimmed() {
  CompactionHistory h = Appended();
  h.Marker(Offset(6));
  h.RemoveRecord(Offset(6));
  return h;
}
MadeHistory RecordBeforeItsFiles() {
  CompactionHistory h = Compacted();
  h.Marker(Offset(5));
  h.RemoveFile("a.parquet");
  h.RemoveRecord(Offset(5));
  h.RemoveFile("b.parquet");
  return h;
}
/// The trim had read what was there before, and knew of no files.
MadeHistory InstalledUnderATrim() {
  CompactionHistory h = Installing();
  h.Marker(Offset(5));
  h.Install(kRange);
  h.RemoveRecord(Offset(5));
  return h;
}

// young_records_stay

MadeHistory Young(Duration settle_time, bool trimmed) {
  CompactionHistory h = trimmed ? Appended() : Compacted();
  h.evidence.settle_time = settle_time;
  if (trimmed) {
    h.Marker(Offset(2));
    h.RemoveRecord(Offset(2));
  }
  return h;
}
MadeHistory YoungReplaced() { return Young(std::chrono::minutes(5), false); }
MadeHistory YoungTrimmed() { return Young(std::chrono::minutes(5), true); }
MadeHistory AgesSayNothing() { return Young(Duration(0), false); }

// named_files_stay

MadeHistory UploadedBeforeItIsNamed() {
  CompactionHistory h = Appended();
  UploadAll(h);
  h.Working("s-1", kRange);
  return h;
}
MadeHistory RemovedWhileWorking() {
  CompactionHistory h = Installing();
  h.RemoveFile("b.parquet");
  return h;
}
MadeHistory RemovedWhenGivenUp() {
  CompactionHistory h = Named();
  UploadAll(h);
  h.Idle(kRange.start);
  h.RemoveFile("b.parquet");
  return h;
}

// compaction_record_swapped

MadeHistory WorkReplaced() { return Then(Named(), [](CompactionHistory& h) { h.Working("s-2", kRange); }); }
MadeHistory WorkInstalledByAnother() { return Then(Named(), [](CompactionHistory& h) { h.Installing("s-2"); }); }
MadeHistory GivenUpAndInstalled() {
  return Then(Named(), [](CompactionHistory& h) {
    h.Idle(kRange.start);
    h.Installing("s-1");
  });
}
MadeHistory FileNotNamed() {
  return Then(Named(), [](CompactionHistory& h) {
    h.files.back().name = "c.parquet";
    h.Installing("s-1");
  });
}
MadeHistory InstallationGivenUp() { return Then(Installing(), [](CompactionHistory& h) { h.Idle(kRange.start); }); }
MadeHistory TakenOver(bool alive) {
  CompactionHistory h = Installed();
  h.Installing("s-2").session_alive = alive;
  Retire(h);
  h.Idle(kRange.end);
  return h;
}
MadeHistory TakenOverFromTheEnded() { return TakenOver(false); }
MadeHistory TakenOverFromTheLiving() { return TakenOver(true); }
MadeHistory NextGoesBack() { return Then(Compacted(), [](CompactionHistory& h) { h.Idle(Offset(3)); }); }
MadeHistory RangeGoesBack() {
  return Then(Compacted(), [](CompactionHistory& h) {
    h.files = {{Offset(4), "c.parquet"}};
    h.Working("s-1", kRange);
  });
}
MadeHistory NameUsedAgain() {
  return Then(Named(), [](CompactionHistory& h) {
    h.Idle(kRange.start);
    h.Working("s-2", kRange);
  });
}
MadeHistory DroppedAlive() {
  return Then(Compacted(), [](CompactionHistory& h) { h.Compaction({CompactionDropped(), {}, {}}); });
}
MadeHistory DroppedAndBack(bool back) {
  CompactionHistory h = Named();
  h.evidence.deletions.push_back(Deletion{kLog, h.Next(), h.Next(), 0, h.now()});
  for (const Offset end : {Offset(2), Offset(3), Offset(4), Offset(5), Offset(6)}) h.RemoveRecord(end);
  h.Compaction({CompactionDropped(), {}, {}});
  if (back) h.Idle(Offset(0));
  return h;
}
MadeHistory Dropped() { return DroppedAndBack(false); }
MadeHistory BackFromDropped() { return DroppedAndBack(true); }

// compaction_comes_to_rest, and what is there at the end.

MadeHistory AtTheEnd(CompactionRecord compaction, bool compacted) {
  MadeHistory h;
  FinalLog& final = h.evidence.final[kLog];
  final.compaction = std::move(compaction);
  final.records.push_back(FinalRecord{Offset(0), Offset(5), 50, 0, {}, "", compacted});
  final.records.push_back(FinalRecord{Offset(5), Offset(6), 60, 0, {}, "", false});
  h.evidence.compactable[kLog] = Offset(5);
  return h;
}
MadeHistory AtRest() { return AtTheEnd({CompactionIdle{Offset(5)}, {}, {}}, true); }
MadeHistory StillRaw() { return AtTheEnd({CompactionIdle{Offset(5)}, {}, {}}, false); }
MadeHistory RawInQuarantine() {
  return AtTheEnd({CompactionIdle{Offset(5)}, {QuarantinedRange{kRange, "missing"}}, {}}, false);
}
MadeHistory StillWorking() {
  return AtTheEnd({CompactionWorking{"s-1", {Offset(5), Offset(6)}, {"a.parquet"}}, {}, {}}, true);
}

/// A record of three entries, of which the first is trimmed and not in its files, and then a RAW one.
MadeHistory CutAtTheEnd(Offset marker, std::int64_t time) {
  MadeHistory h;
  FinalLog& final = h.evidence.final[kLog];
  final.marker = marker;
  FinalRecord record{Offset(0), Offset(3), 30, 9, {Entry(2, Offset(1)), Entry(3, Offset(2))}, "", true};
  record.entries.front().timestamp_ms = time;
  record.entries.back().timestamp_ms = 7;
  final.records.push_back(record);
  final.records.push_back(FinalRecord{Offset(3), Offset(4), 40, 9, {Entry(4, Offset(3))}, "", false});
  final.records.back().entries.back().timestamp_ms = 9;
  return h;
}
MadeHistory TrimmedEntryLacks() { return CutAtTheEnd(Offset(1), 5); }
MadeHistory EntryLacks() { return CutAtTheEnd(Offset(0), 5); }
MadeHistory TimesOutOfOrder() { return CutAtTheEnd(Offset(1), 8); }
MadeHistory RangeBetweenEnds() {
  CompactionHistory h = Installing();
  h.files.back().last_offset = Offset(4);
  h.Install({Offset(1), Offset(5)});
  return h;
}
MadeHistory SizeOfAnother() {
  CompactionHistory h = Installing();
  IndexKey key = CompactionHistory::Key(Offset(5));
  key.cumulative_size += 1;
  h.Store(key.Encode(), std::string(h.Install(kRange).change.record.value.text()));
  return h;
}

/// A record of a log that is compacted whole goes under a lease, or not.
MadeHistory TrimmedUnderALease(bool leased) {
  CompactionHistory h;
  h.Lease("a");
  h.Raw("one", {Entry(1, Offset(0))});
  h.Raw("two", {Entry(2, Offset(1))});
  h.Marker(Offset(1));
  if (!leased) h.LeaseGone("a", true);
  h.RemoveRecord(Offset(1));
  return h;
}
MadeHistory TrimmedWithALease() { return TrimmedUnderALease(true); }
MadeHistory TrimmedWithoutALease() { return TrimmedUnderALease(false); }
/// The last record is compacted by itself, and the marker goes up to its start.
MadeHistory MarkerAfterCompaction(Offset marker) {
  CompactionHistory h = Compacted();
  h.Marker(marker);
  return h;
}
MadeHistory MarkerAtTheLast() { return MarkerAfterCompaction(Offset(5)); }
MadeHistory MarkerBeyondTheLast() { return MarkerAfterCompaction(Offset(6)); }
MadeHistory ClaimElsewhere() {
  MadeHistory h;
  h.Store(CompactionClaimKey(kLog, "s-1"), "s-1", "2");
  return h;
}

const PropertyCaseRegistration kRegistered[] = {
    PropertyCaseRegistration({"always_readable", Good, RetiredBeforeInstalled}),
    PropertyCaseRegistration({"always_readable", Good, InstalledWithoutAFile}),
    PropertyCaseRegistration({"always_readable", Good, InstalledWithoutACompanion}),
    PropertyCaseRegistration({"always_readable", InstalledBelowTheMarker, FileGoneAboveTheMarker}),
    PropertyCaseRegistration({"always_readable", Good, MiddleRemoved}),
    PropertyCaseRegistration({"rows_are_entries", TrimmedRowLacks, RowLacks}),
    PropertyCaseRegistration({"rows_are_entries", Good, LastRowLacks}),
    PropertyCaseRegistration({"rows_are_entries", Good, AnotherRow}),
    PropertyCaseRegistration({"rows_are_entries", Good, RowWithAnotherTime}),
    PropertyCaseRegistration({"rows_are_entries", Good, RowWithAnotherSum}),
    PropertyCaseRegistration({"rows_are_entries", Good, RowWithAnotherSize}),
    PropertyCaseRegistration({"rows_are_entries", Good, RowTwice}),
    PropertyCaseRegistration({"rows_are_entries", Good, FileIndexExclusive}),
    PropertyCaseRegistration({"rows_are_entries", Good, FileCannotBeRead}),
    PropertyCaseRegistration({"rows_are_entries", Good, InstalledWithoutAFile}),
    PropertyCaseRegistration({"parquet_stays", InstalledTwice, Replaced}),
    PropertyCaseRegistration({"parquet_stays", Good, InstalledAcross}),
    PropertyCaseRegistration({"parquet_stays", Good, ParquetRemoved}),
    PropertyCaseRegistration({"one_installer", Good, InstalledWhileWorking}),
    PropertyCaseRegistration({"one_installer", Good, AnotherIsInstalled}),
    PropertyCaseRegistration({"one_installer", Good, LeftHalfDone}),
    PropertyCaseRegistration({"one_installer", Good, LeftUndone}),
    PropertyCaseRegistration({"one_installer", Good, RemovedByNobody}),
    PropertyCaseRegistration({"one_installer", Good, RetiredBeforeInstalled}),
    PropertyCaseRegistration({"keys_stay_gone", Good, InstalledAfterATrim}),
    PropertyCaseRegistration({"keys_stay_gone", Good, RawAgain}),
    PropertyCaseRegistration({"hard_trim_keeps", Good, TrimmedAboveTheMarker}),
    PropertyCaseRegistration({"hard_trim_keeps", Good, LastRecordTrimmed}),
    PropertyCaseRegistration({"hard_trim_keeps", InstalledUnderATrim, RecordBeforeItsFiles}),
    PropertyCaseRegistration({"young_records_stay", Good, YoungTrimmed}),
    PropertyCaseRegistration({"young_records_stay", AgesSayNothing, YoungReplaced}),
    PropertyCaseRegistration({"named_files_stay", Good, UploadedBeforeItIsNamed}),
    PropertyCaseRegistration({"named_files_stay", RemovedWhenGivenUp, RemovedWhileWorking}),
    PropertyCaseRegistration({"compaction_record_swapped", Good, WorkReplaced}),
    PropertyCaseRegistration({"compaction_record_swapped", Good, WorkInstalledByAnother}),
    PropertyCaseRegistration({"compaction_record_swapped", Good, GivenUpAndInstalled}),
    PropertyCaseRegistration({"compaction_record_swapped", Good, FileNotNamed}),
    PropertyCaseRegistration({"compaction_record_swapped", Good, InstallationGivenUp}),
    PropertyCaseRegistration({"compaction_record_swapped", TakenOverFromTheEnded, TakenOverFromTheLiving}),
    PropertyCaseRegistration({"compaction_record_swapped", Good, NextGoesBack}),
    PropertyCaseRegistration({"compaction_record_swapped", Good, RangeGoesBack}),
    PropertyCaseRegistration({"compaction_record_swapped", Good, NameUsedAgain}),
    PropertyCaseRegistration({"compaction_record_swapped", Dropped, DroppedAlive}),
    PropertyCaseRegistration({"compaction_record_swapped", Dropped, BackFromDropped}),
    PropertyCaseRegistration({"compaction_comes_to_rest", AtRest, StillRaw}),
    PropertyCaseRegistration({"compaction_comes_to_rest", RawInQuarantine, StillWorking}),
    PropertyCaseRegistration({"contiguity", TrimmedEntryLacks, EntryLacks}),
    PropertyCaseRegistration({"contiguity", Good, RangeBetweenEnds}),
    PropertyCaseRegistration({"contiguity", Good, SizeOfAnother}),
    PropertyCaseRegistration({"sums", TrimmedEntryLacks, TimesOutOfOrder}),
    PropertyCaseRegistration({"write_under_lease", TrimmedWithALease, TrimmedWithoutALease}),
    PropertyCaseRegistration({"marker_never_back", MarkerAtTheLast, MarkerBeyondTheLast}),
    PropertyCaseRegistration({"greatest_key_stays", Good, LastRecordTrimmed}),
    PropertyCaseRegistration({"right_partitions", Good, ClaimElsewhere}),
};

}  // namespace
}  // namespace lakestream::sim
