#include "sim/testing/made_history.h"

// Traces with and without the faults.

namespace lakestream::sim {
namespace {

MadeHistory Plain() {
  MadeHistory h;
  h.Lease("lease");
  h.Object("one");
  h.Record("one", {Entry(1, Offset(0))});
  h.Append(1, Offset(0));
  return h;
}

template <FaultKind kind>
MadeHistory Met1() {
  MadeHistory h = Plain();
  h.evidence.met.objects[static_cast<std::size_t>(kind)] = 1;
  return h;
}
template <FaultKind kind>
MadeHistory MetOthers() {
  MadeHistory h = Plain();
  h.evidence.met.objects.fill(1);
  h.evidence.met.metadata.fill(1);
  h.evidence.met.objects[static_cast<std::size_t>(kind)] = 0;
  return h;
}
template <MetadataFaultKind kind>
MadeHistory Met1() {
  MadeHistory h = Plain();
  h.evidence.met.metadata[static_cast<std::size_t>(kind)] = 1;
  return h;
}
template <MetadataFaultKind kind>
MadeHistory MetOthers() {
  MadeHistory h = Plain();
  h.evidence.met.objects.fill(1);
  h.evidence.met.metadata.fill(1);
  h.evidence.met.metadata[static_cast<std::size_t>(kind)] = 0;
  return h;
}
template <std::int64_t Met::* count>
MadeHistory Counted() {
  MadeHistory h = Plain();
  h.evidence.met.*count = 1;
  return h;
}
template <std::int64_t Met::* count>
MadeHistory CountedOthers() {
  MadeHistory h = Plain();
  Met& met = h.evidence.met;
  met.torn_scans = met.mixed_batches = met.flipped_headers = met.lock_waits = 1;
  met.*count = 0;
  return h;
}

MadeHistory Late() {
  MadeHistory h = Plain();
  h.evidence.late_puts.push_back(LatePut{h.Next(), "p.1", "two", {LogId(1)}});
  h.evidence.deletions.push_back(Deletion{LogId(1), h.Next(), h.Next(), h.Next(), h.now()});
  return h;
}
MadeHistory LateAfterFence() {
  MadeHistory h = Late();
  h.evidence.late_puts.push_back(LatePut{h.Next(), "p.1", "three", {LogId(2), LogId(1)}});
  return h;
}
MadeHistory PutWithoutLease() {
  MadeHistory h = Plain();
  h.LeaseGone("lease", false);
  h.Record("one", {Entry(2, Offset(1))});
  return h;
}
/// Its process has a newer lease.
MadeHistory PutWithAnotherLease() {
  MadeHistory h = Plain();
  h.Lease("newer");
  h.LeaseGone("lease", false);
  h.Record("one", {Entry(2, Offset(1))});
  return h;
}
MadeHistory Created(Duration ahead) {
  MadeHistory h = Plain();
  h.Store("a", "").change.record.created_ms = 5000;
  h.Store("b", "").change.record.created_ms = 6000 + ToMillis(ahead);
  return h;
}
MadeHistory CreatedInTime() { return Created(std::chrono::seconds(50)); }
MadeHistory CreatedAhead() { return Created(std::chrono::hours(1)); }
MadeHistory CreatedAYearAhead() { return Created(std::chrono::hours(24 * 365)); }

template <Operation::Kind kind>
MadeHistory Restarted() {
  MadeHistory h = Plain();
  Operation under_way = h.Begin(kind);
  h.Happened(Happening::Kind::kRestarted);
  h.End(under_way, Unavailable("the writer is stopping"));
  h.evidence.operations.back() = under_way;
  h.End(h.Begin(kind));
  return h;
}
/// The call ended before.
template <Operation::Kind kind>
MadeHistory RestartedBetween() {
  MadeHistory h = Plain();
  h.End(h.Begin(kind));
  h.Happened(Happening::Kind::kRestarted);
  h.End(h.Begin(kind));
  return h;
}

MadeHistory CheckedMeanwhile() {
  MadeHistory h;
  const Place began = h.Next();
  h.Append(1, Offset(0));
  h.evidence.checks.push_back(Checked{"p.1", began, h.Next(), OkStatus(), {}});
  return h;
}
MadeHistory CheckedBefore() {
  MadeHistory h;
  const Place began = h.Next();
  h.evidence.checks.push_back(Checked{"p.1", began, h.Next(), OkStatus(), {}});
  h.Append(1, Offset(0));
  return h;
}

template <auto kind>
HistoryCase MetCase(const char* probe) {
  return HistoryCase{probe, Met1<kind>, MetOthers<kind>};
}
template <std::int64_t Met::* count>
HistoryCase CountCase(const char* probe) {
  return HistoryCase{probe, Counted<count>, CountedOthers<count>};
}
template <Operation::Kind kind>
HistoryCase RestartCase(const char* probe) {
  return HistoryCase{probe, Restarted<kind>, RestartedBetween<kind>};
}

const ProbeCaseRegistration kRegistered[] = {
    ProbeCaseRegistration(MetCase<FaultKind::kFail>("object_call_fails")),
    ProbeCaseRegistration(MetCase<FaultKind::kThrottle>("object_store_throttles")),
    ProbeCaseRegistration(MetCase<FaultKind::kLoseAnswer>("object_answer_lost")),
    ProbeCaseRegistration(MetCase<FaultKind::kDelay>("object_store_slow")),
    ProbeCaseRegistration(MetCase<FaultKind::kShortBody>("object_short_body")),
    ProbeCaseRegistration(CountCase<&Met::flipped_headers>("object_header_flipped")),
    ProbeCaseRegistration(MetCase<FaultKind::kCutList>("object_listing_cut")),
    ProbeCaseRegistration(MetCase<FaultKind::kStaleList>("object_listing_stale")),
    ProbeCaseRegistration({"checked_under_load", CheckedMeanwhile, CheckedBefore}),
    ProbeCaseRegistration({"late_object", Late, Plain}),
    ProbeCaseRegistration({"late_object_after_fence", LateAfterFence, Late}),
    ProbeCaseRegistration(MetCase<MetadataFaultKind::kFail>("metadata_call_fails")),
    ProbeCaseRegistration(MetCase<MetadataFaultKind::kLoseAnswer>("metadata_answer_lost")),
    ProbeCaseRegistration(MetCase<MetadataFaultKind::kApplyLate>("metadata_call_late")),
    ProbeCaseRegistration(MetCase<MetadataFaultKind::kDelay>("metadata_store_slow")),
    ProbeCaseRegistration(MetCase<MetadataFaultKind::kCutPages>("listing_cut")),
    ProbeCaseRegistration(CountCase<&Met::torn_scans>("scan_torn")),
    ProbeCaseRegistration(MetCase<MetadataFaultKind::kWatchLate>("watch_late")),
    ProbeCaseRegistration(MetCase<MetadataFaultKind::kWatchMissed>("watch_missed")),
    ProbeCaseRegistration(MetCase<MetadataFaultKind::kWatchTwice>("watch_twice")),
    ProbeCaseRegistration(CountCase<&Met::mixed_batches>("batch_partly_done")),
    ProbeCaseRegistration(CountCase<&Met::lock_waits>("write_lock_stopped")),
    ProbeCaseRegistration({"put_after_lease_gone", PutWithoutLease, PutWithAnotherLease}),
    ProbeCaseRegistration({"creation_time_jumps", CreatedAhead, CreatedInTime}),
    ProbeCaseRegistration({"clock_a_year_ahead", CreatedAYearAhead, CreatedAhead}),
    ProbeCaseRegistration(RestartCase<Operation::Kind::kAppend>("restarted_with_appends")),
    ProbeCaseRegistration(RestartCase<Operation::Kind::kRead>("restarted_with_reads")),
};

}  // namespace
}  // namespace lakestream::sim
