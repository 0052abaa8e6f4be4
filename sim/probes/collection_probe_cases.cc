#include <utility>

#include "sim/testing/collection_history.h"

// Traces with and without the events that the probes of collections look for.

namespace lakestream::sim {
namespace {


MadeHistory WalCollected() { return Collected(); }
MadeHistory FileCollected() {
  CollectionHistory h = Waited();
  h.Collect("compacted/default/log-1/lks-x.parquet");
  return h;
}

/// A pass that ends so.
MadeHistory Ends(Status status, CollectionReport report = CollectionReport()) {
  MadeHistory h = Waited();
  Collection& collection = h.evidence.collections.emplace_back();
  collection.ended = h.Next();
  collection.status = std::move(status);
  collection.report = std::move(report);
  return h;
}
MadeHistory Reports(void (*fill)(CollectionReport&)) {
  CollectionReport report;
  fill(report);
  return Ends(OkStatus(), std::move(report));
}
MadeHistory Plain() { return Ends(OkStatus()); }
MadeHistory Overtaken() {
  return Reports([](CollectionReport& report) { report.overtaken = true; });
}
MadeHistory Held() {
  return Reports([](CollectionReport& report) {
    report.wal.garbage.objects = 1;
    report.holds = {"h"};
  });
}
MadeHistory HeldInVain() {
  return Reports([](CollectionReport& report) { report.holds = {"h"}; });
}
MadeHistory DroppedLog() {
  return Reports([](CollectionReport& report) { report.dropped_logs = 1; });
}
MadeHistory EveryKind() {
  return Reports([](CollectionReport& report) {
    report.wal.waiting.objects = report.wal.young.objects = report.wal.named.objects = 1;
  });
}
MadeHistory NoneIsYoung() {
  return Reports([](CollectionReport& report) { report.wal.waiting.objects = report.wal.named.objects = 1; });
}
MadeHistory ListingCut() { return Ends(Unavailable("objects of one listing are not in the next; one of them was cut short")); }
MadeHistory ScanCut() { return Ends(Unavailable("a scan did not come to the mark of its pass")); }
MadeHistory ClocksApart() {
  return Ends(Unavailable("the clocks of the stores do not agree; nothing is collected until they do"));
}

/// A pass that something happens to.
MadeHistory Meets(Happening::Kind kind, bool deletes, bool ended) {
  CollectionHistory h = Waited();
  Collection& collection = h.evidence.collections.emplace_back();
  collection.process = "p.1";
  collection.began = h.Next();
  if (deletes) h.Collect("wal/one");
  if (ended) collection.ended = h.Next();
  h.Happened(kind);
  return h;
}
MadeHistory Killed() { return Meets(Happening::Kind::kKilled, false, false); }
MadeHistory KilledHalfDone() { return Meets(Happening::Kind::kKilled, true, false); }
MadeHistory KilledAfterwards() { return Meets(Happening::Kind::kKilled, true, true); }
MadeHistory Slept() { return Meets(Happening::Kind::kSuspended, false, false); }
MadeHistory SleptAfterwards() { return Meets(Happening::Kind::kSuspended, false, true); }

/// A read of the first entry, before or while its object goes.
MadeHistory Reads(bool meanwhile) {
  CollectionHistory h = Waited();
  Operation read = h.MadeHistory::Begin(Operation::Kind::kRead);
  if (meanwhile) h.Collect("wal/one");
  read.entries = {Entry(1, Offset(0))};
  h.End(read);
  h.evidence.operations.back() = read;
  if (!meanwhile) h.Collect("wal/one");
  return h;
}
MadeHistory GoesUnderARead() { return Reads(true); }
MadeHistory GoesAfterARead() { return Reads(false); }

MadeHistory Trims(bool by_retention) {
  MadeHistory h = Appended();
  if (by_retention) h.evidence.retention.bytes = 1;
  h.Marker(Offset(4));
  return h;
}
MadeHistory RetentionTrims() { return Trims(true); }
MadeHistory AnotherTrims() { return Trims(false); }

const ProbeCaseRegistration kRegistered[] = {
    ProbeCaseRegistration({"wal_object_collected", WalCollected, FileCollected}),
    ProbeCaseRegistration({"compacted_file_collected", FileCollected, WalCollected}),
    ProbeCaseRegistration({"collection_of_every_kind", EveryKind, NoneIsYoung}),
    ProbeCaseRegistration({"collection_overtaken", Overtaken, Plain}),
    ProbeCaseRegistration({"collection_held", Held, HeldInVain}),
    ProbeCaseRegistration({"collection_of_a_dropped_log", DroppedLog, Plain}),
    ProbeCaseRegistration({"collection_listing_cut", ListingCut, ScanCut}),
    ProbeCaseRegistration({"collection_scan_cut", ScanCut, ListingCut}),
    ProbeCaseRegistration({"collection_clocks_apart", ClocksApart, Plain}),
    ProbeCaseRegistration({"collector_killed", Killed, KilledAfterwards}),
    ProbeCaseRegistration({"collector_killed_half_done", KilledHalfDone, Killed}),
    ProbeCaseRegistration({"collector_slept", Slept, SleptAfterwards}),
    ProbeCaseRegistration({"object_goes_under_a_read", GoesUnderARead, GoesAfterARead}),
    ProbeCaseRegistration({"retention_trims", RetentionTrims, AnotherTrims}),
};

}  // namespace
}  // namespace lakestream::sim
