#include "model/section_state.h"
#include "sim/probes/probe.h"

namespace lakestream::sim {
namespace {

using model::SectionEvent;
using model::SectionState;

template <SectionState state, SectionEvent event>
bool Taken(const Evidence& evidence) {
  return evidence.cells[static_cast<std::size_t>(state)][static_cast<std::size_t>(event)] > 0;
}

const ProbeRegistration kRegistered[] = {
    ProbeRegistration({"lost_answer_found", "the answer to an index put was lost, and its record found",
                       Taken<SectionState::kUnknown, SectionEvent::kAnswer>}),
    ProbeRegistration({"lost_answer_given_up", "a lost answer stays indeterminate, and its lease is kept",
                       Taken<SectionState::kUnknown, SectionEvent::kDeadline>}),
    ProbeRegistration({"unanswered_put", "an index put has no answer within its deadline",
                       Taken<SectionState::kIssued, SectionEvent::kDeadline>}),
    ProbeRegistration({"session_lost_with_put_in_flight", "an answer comes when the session is suspect",
                       Taken<SectionState::kIssued, SectionEvent::kSessionLost>}),
    ProbeRegistration({"age_rule_before_issue", "an object is too old before its put is issued",
                       Taken<SectionState::kWaiting, SectionEvent::kObjectTooOld>}),
    ProbeRegistration({"age_rule_at_last_check", "an object is too old at the last check, inside the store",
                       Taken<SectionState::kIssued, SectionEvent::kObjectTooOld>}),
    ProbeRegistration({"late_answer", "an answer comes when half of the grace is over",
                       Taken<SectionState::kIssued, SectionEvent::kLateAnswer>}),
    ProbeRegistration({"session_refused_put", "a put is refused because its session has ended",
                       Taken<SectionState::kIssued, SectionEvent::kSessionRefused>}),
    ProbeRegistration({"log_deleted_seen", "a writer learns from its answer that the log was deleted",
                       Taken<SectionState::kIssued, SectionEvent::kLogDeleted>}),
    ProbeRegistration({"session_lost_while_waiting", "a section waits when its session is lost",
                       Taken<SectionState::kWaiting, SectionEvent::kSessionLost>}),
    ProbeRegistration({"object_failed", "an object could not be written, and its appends fail",
                       Taken<SectionState::kWaiting, SectionEvent::kObjectFailed>}),
};

}  // namespace
}  // namespace lakestream::sim
