#include <algorithm>
#include <limits>
#include <set>

#include "sim/probes/probe.h"

namespace lakestream::sim {
namespace {

bool AnyCollected(const Evidence& evidence, std::string_view root) {
  return std::any_of(evidence.collected.begin(), evidence.collected.end(),
                     [root](const CollectedEvent& event) { return event.object.starts_with(root); });
}
bool WalCollected(const Evidence& evidence) { return AnyCollected(evidence, "wal/"); }
bool FileCollected(const Evidence& evidence) { return AnyCollected(evidence, "compacted/"); }

bool AnyReport(const Evidence& evidence, bool (*wanted)(const CollectionReport& report)) {
  return std::any_of(evidence.collections.begin(), evidence.collections.end(), [wanted](const Collection& collection) {
    return collection.ended && collection.status.ok() && wanted(collection.report);
  });
}
bool Overtaken(const Evidence& evidence) {
  return AnyReport(evidence, [](const CollectionReport& report) { return report.overtaken; });
}
bool Held(const Evidence& evidence) {
  return AnyReport(evidence, [](const CollectionReport& report) {
    const bool garbage = report.wal.garbage.objects + report.compacted.garbage.objects > 0;
    return garbage && !report.holds.empty();
  });
}
bool DroppedLog(const Evidence& evidence) {
  return AnyReport(evidence, [](const CollectionReport& report) { return report.dropped_logs > 0; });
}
bool Waits(const Evidence& evidence) {
  return AnyReport(evidence, [](const CollectionReport& report) {
    return report.wal.waiting.objects > 0 && report.wal.young.objects > 0 && report.wal.named.objects > 0;
  });
}

/// A pass ended with an error that says so.
bool Says(const Evidence& evidence, std::string_view what) {
  return std::any_of(evidence.collections.begin(), evidence.collections.end(), [what](const Collection& collection) {
    return collection.ended && collection.status.ToString().find(what) != std::string::npos;
  });
}
bool ListingCut(const Evidence& evidence) { return Says(evidence, "cut short"); }
bool ScanCut(const Evidence& evidence) { return Says(evidence, "did not come to the mark"); }
bool ClocksApart(const Evidence& evidence) { return Says(evidence, "clocks of the stores do not agree"); }

/// Something happens to the process of a pass that goes on, or is never heard of again.
bool Meets(const Evidence& evidence, Happening::Kind kind, bool deletes) {
  for (const Happening& happening : evidence.happenings) {
    if (happening.kind != kind) continue;
    for (const Collection& collection : evidence.collections) {
      const Place ended = collection.ended.value_or(std::numeric_limits<Place>::max());
      const bool under_way = collection.began < happening.place && happening.place < ended;
      if (collection.process != happening.process || !under_way) continue;
      const bool deleted = std::any_of(evidence.collected.begin(), evidence.collected.end(), [&](const auto& event) {
        return event.process == collection.process && event.place > collection.began && event.place < happening.place;
      });
      if (deleted || !deletes) return true;
    }
  }
  return false;
}
bool KilledHalfDone(const Evidence& evidence) { return Meets(evidence, Happening::Kind::kKilled, true); }
bool Killed(const Evidence& evidence) { return Meets(evidence, Happening::Kind::kKilled, false); }
bool Slept(const Evidence& evidence) { return Meets(evidence, Happening::Kind::kSuspended, false); }

/// An object goes while somebody reads a log that has entries in it.
bool GoesUnderARead(const Evidence& evidence) {
  std::set<std::string> collected;
  for (const CollectedEvent& event : evidence.collected) collected.insert(event.object);
  for (const ObjectEvent& event : evidence.objects) {
    if (!event.removed || !event.object.starts_with("wal/") || !collected.contains(event.object)) continue;
    const auto object = evidence.wal_entries.find(event.object.substr(std::string_view("wal/").size()));
    if (object == evidence.wal_entries.end()) continue;
    for (const Operation& read : evidence.operations) {
      if (read.kind != Operation::Kind::kRead || !read.done() || !object->second.entries.contains(read.log)) continue;
      if (read.began < event.place && event.place < *read.ended) return true;
    }
  }
  return false;
}

bool Retained(const Evidence& evidence) {
  return evidence.retention.any() && std::any_of(evidence.store.begin(), evidence.store.end(), [](const StoreEvent& event) {
    return event.of_log.marker && *event.of_log.marker > Offset(0);
  });
}

const ProbeRegistration kRegistered[] = {
    ProbeRegistration({"wal_object_collected", "a WAL object is collected", WalCollected}),
    ProbeRegistration({"compacted_file_collected", "a compacted file is collected", FileCollected}),
    ProbeRegistration({"collection_of_every_kind", "a pass finds named objects, young ones, and some that wait", Waits}),
    ProbeRegistration({"collection_overtaken", "another collector ends a pass first", Overtaken}),
    ProbeRegistration({"collection_held", "there is garbage, and a hold", Held}),
    ProbeRegistration({"collection_of_a_dropped_log", "the compaction record of a dropped log is marked", DroppedLog}),
    ProbeRegistration({"collection_listing_cut", "a pass ends for a listing that was cut short", ListingCut}),
    ProbeRegistration({"collection_scan_cut", "a pass ends for a scan that did not come to its mark", ScanCut}),
    ProbeRegistration({"collection_clocks_apart", "a pass ends for clocks that do not agree", ClocksApart}),
    ProbeRegistration({"collector_killed", "a process is killed in a pass", Killed}),
    ProbeRegistration({"collector_killed_half_done", "... that has deleted something", KilledHalfDone}),
    ProbeRegistration({"collector_slept", "a machine sleeps in a pass", Slept}),
    ProbeRegistration({"object_goes_under_a_read", "an object is removed while a log is read that had entries in it",
                       GoesUnderARead}),
    ProbeRegistration({"retention_trims", "retention moves a trim marker", Retained}),
};

}  // namespace
}  // namespace lakestream::sim
