#include "model/section_state.h"
#include "format/log_isolation.h"
#include "sim/testing/made_history.h"

// Traces with and without what the probes look for.

namespace lakestream::sim {
namespace {

using model::SectionEvent;
using model::SectionState;

/// An ordinary run of one writer: two objects, two records, two answers, a read, a trim.
MadeHistory Plain() {
  MadeHistory h;
  h.Object("one");
  h.Record("one", {Entry(1, Offset(0))});
  h.Append(1, Offset(0));
  h.Object("two");
  h.Record("two", {Entry(2, Offset(1))});
  h.Append(2, Offset(1));
  h.Read(Offset(0), {Entry(1, Offset(0)), Entry(2, Offset(1))});
  h.Trim(Offset(0), Offset(0), Offset(1));
  h.Read(Offset(1), {Entry(2, Offset(1))}, Operation::Kind::kTail);
  h.Happened(Happening::Kind::kKilled);
  return h;
}

MadeHistory CrashBetweenPutAndIndex() {
  MadeHistory h = Plain();
  h.evidence.happenings.clear();
  h.Object("three");
  h.Happened(Happening::Kind::kKilled);
  return h;
}
MadeHistory KilledWithAppends() {
  MadeHistory h = Plain();
  h.Begin(Operation::Kind::kAppend).number = 3;
  return h;
}
MadeHistory UnansweredYetThere() {
  MadeHistory h = KilledWithAppends();
  h.Record("three", {Entry(3, Offset(2))});
  return h;
}
MadeHistory PutAfterDeath() {
  MadeHistory h = Plain();
  h.Record("two", {Entry(3, Offset(2))});
  return h;
}
MadeHistory ObjectOfManyLogs() {
  MadeHistory h = Plain();
  StoreEvent other = h.evidence.store.front();
  other.change.record.key = "00000000000000000002-00000000000000000001-00000000000000000010";
  other.of_log = LogChange::Of(other.change);
  h.evidence.store.push_back(other);
  return h;
}
/// An entry of log 1 while log `isolated` is.
MadeHistory AppendWhileIsolated(LogId isolated) {
  MadeHistory h = Plain();
  h.Store(LogIsolationKey(isolated), std::string(kLogIsolationValue), std::string(kLogIsolationPartition));
  h.Record("two", {Entry(3, Offset(2))});
  return h;
}
MadeHistory IsolatedAppend() { return AppendWhileIsolated(LogId(1)); }
MadeHistory AppendBesideIsolated() { return AppendWhileIsolated(LogId(2)); }
MadeHistory AppendAfterIsolation() {
  MadeHistory h = Plain();
  h.Store(LogIsolationKey(LogId(1)), std::string(kLogIsolationValue), std::string(kLogIsolationPartition));
  h.Remove(LogIsolationKey(LogId(1)));
  h.Record("two", {Entry(3, Offset(2))});
  return h;
}
MadeHistory TwoWriters() {
  MadeHistory h = Plain();
  h.Object("three", "q.1");
  h.Record("three", {Entry(3, Offset(2))});
  return h;
}
MadeHistory AppendFenced() {
  MadeHistory h = Plain();
  h.FailedAppend(3, Fenced("the log is being deleted"));
  return h;
}
MadeHistory DrainedUnderLoad() {
  MadeHistory h = Plain();
  Operation append = h.Begin(Operation::Kind::kAppend);
  h.evidence.deletions.push_back(Deletion{LogId(1), h.Next(), h.Next(), h.Next(), h.now()});
  h.End(append, Fenced("the log is being deleted"));
  h.evidence.operations.back() = append;
  return h;
}
MadeHistory DrainedBefore() {
  MadeHistory h = Plain();
  h.evidence.deletions.push_back(Deletion{LogId(1), h.Next(), h.Next(), h.Next(), h.now()});
  h.FailedAppend(3, Fenced("the log is being deleted"));
  return h;
}
MadeHistory TrimCapped() {
  MadeHistory h = Plain();
  h.Trim(Offset(9), Offset(1), Offset(1));
  return h;
}
MadeHistory ReadBelowMarker() {
  MadeHistory h = Plain();
  h.Read(Offset(0), {Entry(2, Offset(1))});
  return h;
}
MadeHistory TailWoke() {
  MadeHistory h = Plain();
  Operation tail = h.Begin(Operation::Kind::kTail);
  const std::size_t at = h.evidence.operations.size() - 1;
  h.Append(3, Offset(2));
  tail.entries = {Entry(3, Offset(2))};
  h.End(tail);
  h.evidence.operations[at] = tail;
  return h;
}

template <SectionState state, SectionEvent event>
MadeHistory Cell() {
  MadeHistory h = Plain();
  h.evidence.cells[static_cast<std::size_t>(state)][static_cast<std::size_t>(event)] = 1;
  return h;
}
/// Every other cell was taken.
template <SectionState state, SectionEvent event>
MadeHistory OtherCells() {
  MadeHistory h = Plain();
  for (auto& of_state : h.evidence.cells) of_state.fill(1);
  h.evidence.cells[static_cast<std::size_t>(state)][static_cast<std::size_t>(event)] = 0;
  return h;
}
template <SectionState state, SectionEvent event>
HistoryCase CellCase(const char* probe) {
  return HistoryCase{probe, Cell<state, event>, OtherCells<state, event>};
}

const ProbeCaseRegistration kRegistered[] = {
    ProbeCaseRegistration({"crash_between_put_and_index", CrashBetweenPutAndIndex, Plain}),
    ProbeCaseRegistration({"killed_with_appends", KilledWithAppends, Plain}),
    ProbeCaseRegistration({"unanswered_yet_there", UnansweredYetThere, KilledWithAppends}),
    ProbeCaseRegistration({"put_after_death", PutAfterDeath, Plain}),
    ProbeCaseRegistration({"isolated_append", IsolatedAppend, AppendBesideIsolated}),
    ProbeCaseRegistration({"isolated_append", IsolatedAppend, AppendAfterIsolation}),
    ProbeCaseRegistration({"object_of_many_logs", ObjectOfManyLogs, Plain}),
    ProbeCaseRegistration({"two_writers_of_one_log", TwoWriters, Plain}),
    ProbeCaseRegistration({"append_fenced", AppendFenced, Plain}),
    ProbeCaseRegistration({"drained_under_load", DrainedUnderLoad, DrainedBefore}),
    ProbeCaseRegistration({"trim_capped", TrimCapped, Plain}),
    ProbeCaseRegistration({"read_below_marker", ReadBelowMarker, Plain}),
    ProbeCaseRegistration({"tail_woke", TailWoke, Plain}),
    ProbeCaseRegistration(CellCase<SectionState::kUnknown, SectionEvent::kAnswer>("lost_answer_found")),
    ProbeCaseRegistration(CellCase<SectionState::kUnknown, SectionEvent::kDeadline>("lost_answer_given_up")),
    ProbeCaseRegistration(CellCase<SectionState::kIssued, SectionEvent::kDeadline>("unanswered_put")),
    ProbeCaseRegistration(CellCase<SectionState::kIssued, SectionEvent::kSessionLost>("session_lost_with_put_in_flight")),
    ProbeCaseRegistration(CellCase<SectionState::kWaiting, SectionEvent::kObjectTooOld>("age_rule_before_issue")),
    ProbeCaseRegistration(CellCase<SectionState::kIssued, SectionEvent::kObjectTooOld>("age_rule_at_last_check")),
    ProbeCaseRegistration(CellCase<SectionState::kIssued, SectionEvent::kLateAnswer>("late_answer")),
    ProbeCaseRegistration(CellCase<SectionState::kIssued, SectionEvent::kSessionRefused>("session_refused_put")),
    ProbeCaseRegistration(CellCase<SectionState::kIssued, SectionEvent::kLogDeleted>("log_deleted_seen")),
    ProbeCaseRegistration(CellCase<SectionState::kWaiting, SectionEvent::kSessionLost>("session_lost_while_waiting")),
    ProbeCaseRegistration(CellCase<SectionState::kWaiting, SectionEvent::kObjectFailed>("object_failed")),
};

}  // namespace
}  // namespace lakestream::sim
