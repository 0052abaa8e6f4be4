#include "format/index_key.h"
#include "format/log_records.h"
#include "sim/testing/made_history.h"

// What the properties of reads, trims and the stores must accept and refuse.

namespace lakestream::sim {
namespace {

MadeHistory Good() {
  MadeHistory h;
  h.Object("one");
  h.Record("one", {Entry(1, Offset(0)), Entry(2, Offset(1), 2)});
  h.Record("two", {Entry(3, Offset(3))});
  h.Append(1, Offset(0));
  h.Append(2, Offset(1), 2);
  h.Append(3, Offset(3));
  h.Read(Offset(0), {Entry(1, Offset(0)), Entry(2, Offset(1), 2)});
  h.Read(Offset(2), {Entry(2, Offset(1), 2), Entry(3, Offset(3))});
  h.Extent(Offset(0), Offset(4));
  h.Marker(Offset(1));
  h.Trim(Offset(0), Offset(0), Offset(1));
  h.Read(Offset(0), {Entry(2, Offset(1), 2)});
  return h;
}

MadeHistory SkipsAnEntry() {
  MadeHistory h = Good();
  h.Read(Offset(1), {Entry(3, Offset(3))});
  return h;
}
MadeHistory GoesBack() {
  MadeHistory h = Good();
  h.Read(Offset(3), {Entry(2, Offset(1), 2)});
  return h;
}
MadeHistory WrongNext() {
  MadeHistory h = Good();
  h.Read(Offset(3), {Entry(3, Offset(3))}).next = Offset(9);
  return h;
}

MadeHistory EmptyThoughLonger() {
  MadeHistory h = Good();
  h.Read(Offset(3), {});
  return h;
}
MadeHistory ShorterThanBefore() {
  MadeHistory h = Good();
  h.Extent(Offset(1), Offset(3));
  return h;
}
MadeHistory OffsetBelowTheEnd() {
  MadeHistory h = Good();
  h.Append(5, Offset(3));
  return h;
}
MadeHistory SeesTheFuture() {
  MadeHistory h = Good();
  h.Read(Offset(4), {Entry(7, Offset(4))});
  h.Append(7, Offset(4));
  return h;
}

MadeHistory MarkerBack() {
  MadeHistory h = Good();
  h.Marker(Offset(0));
  return h;
}
MadeHistory MarkerPastTheLastRecord() {
  MadeHistory h = Good();
  h.Marker(Offset(4));
  return h;
}
MadeHistory TrimWithoutMarker() {
  MadeHistory h = Good();
  h.Trim(Offset(2), Offset(1), Offset(3));
  return h;
}
MadeHistory ReadsTrimmed() {
  MadeHistory h = Good();
  h.Read(Offset(0), {Entry(1, Offset(0))});
  return h;
}
MadeHistory ExtentOfTheTrimmed() {
  MadeHistory h = Good();
  h.Extent(Offset(0), Offset(4));
  return h;
}

/// Of real processes: markers follow from the trims.
MadeHistory Real() {
  MadeHistory h = Good();
  h.evidence.store.clear();
  h.evidence.puts.clear();
  h.evidence.real = true;
  return h;
}
MadeHistory RealSkipsAnEntry() {
  MadeHistory h = Real();
  h.Read(Offset(1), {Entry(3, Offset(3))});
  return h;
}
MadeHistory RealTrimUnanswered() {
  MadeHistory h = Real();
  h.Begin(Operation::Kind::kTrim).asked = Offset(2);
  h.Read(Offset(1), {Entry(3, Offset(3))});
  return h;
}
MadeHistory RealTrimFailed() {
  MadeHistory h = Real();
  Operation& trim = h.Begin(Operation::Kind::kTrim);
  trim.asked = Offset(2);
  h.End(trim, Unavailable("not done"));
  h.Read(Offset(1), {Entry(3, Offset(3))});
  return h;
}

MadeHistory TrimFindsAnOlderMarker() {
  MadeHistory h = Good();
  h.Trim(Offset(0), Offset(0), Offset(0));
  return h;
}
MadeHistory TrimPastWhatWasAsked() {
  MadeHistory h = Good();
  h.Trim(Offset(1), Offset(1), Offset(3));
  h.Marker(Offset(3));
  return h;
}
MadeHistory MarkerOfATrimIsGone() {
  MadeHistory h = Good();
  h.Trim(Offset(2), Offset(1), Offset(3));
  return h;
}
MadeHistory TrimsTwice() {
  MadeHistory h = Good();
  h.Trim(Offset(2), Offset(1), Offset(3));
  h.Marker(Offset(3));
  h.Trim(Offset(1), Offset(3), Offset(3));
  return h;
}

/// A tail that ends so long after an append, with nothing.
MadeHistory Tail(Duration waited, bool frozen) {
  MadeHistory h;
  h.evidence.tail_wakes_within = std::chrono::seconds(5);
  Operation tail = h.Begin(Operation::Kind::kTail);
  h.Append(1, Offset(0));
  if (frozen) h.Happened(Happening::Kind::kFrozen);
  h.Pass(waited);
  h.End(tail);
  h.evidence.operations.front() = tail;
  return h;
}
MadeHistory TailSleepsOn() { return Tail(std::chrono::seconds(8), false); }
MadeHistory TailEndedBefore() { return Tail(std::chrono::seconds(2), false); }
MadeHistory TailWasFrozen() { return Tail(std::chrono::seconds(8), true); }

MadeHistory LastRecordRemoved() {
  MadeHistory h = Good();
  h.Remove(h.evidence.store[1].change.record.key);
  return h;
}
MadeHistory FirstRecordRemoved() {
  MadeHistory h = Good();
  h.Remove(h.evidence.store[0].change.record.key);
  return h;
}

MadeHistory WrongPartition() {
  MadeHistory h = Good();
  h.Store(TrimMarkerKey(LogId(1)), EncodeTrimMarker(Offset(1)), "2");
  return h;
}

MadeHistory TimeGoesBack() {
  MadeHistory h;
  h.Store("a", "").change.record.created_ms = 5;
  h.Store("b", "").change.record.created_ms = 4;
  return h;
}
MadeHistory TimeChanges() {
  MadeHistory h;
  h.Store("a", "").change.record.created_ms = 5;
  h.Store("a", "").change.record.created_ms = 6;
  return h;
}
MadeHistory TimesStay() {
  MadeHistory h;
  h.Store("a", "").change.record.created_ms = 5;
  h.Store("b", "").change.record.created_ms = 6;
  h.Store("a", "").change.record.created_ms = 5;
  return h;
}

MadeHistory Stuck() {
  MadeHistory h = Good();
  h.evidence.stuck.push_back("an append");
  return h;
}

MadeHistory FoundDamaged() {
  MadeHistory h = Good();
  h.End(h.Begin(Operation::Kind::kRead), Corrupt("a gap"));
  return h;
}
MadeHistory UnreadableAtTheEnd() {
  MadeHistory h = Good();
  FinalRecord& last = h.evidence.final.begin()->second.records.back();
  last.entries.clear();
  last.trouble = "not_found: no such object";
  return h;
}
MadeHistory TrimmedAndUnreadableAtTheEnd() {
  MadeHistory h = UnreadableAtTheEnd();
  FinalLog& log = h.evidence.final.begin()->second;
  log.marker = log.records.back().end;
  return h;
}
MadeHistory TrimmedToItsLastEntryAndUnreadable() {
  MadeHistory h = UnreadableAtTheEnd();
  FinalLog& log = h.evidence.final.begin()->second;
  log.records.back().compacted = true;
  log.marker = log.records.back().end - 1;
  return h;
}
MadeHistory TrimmedWithoutItsFiles() {
  MadeHistory h = TrimmedAndUnreadableAtTheEnd();
  h.evidence.final.begin()->second.records.back().compacted = true;
  return h;
}
MadeHistory FoundDamagedAfterAFlip() {
  MadeHistory h = FoundDamaged();
  h.evidence.met.flipped_headers = 1;
  return h;
}
MadeHistory Refused() {
  MadeHistory h = Good();
  h.End(h.Begin(Operation::Kind::kRead), Unavailable("later"));
  return h;
}

MadeHistory CalledDamaged() {
  MadeHistory h = Good();
  h.evidence.checks.push_back(Checked{"p.1", h.Next(), h.Next(), OkStatus(), {"index records leave a gap"}});
  return h;
}
MadeHistory DamagedOnItsWay() {
  MadeHistory h = CalledDamaged();
  h.evidence.met.flipped_headers = 1;
  return h;
}
MadeHistory DamagedAtTheEnd() {
  MadeHistory h = DamagedOnItsWay();
  h.evidence.final_damage.push_back("index records leave a gap");
  return h;
}

const PropertyCaseRegistration kRegistered[] = {
    PropertyCaseRegistration({"monotonic_readers", Good, SkipsAnEntry}),
    PropertyCaseRegistration({"monotonic_readers", Good, GoesBack}),
    PropertyCaseRegistration({"monotonic_readers", Good, WrongNext}),
    PropertyCaseRegistration({"real_time_order", Good, EmptyThoughLonger}),
    PropertyCaseRegistration({"real_time_order", Good, ShorterThanBefore}),
    PropertyCaseRegistration({"real_time_order", Good, OffsetBelowTheEnd}),
    PropertyCaseRegistration({"real_time_order", Good, SeesTheFuture}),
    PropertyCaseRegistration({"marker_never_back", Good, MarkerBack}),
    PropertyCaseRegistration({"marker_never_back", Good, MarkerPastTheLastRecord}),
    PropertyCaseRegistration({"marker_never_back", Good, TrimWithoutMarker}),
    PropertyCaseRegistration({"trims_are_seen", Good, ReadsTrimmed}),
    PropertyCaseRegistration({"trims_are_seen", Good, ExtentOfTheTrimmed}),
    PropertyCaseRegistration({"monotonic_readers", Real, RealSkipsAnEntry}),
    PropertyCaseRegistration({"monotonic_readers", RealTrimUnanswered, RealTrimFailed}),
    PropertyCaseRegistration({"trims_move_on", Good, TrimFindsAnOlderMarker}),
    PropertyCaseRegistration({"trims_move_on", TrimsTwice, TrimPastWhatWasAsked}),
    PropertyCaseRegistration({"trims_move_on", Real, MarkerOfATrimIsGone}),
    PropertyCaseRegistration({"trims_move_on", Good, MarkerPastTheLastRecord}),
    PropertyCaseRegistration({"tails_wake", TailEndedBefore, TailSleepsOn}),
    PropertyCaseRegistration({"tails_wake", TailWasFrozen, TailSleepsOn}),
    PropertyCaseRegistration({"greatest_key_stays", FirstRecordRemoved, LastRecordRemoved}),
    PropertyCaseRegistration({"right_partitions", Good, WrongPartition}),
    PropertyCaseRegistration({"creation_times", TimesStay, TimeGoesBack}),
    PropertyCaseRegistration({"creation_times", TimesStay, TimeChanges}),
    PropertyCaseRegistration({"comes_to_rest", Good, Stuck}),
    PropertyCaseRegistration({"nothing_corrupt", Refused, FoundDamaged}),
    PropertyCaseRegistration({"nothing_corrupt", FoundDamagedAfterAFlip, FoundDamaged}),
    PropertyCaseRegistration({"nothing_corrupt", Good, UnreadableAtTheEnd}),
    PropertyCaseRegistration({"nothing_corrupt", TrimmedWithoutItsFiles, TrimmedAndUnreadableAtTheEnd}),
    PropertyCaseRegistration({"nothing_corrupt", TrimmedWithoutItsFiles, TrimmedToItsLastEntryAndUnreadable}),
    PropertyCaseRegistration({"no_false_alarm", Good, CalledDamaged}),
    PropertyCaseRegistration({"no_false_alarm", DamagedOnItsWay, DamagedAtTheEnd}),
};

}  // namespace
}  // namespace lakestream::sim
