#include <algorithm>
#include <map>
#include <set>

#include "format/log_records.h"
#include "sim/probes/probe.h"
#include "sim/properties/property.h"

// That the faults really happened, and where it can be seen: that they changed something.

namespace lakestream::sim {
namespace {

using Kind = Happening::Kind;

template <FaultKind kind>
bool MetObject(const Evidence& evidence) {
  return evidence.met.objects[static_cast<std::size_t>(kind)] > 0;
}
template <MetadataFaultKind kind>
bool MetMetadata(const Evidence& evidence) {
  return evidence.met.metadata[static_cast<std::size_t>(kind)] > 0;
}
template <std::int64_t Met::* count>
bool Counted(const Evidence& evidence) {
  return evidence.met.*count > 0;
}

bool LatePutArrives(const Evidence& evidence) { return !evidence.late_puts.empty(); }

/// An object arrives when a log that it was written for is fenced already.
bool LatePutAfterFence(const Evidence& evidence) {
  for (const LatePut& late : evidence.late_puts) {
    for (const Deletion& deletion : evidence.deletions) {
      const bool for_it = std::find(late.logs.begin(), late.logs.end(), deletion.log) != late.logs.end();
      if (for_it && late.place > deletion.fenced) return true;
    }
  }
  return false;
}

/// An index put takes effect when its writer has no lease on the log any more.
bool PutAfterLeaseGone(const Evidence& evidence) {
  std::map<std::string, std::string> by;
  for (const PutEvent& put : evidence.puts) by[put.name] = put.process;
  const std::vector<IndexPut> puts = RawPuts(evidence);
  auto put = puts.begin();
  std::map<std::pair<LogId, std::string>, std::set<std::string>> standing;
  for (const StoreEvent& event : evidence.store) {
    while (put != puts.end() && put->place < event.place) ++put;
    if (put != puts.end() && put->place == event.place) {
      const auto leases = standing.find({put->log, by[put->object]});
      if (leases != standing.end() && leases->second.empty()) return true;
    }
    const auto owner = evidence.lease_owners.find(event.change.record.key);
    if (owner == evidence.lease_owners.end()) continue;
    std::set<std::string>& leases = standing[{event.of_log.log, owner->second}];
    if (event.change.removed) {
      leases.erase(owner->first);
    } else {
      leases.insert(owner->first);
    }
  }
  return false;
}

/// How far creation times run ahead of the time that passes between two records.
Duration LongestJump(const Evidence& evidence) {
  Duration longest{0};
  const StoreEvent* last = nullptr;
  for (const StoreEvent& event : evidence.store) {
    if (event.change.removed) continue;
    if (last != nullptr) {
      const std::chrono::milliseconds by(event.change.record.created_ms - last->change.record.created_ms);
      longest = std::max<Duration>(longest, by - (event.at - last->at));
    }
    last = &event;
  }
  return longest;
}
bool CreationTimeJumps(const Evidence& evidence) { return LongestJump(evidence) > std::chrono::minutes(1); }
bool ClockAYearAhead(const Evidence& evidence) { return LongestJump(evidence) > std::chrono::hours(24 * 300); }

/// A call of that kind is under way when its process stops writer and reader, and a later one goes well.
template <Operation::Kind kind>
bool RestartedWith(const Evidence& evidence) {
  for (const Happening& happening : evidence.happenings) {
    if (happening.kind != Kind::kRestarted) continue;
    bool during = false;
    bool after = false;
    for (const Operation& operation : evidence.operations) {
      if (operation.kind != kind || operation.process != happening.process) continue;
      during |= operation.began < happening.place && operation.ended && *operation.ended > happening.place;
      after |= operation.began > happening.place && operation.done();
    }
    if (during && after) return true;
  }
  return false;
}

bool CheckedUnderLoad(const Evidence& evidence) {
  for (const Checked& check : evidence.checks) {
    if (!check.ended || !check.status.ok()) continue;
    for (const Operation& operation : evidence.operations) {
      const bool during = operation.done() && operation.began > check.began && *operation.ended < *check.ended;
      if (during && operation.kind == Operation::Kind::kAppend) return true;
    }
  }
  return false;
}

const ProbeRegistration kRegistered[] = {
    ProbeRegistration({"object_call_fails", "a call of the object store fails", MetObject<FaultKind::kFail>}),
    ProbeRegistration({"object_store_throttles", "the object store takes no calls for now",
                       MetObject<FaultKind::kThrottle>}),
    ProbeRegistration({"object_answer_lost", "the object store does a call and its answer is lost",
                       MetObject<FaultKind::kLoseAnswer>}),
    ProbeRegistration({"object_store_slow", "a call of the object store takes long", MetObject<FaultKind::kDelay>}),
    ProbeRegistration({"object_short_body", "a Get gives too little", MetObject<FaultKind::kShortBody>}),
    ProbeRegistration({"object_header_flipped", "a Get gives a header with a flipped bit",
                       Counted<&Met::flipped_headers>}),
    ProbeRegistration({"object_listing_cut", "a listing of objects ends too early", MetObject<FaultKind::kCutList>}),
    ProbeRegistration({"object_listing_stale", "a listing lacks what is new", MetObject<FaultKind::kStaleList>}),
    ProbeRegistration({"checked_under_load", "an fsck runs to its end while appends succeed", CheckedUnderLoad}),
    ProbeRegistration({"late_object", "an object arrives when its writer has given up on it", LatePutArrives}),
    ProbeRegistration({"late_object_after_fence", "an object arrives when a log in it is fenced", LatePutAfterFence}),
    ProbeRegistration({"metadata_call_fails", "a call of the metadata store fails",
                       MetMetadata<MetadataFaultKind::kFail>}),
    ProbeRegistration({"metadata_answer_lost", "the metadata store does a call and its answer is lost",
                       MetMetadata<MetadataFaultKind::kLoseAnswer>}),
    ProbeRegistration({"metadata_call_late", "a call reaches the metadata store when its caller has given up",
                       MetMetadata<MetadataFaultKind::kApplyLate>}),
    ProbeRegistration({"metadata_store_slow", "a call of the metadata store takes long",
                       MetMetadata<MetadataFaultKind::kDelay>}),
    ProbeRegistration({"listing_cut", "a listing ends too early", MetMetadata<MetadataFaultKind::kCutPages>}),
    ProbeRegistration({"scan_torn", "something changes between two pages of a scan", Counted<&Met::torn_scans>}),
    ProbeRegistration({"watch_late", "a change is told late", MetMetadata<MetadataFaultKind::kWatchLate>}),
    ProbeRegistration({"watch_missed", "a change is never told", MetMetadata<MetadataFaultKind::kWatchMissed>}),
    ProbeRegistration({"watch_twice", "a change is told twice", MetMetadata<MetadataFaultKind::kWatchTwice>}),
    ProbeRegistration({"batch_partly_done", "some puts of a batch are done and others are not",
                       Counted<&Met::mixed_batches>}),
    ProbeRegistration({"write_lock_stopped", "a write waits for a stopped process that holds the lock",
                       Counted<&Met::lock_waits>}),
    ProbeRegistration({"put_after_lease_gone", "an index put takes effect when its writer's lease is gone",
                       PutAfterLeaseGone}),
    ProbeRegistration({"creation_time_jumps", "creation times jump ahead", CreationTimeJumps}),
    ProbeRegistration({"clock_a_year_ahead", "a process whose clock is a year ahead writes a record", ClockAYearAhead}),
    ProbeRegistration({"restarted_with_appends", "a writer is stopped and started with appends under way",
                       RestartedWith<Operation::Kind::kAppend>}),
    ProbeRegistration({"restarted_with_reads", "a reader is replaced with a read under way",
                       RestartedWith<Operation::Kind::kRead>}),
};

}  // namespace
}  // namespace lakestream::sim
