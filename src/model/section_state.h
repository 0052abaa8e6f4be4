#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace lakestream::model {

/// Where one log's part of a WAL object stands, from being laid out to its end.
enum class SectionState : std::uint8_t {
  kWaiting,    ///< no index put for it is under way: it may move to a new object
  kIssued,     ///< its index put was handed to the store: never again moved or issued
  kCommitted,  ///< acknowledged
  kFailed,     ///< definitely not appended
  kUnknown,    ///< its index put may have committed, or may commit later; its log is parked
};
inline constexpr int kSectionStates = 5;

enum class SectionEvent : std::uint8_t {
  kIssue,           ///< its turn has come: head of its log, object durable, log not parked
  kAnswer,          ///< its index record is committed; the object is young enough
  kLateAnswer,      ///< its index record is committed, but the object is older than grace/2
  kLogDeleted,      ///< committed at or below the log end known before, or behind a fence
  kRefused,         ///< the store says that the put was not done, and a retry may help
  kRejected,        ///< the store says that the put was not done, and never will be
  kLostAnswer,      ///< the store cannot say
  kDeadline,        ///< issued: unanswered for index_deadline; unknown: settle_time is over
  kObjectTooOld,    ///< the age rule stopped the put before it was sent
  kSessionLost,     ///< the lease's session ended, or cannot be shown to live
  kSessionRefused,  ///< the last check dropped the put because its session has ended
  kObjectFailed,    ///< the object could not be written, or no lease could be had
  kProcessStopped,  ///< the writer stops and has no more time
};
inline constexpr int kSectionEvents = 13;

enum class SectionAction : std::uint8_t {
  kNone,
  kSend,           ///< hand the put to the store
  kAcknowledge,    ///< answer every entry ok
  kMoveObject,     ///< write the entries again in a new object, under a lease that is good then
  kRetrySoon,      ///< the same put again, after a pause
  kFail,           ///< answer every entry: not appended
  kAnswerDeleted,  ///< answer every entry indeterminate: it was stored, and goes with its log
  kPark,           ///< park the log and look for the record
  kGiveUp,         ///< answer every entry indeterminate, keep the lease, unpark the log
  kReportDamage,   ///< answer every entry indeterminate and report that a record may lose its object
  kCheckFence,     ///< judge the answer, when it comes, only after a look at the fence
  kImpossible,     ///< this pair cannot occur: the engine stops if it does
};

struct SectionCell {
  SectionState next;
  SectionAction action;
  friend constexpr bool operator==(const SectionCell&, const SectionCell&) = default;
};

/// What each event does in each state. The one place where this is decided.
SectionCell NextSection(SectionState state, SectionEvent event);

std::string_view SectionStateName(SectionState state);
std::string_view SectionEventName(SectionEvent event);
std::string_view SectionActionName(SectionAction action);

}  // namespace lakestream::model
