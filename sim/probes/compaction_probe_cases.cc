#include "sim/testing/compaction_history.h"

// Traces with and without the events that the probes of compaction look for.

namespace lakestream::sim {
namespace {

using model::CompactionStand;
using model::CompactionView;
using model::InstallEvent;
using model::InstallStep;

/// Nothing dies and nobody reads.
MadeHistory Plain() { return Trimmed(); }

template <CompactionStand stand, CompactionView view = CompactionView::kLogLives>
MadeHistory Meets() {
  MadeHistory h = Plain();
  h.evidence.compaction_cells.next[static_cast<int>(stand)][static_cast<int>(view)] = 1;
  return h;
}
template <InstallStep step, InstallEvent event>
MadeHistory Takes() {
  MadeHistory h = Plain();
  h.evidence.compaction_cells.install[static_cast<int>(step)][static_cast<int>(event)] = 1;
  return h;
}

MadeHistory OneFile() {
  CompactionHistory h = Installing();
  h.files = {{Offset(4), "a.parquet"}};
  h.Install(CompactionHistory::kRange);
  return h;
}

/// The owner "s-1" is process "p.1".
MadeHistory Killed(CompactionHistory h, const std::string& process) {
  h.evidence.compactor_sessions["s-1"] = "p.1";
  h.Happened(Happening::Kind::kKilled, process);
  return h;
}
MadeHistory KilledWorking() { return Killed(Named(), "p.1"); }
MadeHistory AnotherKilledWorking() { return Killed(Named(), "q.1"); }
MadeHistory KilledBeforeC3() { return Killed(Installing(), "p.1"); }
MadeHistory KilledHalfDone() { return Killed(Installed(), "p.1"); }
MadeHistory KilledAfterwards() { return Killed(Compacted(), "p.1"); }

MadeHistory Outcome(CompactionOutcome::Kind kind, std::int64_t scratch_bytes) {
  MadeHistory h = Plain();
  CompactionPass& pass = h.evidence.passes.emplace_back();
  pass.totals.scratch_bytes = scratch_bytes;
  pass.outcomes.emplace_back().kind = kind;
  return h;
}
MadeHistory Spills() { return Outcome(CompactionOutcome::Kind::kCompacted, 1); }
MadeHistory FitsIntoMemory() { return Outcome(CompactionOutcome::Kind::kCompacted, 0); }
MadeHistory Trims() { return Outcome(CompactionOutcome::Kind::kTrimmed, 0); }

MadeHistory Quarantines() {
  CompactionHistory h = Appended();
  h.Compaction({CompactionIdle{Offset(2)}, {QuarantinedRange{{Offset(0), Offset(2)}, "missing"}}, {}});
  return h;
}

MadeHistory ReadsCompacted() {
  MadeHistory h = Compacted();
  h.Read(Offset(3), {Entry(4, Offset(3)), Entry(5, Offset(4))});
  return h;
}
MadeHistory ReadsAcross() {
  MadeHistory h = Compacted();
  h.Read(Offset(4), {Entry(5, Offset(4)), Entry(6, Offset(5))});
  return h;
}
MadeHistory ReadsRaw() {
  MadeHistory h = Compacted();
  h.Read(Offset(5), {Entry(6, Offset(5))});
  return h;
}
/// A read of the first entry, with `go_on` while it is under way.
MadeHistory Reads(CompactionHistory h, void (*go_on)(CompactionHistory&)) {
  Operation read = h.Begin(Operation::Kind::kRead);
  go_on(h);
  read.entries = {Entry(1, Offset(0))};
  h.End(read);
  h.evidence.operations.back() = read;
  return h;
}
MadeHistory CompactedMeanwhile() {
  return Reads(Installing(), [](CompactionHistory& h) { h.Install(CompactionHistory::kRange); });
}
MadeHistory NothingMeanwhile() { return Reads(Installed(), [](CompactionHistory&) {}); }
MadeHistory TrimmedMeanwhile() {
  return Reads(Compacted(), [](CompactionHistory& h) { h.RemoveRecord(Offset(5)); });
}

const ProbeCaseRegistration kRegistered[] = {
    ProbeCaseRegistration({"compacted_in_many_files", Plain, OneFile}),
    ProbeCaseRegistration({"compacted_read", ReadsCompacted, ReadsRaw}),
    ProbeCaseRegistration({"compacted_under_a_read", CompactedMeanwhile, NothingMeanwhile}),
    ProbeCaseRegistration({"compaction_killed_working", KilledWorking, AnotherKilledWorking}),
    ProbeCaseRegistration({"compaction_killed_before_c3", KilledBeforeC3, KilledHalfDone}),
    ProbeCaseRegistration({"compaction_killed_half_done", KilledHalfDone, KilledAfterwards}),
    ProbeCaseRegistration({"compaction_taken_over", Meets<CompactionStand::kInstallingEnded>, Plain}),
    ProbeCaseRegistration({"compaction_found_again", Meets<CompactionStand::kInstallingLost>, Plain}),
    ProbeCaseRegistration({"compaction_of_a_late_owner", Meets<CompactionStand::kInstallingLate>, Plain}),
    ProbeCaseRegistration({"compaction_given_up", Meets<CompactionStand::kWorkingEnded>,
                           Meets<CompactionStand::kWorkingAlive>}),
    ProbeCaseRegistration({"compaction_waits", Meets<CompactionStand::kWorkingAlive>, Plain}),
    ProbeCaseRegistration({"compaction_meets_a_fence",
                           Meets<CompactionStand::kInstallingHere, CompactionView::kLogFenced>,
                           Meets<CompactionStand::kInstallingHere>}),
    ProbeCaseRegistration({"compaction_quarantines", Quarantines, Plain}),
    ProbeCaseRegistration({"compaction_spills", Spills, FitsIntoMemory}),
    ProbeCaseRegistration({"install_lost_answer", Takes<InstallStep::kPutRecord, InstallEvent::kUnknown>, Plain}),
    ProbeCaseRegistration({"install_put_late", Takes<InstallStep::kPutRecord, InstallEvent::kConflict>, Plain}),
    ProbeCaseRegistration({"install_key_gone", Takes<InstallStep::kGetKey, InstallEvent::kKeyAbsent>, Plain}),
    ProbeCaseRegistration({"install_repeated", Takes<InstallStep::kGetKey, InstallEvent::kKeyOurs>, Plain}),
    ProbeCaseRegistration({"read_from_compacted_into_raw", ReadsAcross, ReadsCompacted}),
    ProbeCaseRegistration({"files_go_under_a_read", TrimmedMeanwhile, NothingMeanwhile}),
    ProbeCaseRegistration({"trimmed_first", Trims, FitsIntoMemory}),
};

}  // namespace
}  // namespace lakestream::sim
