#include <utility>

#include "sim/testing/collection_history.h"

// What the properties of collections and of retention must accept and refuse.

namespace lakestream::sim {
namespace {

constexpr Duration kGrace = CollectionHistory::kGrace;

MadeHistory Good() { return Collected(); }

// needed_objects_stay

MadeHistory IsNamed() {
  CollectionHistory h = Waited();
  h.Collect("wal/five");
  return h;
}
MadeHistory FileIsNamed() {
  CollectionHistory h = Waited();
  h.Collect("compacted/" + CompactedKey(CompactionHistory::kLog, "a.index"));
  return h;
}
MadeHistory FileIsBeingInstalled() {
  CollectionHistory h{Installing()};
  h.Collect("compacted/" + CompactedKey(CompactionHistory::kLog, "a.parquet"));
  return h;
}
MadeHistory FileOfGivenUpWork() {
  CollectionHistory h{Named()};
  h.Idle(Offset(0));
  h.Collect("compacted/" + CompactedKey(CompactionHistory::kLog, "a.parquet"));
  return h;
}
MadeHistory ReadersHaveTheGrace() {
  CollectionHistory h{Compacted()};
  h.Pass(kGrace / 2);
  h.Collect("wal/one");
  return h;
}
MadeHistory IsNamedAgain() {
  CollectionHistory h = Collected();
  h.Record("one", {Entry(7, Offset(6))});
  return h;
}

// waits_are_kept

MadeHistory OnePassIsNotEnough() {
  CollectionHistory h{Compacted()};
  h.Pass(2 * kGrace);
  h.BeginAndComplete(1);
  h.Pass(2 * kGrace);
  h.Collect("wal/one");
  return h;
}
MadeHistory NextPassIsTooSoon() {
  CollectionHistory h{Compacted()};
  h.Pass(2 * kGrace);
  h.BeginAndComplete(1);
  h.Begin(2);
  h.Pass(2 * kGrace);
  h.Collect("wal/one");
  return h;
}
/// A pass ends, its record comes later, and the grace after its end another one begins.
MadeHistory FromRecord(std::optional<Duration> ended, Duration age) {
  CollectionHistory h{Compacted()};
  h.Written("wal/orphan");
  h.Pass(age);
  h.Begin(1);
  h.Complete(1, ended);
  h.Pass(kGrace - std::chrono::seconds(5));
  h.BeginAndComplete(2);
  h.Collect("wal/orphan");
  return h;
}
MadeHistory ResultCameLater() { return FromRecord(std::chrono::seconds(10), 2 * kGrace); }
MadeHistory TooSoonAfterTheResult() { return FromRecord(std::nullopt, 2 * kGrace); }
MadeHistory TooSoonAfterItsEnd() { return FromRecord(std::chrono::seconds(1), 2 * kGrace); }
MadeHistory YoungAtItsEnd() { return FromRecord(std::chrono::seconds(10), kGrace + std::chrono::seconds(5)); }
MadeHistory FirstPassFoundItYoung() {
  CollectionHistory h{Compacted()};
  h.Written("wal/orphan");
  h.BeginAndComplete(1);
  h.Pass(2 * kGrace);
  h.BeginAndComplete(2);
  h.Collect("wal/orphan");
  return h;
}
MadeHistory FirstPassFoundItNamed() {
  CollectionHistory h{Installed()};
  h.Pass(2 * kGrace);
  h.BeginAndComplete(1);
  Retire(h);
  h.Pass(2 * kGrace);
  h.BeginAndComplete(2);
  h.Collect("wal/one");
  return h;
}
MadeHistory WrittenAgainLater() {
  CollectionHistory h = Collected();
  h.Written("wal/one");
  return h;
}
MadeHistory WrittenAgainBefore() {
  CollectionHistory h = Waited();
  h.Written("wal/one");
  h.Collect("wal/one");
  return h;
}
MadeHistory CollectedAgain() {
  CollectionHistory h = Collected();
  h.Written("wal/one");
  h.Collect("wal/one");
  return h;
}
MadeHistory InNoPass() {
  CollectionHistory h{Compacted()};
  h.Collect("wal/one");
  return h;
}

// space_comes_back

MadeHistory AtTheEnd(CollectionHistory h, std::set<std::string> objects) {
  h.evidence.all_collected = true;
  h.evidence.foreign = {"wal/notes.txt"};
  h.evidence.final_objects = std::move(objects);
  h.Remove(CollectionPassKey(1));
  h.Remove(CollectionResultKey(1));
  return h;
}
MadeHistory NothingIsLeft() { return AtTheEnd(Collected(), {"wal/five", "wal/notes.txt"}); }
MadeHistory SomethingIsLeft() { return AtTheEnd(Collected(), {"wal/five", "wal/four", "wal/notes.txt"}); }
MadeHistory RecordsAreLeft() {
  CollectionHistory h = Collected();
  h.BeginAndComplete(3);
  return AtTheEnd(std::move(h), {"wal/five", "wal/notes.txt"});
}

// foreign_objects_stay

MadeHistory ForeignIsCollected() {
  CollectionHistory h = Waited();
  h.Collect("wal/notes.txt");
  return AtTheEnd(std::move(h), {"wal/five", "wal/notes.txt"});
}
MadeHistory ForeignIsGone() { return AtTheEnd(Collected(), {"wal/five"}); }

// holds_stop_deletions

MadeHistory HeldBefore() {
  CollectionHistory h{Compacted()};
  h.Hold();
  h.Begin(1);
  h.Collect("wal/one");
  return h;
}
/// The record changes, and the hold stands all the time.
MadeHistory HeldBesideAnother() {
  CollectionHistory h{Compacted()};
  h.Hold();
  h.Begin(1);
  h.Hold("g");
  h.Hold("i");
  h.Release("g");
  h.Collect("wal/one");
  return h;
}
MadeHistory HeldMeanwhile() {
  CollectionHistory h{Compacted()};
  h.Begin(1);
  h.Hold();
  h.Collect("wal/one");
  return h;
}
MadeHistory Released() {
  CollectionHistory h{Compacted()};
  h.Hold();
  h.Begin(1);
  h.Release();
  h.Collect("wal/one");
  return h;
}

// retention_keeps: six entries of one record and 10 bytes, a second apart or more.

MadeHistory Retained(model::RetentionRules rules, Offset marker) {
  CompactionHistory h = Appended();
  h.evidence.retention = rules;
  h.Marker(marker);
  return h;
}
MadeHistory ByBytes() { return Retained({{}, 20, {}}, Offset(4)); }
MadeHistory ByteTooFew() { return Retained({{}, 21, {}}, Offset(4)); }
MadeHistory ByRecords() { return Retained({{}, {}, 2}, Offset(4)); }
MadeHistory RecordTooFew() { return Retained({{}, {}, 3}, Offset(4)); }
MadeHistory ByTime() { return Retained({1000, {}, {}}, Offset(4)); }
MadeHistory TooYoung() { return Retained({100'000'000, {}, {}}, Offset(4)); }

const PropertyCaseRegistration kRegistered[] = {
    PropertyCaseRegistration({"needed_objects_stay", Good, IsNamed}),
    PropertyCaseRegistration({"needed_objects_stay", FileOfGivenUpWork, FileIsNamed}),
    PropertyCaseRegistration({"needed_objects_stay", Good, FileIsBeingInstalled}),
    PropertyCaseRegistration({"needed_objects_stay", Good, ReadersHaveTheGrace}),
    PropertyCaseRegistration({"needed_objects_stay", Good, IsNamedAgain}),
    PropertyCaseRegistration({"waits_are_kept", Good, OnePassIsNotEnough}),
    PropertyCaseRegistration({"waits_are_kept", Good, NextPassIsTooSoon}),
    PropertyCaseRegistration({"waits_are_kept", Good, FirstPassFoundItYoung}),
    PropertyCaseRegistration({"waits_are_kept", Good, FirstPassFoundItNamed}),
    PropertyCaseRegistration({"waits_are_kept", Good, InNoPass}),
    PropertyCaseRegistration({"waits_are_kept", ResultCameLater, TooSoonAfterTheResult}),
    PropertyCaseRegistration({"waits_are_kept", ResultCameLater, TooSoonAfterItsEnd}),
    PropertyCaseRegistration({"waits_are_kept", ResultCameLater, YoungAtItsEnd}),
    PropertyCaseRegistration({"waits_are_kept", WrittenAgainLater, FirstPassFoundItYoung}),
    PropertyCaseRegistration({"waits_are_kept", WrittenAgainBefore, FirstPassFoundItYoung}),
    PropertyCaseRegistration({"waits_are_kept", CollectedAgain, FirstPassFoundItYoung}),
    PropertyCaseRegistration({"space_comes_back", NothingIsLeft, SomethingIsLeft}),
    PropertyCaseRegistration({"space_comes_back", NothingIsLeft, RecordsAreLeft}),
    PropertyCaseRegistration({"foreign_objects_stay", NothingIsLeft, ForeignIsCollected}),
    PropertyCaseRegistration({"foreign_objects_stay", NothingIsLeft, ForeignIsGone}),
    PropertyCaseRegistration({"holds_stop_deletions", HeldMeanwhile, HeldBefore}),
    PropertyCaseRegistration({"holds_stop_deletions", Released, HeldBesideAnother}),
    PropertyCaseRegistration({"retention_keeps", ByBytes, ByteTooFew}),
    PropertyCaseRegistration({"retention_keeps", ByRecords, RecordTooFew}),
    PropertyCaseRegistration({"retention_keeps", ByTime, TooYoung}),
};

}  // namespace
}  // namespace lakestream::sim
