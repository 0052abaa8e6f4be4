#include "model/section_state.h"

namespace lakestream::model {
namespace {

using A = SectionAction;
using S = SectionState;

constexpr SectionCell kNever(S state) { return SectionCell{state, A::kImpossible}; }
constexpr SectionCell kIgnore(S state) { return SectionCell{state, A::kNone}; }

constexpr std::array<std::array<SectionCell, kSectionEvents>, kSectionStates> kTable = {{
    // kWaiting
    {{
        {S::kIssued, A::kSend},         // kIssue
        kNever(S::kWaiting),            // kAnswer: nothing was sent
        kNever(S::kWaiting),            // kLateAnswer
        kNever(S::kWaiting),            // kLogDeleted
        kNever(S::kWaiting),            // kRefused
        kNever(S::kWaiting),            // kRejected
        kNever(S::kWaiting),            // kLostAnswer
        kNever(S::kWaiting),            // kDeadline
        {S::kWaiting, A::kMoveObject},  // kObjectTooOld
        {S::kWaiting, A::kMoveObject},  // kSessionLost: a new lease comes before a new object (A1, A2)
        kNever(S::kWaiting),            // kSessionRefused
        {S::kFailed, A::kFail},         // kObjectFailed
        {S::kFailed, A::kFail},         // kProcessStopped: nothing was sent
    }},
    // kIssued
    {{
        kNever(S::kIssued),                 // kIssue: a put is issued once
        {S::kCommitted, A::kAcknowledge},   // kAnswer
        {S::kUnknown, A::kReportDamage},    // kLateAnswer
        {S::kFailed, A::kAnswerDeleted},    // kLogDeleted
        {S::kWaiting, A::kRetrySoon},       // kRefused: definite, so it is waiting again
        {S::kFailed, A::kFail},             // kRejected
        {S::kUnknown, A::kPark},            // kLostAnswer
        {S::kUnknown, A::kPark},            // kDeadline
        {S::kWaiting, A::kMoveObject},      // kObjectTooOld: the last check dropped it, definitely
        {S::kIssued, A::kCheckFence},       // kSessionLost: its answer still decides
        {S::kWaiting, A::kMoveObject},      // kSessionRefused: dropped, definitely
        kNever(S::kIssued),                 // kObjectFailed: its object is durable
        {S::kUnknown, A::kGiveUp},          // kProcessStopped
    }},
    // kCommitted
    {{
        kNever(S::kCommitted), kNever(S::kCommitted), kNever(S::kCommitted), kNever(S::kCommitted),
        kNever(S::kCommitted), kNever(S::kCommitted), kNever(S::kCommitted), kNever(S::kCommitted),
        kNever(S::kCommitted),
        kIgnore(S::kCommitted),  // kSessionLost
        kNever(S::kCommitted), kNever(S::kCommitted),
        kIgnore(S::kCommitted),  // kProcessStopped
    }},
    // kFailed
    {{
        kNever(S::kFailed), kNever(S::kFailed), kNever(S::kFailed), kNever(S::kFailed), kNever(S::kFailed),
        kNever(S::kFailed), kNever(S::kFailed), kNever(S::kFailed), kNever(S::kFailed),
        kIgnore(S::kFailed),  // kSessionLost
        kNever(S::kFailed), kNever(S::kFailed),
        kIgnore(S::kFailed),  // kProcessStopped
    }},
    // kUnknown
    {{
        kNever(S::kUnknown),               // kIssue: an unknown put is never sent again
        {S::kCommitted, A::kAcknowledge},  // kAnswer: its record was found
        {S::kUnknown, A::kReportDamage},   // kLateAnswer
        {S::kFailed, A::kAnswerDeleted},   // kLogDeleted: its record was found, and so was a fence
        kNever(S::kUnknown),               // kRefused: absence proves nothing
        kNever(S::kUnknown),               // kRejected
        kNever(S::kUnknown),               // kLostAnswer
        {S::kUnknown, A::kGiveUp},         // kDeadline: settle_time
        kNever(S::kUnknown),               // kObjectTooOld: nothing is sent any more
        {S::kUnknown, A::kCheckFence},     // kSessionLost: a record that is found waits for the fence, too
        kNever(S::kUnknown),               // kSessionRefused
        kNever(S::kUnknown),               // kObjectFailed
        {S::kUnknown, A::kGiveUp},         // kProcessStopped
    }},
}};

}  // namespace

SectionCell NextSection(SectionState state, SectionEvent event) {
  return kTable[static_cast<std::size_t>(state)][static_cast<std::size_t>(event)];
}

std::string_view SectionStateName(SectionState state) {
  constexpr std::array<std::string_view, kSectionStates> kNames = {"waiting", "issued", "committed", "failed",
                                                                   "unknown"};
  return kNames[static_cast<std::size_t>(state)];
}

std::string_view SectionEventName(SectionEvent event) {
  constexpr std::array<std::string_view, kSectionEvents> kNames = {
      "issue",       "answer",   "late answer",    "log deleted",  "refused",       "rejected",
      "lost answer", "deadline", "object too old", "session lost", "session refused", "object failed", "process stopped"};
  return kNames[static_cast<std::size_t>(event)];
}

std::string_view SectionActionName(SectionAction action) {
  constexpr std::array<std::string_view, 12> kNames = {
      "none",          "send", "acknowledge", "move object",   "retry soon",  "fail",
      "answer deleted", "park", "give up",     "report damage", "check fence", "impossible"};
  return kNames[static_cast<std::size_t>(action)];
}

}  // namespace lakestream::model
