#include "format/log_isolation.h"
#include "sim/testing/made_history.h"

// What the properties of appends and index records must accept and refuse.

namespace lakestream::sim {
namespace {

/// Two records of two entries each, all of them acknowledged.
MadeHistory Good() {
  MadeHistory h;
  h.evidence.times.grace = std::chrono::hours(1);
  h.evidence.fence_seen_within = std::chrono::seconds(10);
  h.Lease("a");
  h.Object("one");
  h.Record("one", {Entry(1, Offset(0)), Entry(2, Offset(1), 2)});
  h.Append(1, Offset(0));
  h.Append(2, Offset(1), 2);
  h.Object("two");
  h.Record("two", {Entry(3, Offset(3)), Entry(4, Offset(4))});
  h.Append(3, Offset(3));
  h.Append(4, Offset(4));
  // The record was there before its answers; the calls began before the record.
  for (Operation& append : h.evidence.operations) append.began = 0;
  return h;
}

MadeHistory LostEntry() {
  MadeHistory h = Good();
  h.evidence.final.begin()->second.records.pop_back();
  return h;
}
MadeHistory AnotherEntryThere() {
  MadeHistory h = Good();
  h.evidence.final.begin()->second.records.back().entries.back().number = 9;
  return h;
}
MadeHistory HalfAnEntry() {
  MadeHistory h = Good();
  h.evidence.final.begin()->second.records.back().entries.back().size = 3;
  return h;
}
MadeHistory TrimmedEntry() {
  MadeHistory h = LostEntry();
  h.Marker(Offset(5));
  return h;
}

MadeHistory SameOffsetTwice() {
  MadeHistory h = Good();
  h.Append(5, Offset(4));
  return h;
}
MadeHistory Overlap() {
  MadeHistory h = Good();
  h.Append(5, Offset(2));
  return h;
}
MadeHistory TwoValues() {
  MadeHistory h = Good();
  h.Read(Offset(3), {Entry(9, Offset(3))});
  return h;
}
MadeHistory Gap() {
  MadeHistory h = Good();
  h.Record("three", {Entry(5, Offset(6))});
  return h;
}
MadeHistory WrongBytes() {
  MadeHistory h = Good();
  SeenEntry entry = Entry(5, Offset(5));
  entry.cumulative_size += 1;
  h.Record("three", {entry});
  return h;
}
MadeHistory WrongSum() {
  MadeHistory h = Good();
  h.evidence.operations.back().acknowledged->cumulative_size -= 10;
  return h;
}
MadeHistory WrongTime() {
  MadeHistory h = Good();
  h.evidence.operations.back().acknowledged->timestamp_ms = 7;
  return h;
}

MadeHistory FailedYetThere() {
  MadeHistory h = Good();
  h.evidence.operations.back().acknowledged.reset();
  h.evidence.operations.back().status = Unavailable("not done");
  return h;
}
MadeHistory UnknownAndThere() {
  MadeHistory h = Good();
  h.evidence.operations.back().acknowledged.reset();
  h.evidence.operations.back().status = Indeterminate("unknown");
  return h;
}
MadeHistory ThereTwice() {
  MadeHistory h = Good();
  h.Record("three", {Entry(4, Offset(5))});
  return h;
}
MadeHistory NobodysBytes() {
  MadeHistory h = Good();
  h.Read(Offset(4), {Entry(-1, Offset(4))});
  return h;
}

MadeHistory NameTwice() {
  MadeHistory h = Good();
  h.Object("one", "q.1");
  return h;
}

MadeHistory OutOfOrder() {
  MadeHistory h = Good();
  std::swap(h.evidence.operations[0].acknowledged, h.evidence.operations[3].acknowledged);
  return h;
}
MadeHistory OutOfOrderElsewhere() {
  MadeHistory h = OutOfOrder();
  h.evidence.operations[3].process = "q.1";
  h.evidence.operations[1].process = h.evidence.operations[2].process = "r.1";
  return h;
}

MadeHistory OutOfOrderOfManyThreads() {
  MadeHistory h = OutOfOrder();
  h.evidence.many_threads.insert("p.1");
  return h;
}

/// Of what is there at the end.
MadeHistory FirstRecordGone(Offset marker) {
  MadeHistory h = Good();
  FinalLog& final = h.evidence.final.begin()->second;
  final.records.erase(final.records.begin());
  final.marker = marker;
  return h;
}
MadeHistory FirstRecordLost() { return FirstRecordGone(Offset(2)); }
MadeHistory FirstRecordTrimmed() { return FirstRecordGone(Offset(3)); }
MadeHistory HoleAtTheEnd() {
  MadeHistory h = Good();
  FinalRecord& last = h.evidence.final.begin()->second.records.back();
  last.start = last.start + 1;
  last.entries.erase(last.entries.begin());
  return h;
}
MadeHistory HoleInARecord() {
  MadeHistory h = Good();
  std::vector<SeenEntry>& entries = h.evidence.final.begin()->second.records.back().entries;
  entries.erase(entries.begin());
  return h;
}
MadeHistory RecordCutShort() {
  MadeHistory h = Good();
  h.evidence.final.begin()->second.records.back().entries.pop_back();
  return h;
}

/// An append fails while another of a caller is queued behind it.
MadeHistory Behind(Status why, CallerId second_caller) {
  MadeHistory h;
  Operation failed = h.Begin(Operation::Kind::kAppend);
  failed.caller = 1;
  Operation behind = h.Begin(Operation::Kind::kAppend);
  behind.caller = second_caller;
  h.End(failed, std::move(why));
  behind.acknowledged = Entry(2, Offset(0));
  h.End(behind);
  h.evidence.operations = {failed, behind};
  return h;
}
MadeHistory BehindGoesOn() { return Behind(Unavailable("not done"), 1); }
MadeHistory AnotherCallerGoesOn() { return Behind(Unavailable("not done"), 2); }
MadeHistory BehindAWithdrawnOne() { return Behind(DeadlineExceeded("withdrawn"), 1); }

MadeHistory NobodyHadALease() {
  MadeHistory h = Good();
  h.LeaseGone("a", false);
  h.Record("two", {Entry(5, Offset(5))});
  return h;
}
MadeHistory MarkerWithoutLease() {
  MadeHistory h = Good();
  h.LeaseGone("a", false);
  h.Marker(Offset(1));
  return h;
}
MadeHistory GivenBackTooEarly() {
  MadeHistory h = Good();
  h.Lease("of another", "q.1");
  h.LeaseGone("a", true);
  h.Record("two", {Entry(5, Offset(5))});
  return h;
}
MadeHistory SessionLostWithPutUnderWay() {
  MadeHistory h = Good();
  h.Lease("of another", "q.1");
  h.LeaseGone("a", false);
  h.Record("two", {Entry(5, Offset(5))});
  return h;
}

MadeHistory OldObjectPublished() {
  MadeHistory h = Good();
  h.Object("three");
  h.Pass(h.evidence.times.publish_deadline);
  h.Record("three", {Entry(5, Offset(5))});
  return h;
}

/// An append whose answer comes late; `stood_still`: its process was frozen in between.
MadeHistory LateAnswer(bool stood_still) {
  MadeHistory h = Good();
  Operation append = h.Begin(Operation::Kind::kAppend);
  h.Object("three");
  h.Record("three", {Entry(5, Offset(5))});
  if (stood_still) h.Happened(Happening::Kind::kFrozen);
  h.Pass(h.evidence.times.grace / 2);
  append.acknowledged = Entry(5, Offset(5));
  h.End(append);
  h.evidence.operations.back() = append;
  return h;
}
MadeHistory LateAcknowledgement() { return LateAnswer(false); }
MadeHistory LateForItsClientOnly() { return LateAnswer(true); }

void FenceLog(MadeHistory& h) {
  Deletion deletion;
  deletion.log = LogId(1);
  deletion.fenced = h.Next();
  deletion.fenced_at = h.now();
  h.evidence.deletions.push_back(deletion);
}
/// A record that is put after the log was fenced.
MadeHistory Fenced(bool frozen, Duration later) {
  MadeHistory h = Good();
  FenceLog(h);
  if (frozen) h.Happened(Happening::Kind::kFrozen);
  h.Pass(later);
  h.Object("three");
  h.Record("three", {Entry(5, Offset(5))});
  return h;
}
MadeHistory FenceNotNoticed() { return Fenced(false, std::chrono::seconds(20)); }
MadeHistory FenceNoticedInTime() { return Fenced(false, std::chrono::seconds(2)); }
/// Its process was suspended before the fence: it slept at the fence, or had been awake for long.
MadeHistory SuspendedBefore(Duration fence) {
  MadeHistory h = Good();
  h.Happened(Happening::Kind::kSuspended);
  h.Pass(fence);
  FenceLog(h);
  h.Pass(std::chrono::seconds(20));
  h.Object("three");
  h.Record("three", {Entry(5, Offset(5))});
  return h;
}
MadeHistory FenceNotSeenInItsSleep() { return SuspendedBefore(std::chrono::minutes(4)); }
MadeHistory FenceNotSeenAwake() { return SuspendedBefore(std::chrono::minutes(6)); }
MadeHistory FenceNotSeenByTheFrozen() { return Fenced(true, std::chrono::seconds(20)); }

/// The log was fenced, drained and deleted, and then a record is put.
MadeHistory Deleted(bool guarded, bool acknowledged) {
  MadeHistory h = Good();
  h.evidence.guarded_writes = guarded;
  Operation append = h.Begin(Operation::Kind::kAppend);
  Deletion deletion;
  deletion.log = LogId(1);
  deletion.fenced = h.Next();
  deletion.drained = h.Next();
  deletion.deleted = h.Next();
  h.evidence.deletions.push_back(deletion);
  h.Record("two", {Entry(5, Offset(5))});
  append.number = 5;
  if (acknowledged) append.acknowledged = Entry(5, Offset(5));
  h.End(append, acknowledged ? OkStatus() : Indeterminate("unknown"));
  h.evidence.operations.back() = append;
  return h;
}
MadeHistory GuardedPutAfterDeletion() { return Deleted(true, false); }
MadeHistory LatePutAfterDeletion() { return Deleted(false, false); }
MadeHistory AcknowledgedAfterDeletion() { return Deleted(false, true); }
MadeHistory AppendToADeletedLog() {
  MadeHistory h = Deleted(false, false);
  h.Append(6, Offset(0));
  return h;
}

/// An object of two logs, of which one is isolated, later than that.
MadeHistory SharedLater(Duration later) {
  MadeHistory h = Good();
  h.evidence.isolation_seen_within = std::chrono::seconds(10);
  h.Store(LogIsolationKey(LogId(2)), std::string(kLogIsolationValue), std::string(kLogIsolationPartition));
  h.Pass(later);
  h.Object("three");
  h.Record("three", {Entry(5, Offset(5))});
  h.RecordOf(LogId(2), "three");
  return h;
}
MadeHistory IsolatedShares() { return SharedLater(std::chrono::seconds(20)); }
MadeHistory IsolatedJustNow() { return SharedLater(std::chrono::seconds(2)); }
MadeHistory IsolatedBefore() {
  MadeHistory h = Good();
  h.evidence.isolation_seen_within = std::chrono::seconds(10);
  h.Store(LogIsolationKey(LogId(2)), std::string(kLogIsolationValue), std::string(kLogIsolationPartition));
  h.Pass(std::chrono::seconds(20));
  h.Remove(LogIsolationKey(LogId(2)));
  h.Object("three");
  h.Record("three", {Entry(5, Offset(5))});
  h.RecordOf(LogId(2), "three");
  return h;
}
MadeHistory IsolatedAgain() {
  MadeHistory h = IsolatedBefore();
  h.Store(LogIsolationKey(LogId(1)), std::string(kLogIsolationValue), std::string(kLogIsolationPartition));
  h.Pass(std::chrono::seconds(20));
  h.Object("four");
  h.Record("four", {Entry(6, Offset(6))});
  h.RecordOf(LogId(3), "four");
  return h;
}

/// A log has no record left, and begins again at 0, twice.
MadeHistory BeginsAgain(bool deleted) {
  MadeHistory h = Good();
  if (deleted) {
    Deletion deletion;
    deletion.log = LogId(2);
    h.evidence.deletions.push_back(deletion);
  }
  for (const char* object : {"three", "four"}) {
    h.RecordOf(LogId(2), object);
    h.Remove("00000000000000000002-00000000000000000001-00000000000000000010");
  }
  h.RecordOf(LogId(2), "five");
  return h;
}
MadeHistory LateRecordsAfterADeletion() { return BeginsAgain(true); }
MadeHistory RecordsAfterNothing() { return BeginsAgain(false); }

const PropertyCaseRegistration kRegistered[] = {
    PropertyCaseRegistration({"contiguity", LateRecordsAfterADeletion, RecordsAfterNothing}),
    PropertyCaseRegistration({"isolated_share_nothing", IsolatedJustNow, IsolatedShares}),
    PropertyCaseRegistration({"isolated_share_nothing", IsolatedBefore, IsolatedAgain}),
    PropertyCaseRegistration({"durable_acknowledgement", Good, LostEntry}),
    PropertyCaseRegistration({"durable_acknowledgement", TrimmedEntry, AnotherEntryThere}),
    PropertyCaseRegistration({"durable_acknowledgement", Good, HalfAnEntry}),
    PropertyCaseRegistration({"real_offsets", Good, SameOffsetTwice}),
    PropertyCaseRegistration({"real_offsets", Good, Overlap}),
    PropertyCaseRegistration({"one_value_per_offset", Good, TwoValues}),
    PropertyCaseRegistration({"contiguity", Good, Gap}),
    PropertyCaseRegistration({"contiguity", Good, WrongBytes}),
    PropertyCaseRegistration({"contiguity", FirstRecordTrimmed, FirstRecordLost}),
    PropertyCaseRegistration({"contiguity", Good, HoleAtTheEnd}),
    PropertyCaseRegistration({"contiguity", Good, HoleInARecord}),
    PropertyCaseRegistration({"contiguity", Good, RecordCutShort}),
    PropertyCaseRegistration({"sums", Good, WrongSum}),
    PropertyCaseRegistration({"sums", Good, WrongTime}),
    PropertyCaseRegistration({"no_phantom", Good, FailedYetThere}),
    PropertyCaseRegistration({"no_phantom", UnknownAndThere, ThereTwice}),
    PropertyCaseRegistration({"no_phantom", Good, NobodysBytes}),
    PropertyCaseRegistration({"names_unique", Good, NameTwice}),
    PropertyCaseRegistration({"call_order", Good, OutOfOrder}),
    PropertyCaseRegistration({"call_order", OutOfOrderElsewhere, OutOfOrder}),
    PropertyCaseRegistration({"call_order", OutOfOrderOfManyThreads, OutOfOrder}),
    PropertyCaseRegistration({"behind_a_failure", AnotherCallerGoesOn, BehindGoesOn}),
    PropertyCaseRegistration({"behind_a_failure", BehindAWithdrawnOne, BehindGoesOn}),
    PropertyCaseRegistration({"write_under_lease", Good, NobodyHadALease}),
    PropertyCaseRegistration({"write_under_lease", GivenBackTooEarly, MarkerWithoutLease}),
    PropertyCaseRegistration({"lease_outlives_changes", SessionLostWithPutUnderWay, GivenBackTooEarly}),
    PropertyCaseRegistration({"published_while_young", Good, OldObjectPublished}),
    PropertyCaseRegistration({"acknowledged_while_young", LateForItsClientOnly, LateAcknowledgement}),
    PropertyCaseRegistration({"fence_is_noticed", FenceNoticedInTime, FenceNotNoticed}),
    PropertyCaseRegistration({"fence_is_noticed", FenceNotSeenByTheFrozen, FenceNotNoticed}),
    PropertyCaseRegistration({"fence_is_noticed", FenceNotSeenInItsSleep, FenceNotSeenAwake}),
    PropertyCaseRegistration({"no_write_after_deletion", LatePutAfterDeletion, GuardedPutAfterDeletion}),
    PropertyCaseRegistration({"no_write_after_deletion", Good, AcknowledgedAfterDeletion}),
    PropertyCaseRegistration({"no_write_after_deletion", Good, AppendToADeletedLog}),
};

}  // namespace
}  // namespace lakestream::sim
