#include "model/compaction_state.h"

#include <array>

#include "base/invariant.h"

namespace lakestream::model {
namespace {

using A = CompactionAction;
using I = InstallAction;
using S = InstallStep;

constexpr std::array<std::array<CompactionAction, kCompactionViews>, kCompactionStands> kTable = {{
    // log lives, log fenced, log deleted, own session ended
    {{A::kClaim, A::kLeave, A::kLeave, A::kStartAgain}},               // kAbsent
    {{A::kClaim, A::kLeave, A::kMarkDropped, A::kStartAgain}},         // kIdle: so that no late claim comes
    {{A::kGoOn, A::kAbandon, A::kMarkDropped, A::kStartAgain}},        // kWorkingHere
    {{A::kBeginInstall, A::kAbandon, A::kMarkDropped, A::kStartAgain}},  // kWorkingComplete
    {{A::kAbandon, A::kAbandon, A::kMarkDropped, A::kStartAgain}},     // kWorkingLost
    {{A::kWait, A::kLeave, A::kMarkDropped, A::kStartAgain}},          // kWorkingAlive
    {{A::kAbandon, A::kAbandon, A::kMarkDropped, A::kStartAgain}},     // kWorkingLate: its CAS to installing will fail
    {{A::kAbandon, A::kAbandon, A::kMarkDropped, A::kStartAgain}},     // kWorkingEnded
    // From here on C3 may have taken effect: the files are garbage only when the log is deleted, never for a fence.
    {{A::kInstall, A::kLeave, A::kMarkDropped, A::kStartAgain}},       // kInstallingHere
    {{A::kTakeOver, A::kLeave, A::kMarkDropped, A::kStartAgain}},      // kInstallingLost: an own CAS may be on its way
    {{A::kWait, A::kLeave, A::kMarkDropped, A::kStartAgain}},          // kInstallingAlive
    {{A::kWait, A::kLeave, A::kMarkDropped, A::kStartAgain}},          // kInstallingLate: it may be at C3 this moment
    {{A::kTakeOver, A::kLeave, A::kMarkDropped, A::kStartAgain}},      // kInstallingEnded
    {{A::kLeave, A::kLeave, A::kLeave, A::kStartAgain}},               // kDropped
}};

constexpr InstallCell kNever(S step) { return InstallCell{step, I::kImpossible}; }

constexpr std::array<std::array<InstallCell, kInstallEvents>, kInstallSteps> kInstallTable = {{
    // kLease
    {{
        {S::kGetKey, I::kDo},         // kDone
        kNever(S::kLease),            // kKeyRaw
        kNever(S::kLease),            // kKeyOurs
        kNever(S::kLease),            // kKeyAbsent
        kNever(S::kLease),            // kKeyForeign
        kNever(S::kLease),            // kConflict: every lease has a token of its own
        {S::kLease, I::kRetry},       // kRefused
        {S::kLease, I::kRetry},       // kUnknown: under another token; the first goes with the session at the latest
        {S::kLease, I::kLeave},       // kFenced
        {S::kLease, I::kStartAgain},  // kSessionEnded
    }},
    // kGetKey
    {{
        kNever(S::kGetKey),
        {S::kPutRecord, I::kDo},       // kKeyRaw
        {S::kDeleteRange, I::kDo},     // kKeyOurs
        {S::kDeleteRange, I::kDo},     // kKeyAbsent: C3 is skipped, C4 is not
        {S::kGetKey, I::kDamage},      // kKeyForeign: a PARQUET record is never replaced
        kNever(S::kGetKey),            // kConflict
        {S::kGetKey, I::kRetry},       // kRefused
        {S::kGetKey, I::kRetry},       // kUnknown
        kNever(S::kGetKey),            // kFenced: a fence only stops new attempts
        {S::kGetKey, I::kStartAgain},  // kSessionEnded
    }},
    // kPutRecord
    {{
        {S::kDeleteRange, I::kDo},  // kDone
        kNever(S::kPutRecord), kNever(S::kPutRecord), kNever(S::kPutRecord), kNever(S::kPutRecord),
        {S::kGetKey, I::kDo},             // kConflict
        {S::kGetKey, I::kRetry},          // kRefused
        {S::kGetKey, I::kRetry},          // kUnknown: of two Puts on one version one is done at most
        kNever(S::kPutRecord),            // kFenced
        {S::kPutRecord, I::kStartAgain},  // kSessionEnded
    }},
    // kDeleteRange
    {{
        {S::kFinish, I::kDo},  // kDone
        kNever(S::kDeleteRange), kNever(S::kDeleteRange), kNever(S::kDeleteRange), kNever(S::kDeleteRange),
        kNever(S::kDeleteRange),            // kConflict: it carries no condition
        {S::kDeleteRange, I::kRetry},       // kRefused
        {S::kDeleteRange, I::kRetry},       // kUnknown: the same keys go twice, and none comes back
        kNever(S::kDeleteRange),            // kFenced
        {S::kDeleteRange, I::kStartAgain},  // kSessionEnded
    }},
    // kFinish
    {{
        {S::kFinish, I::kDone},  // kDone
        kNever(S::kFinish), kNever(S::kFinish), kNever(S::kFinish), kNever(S::kFinish),
        {S::kFinish, I::kReadAgain},   // kConflict: a displaced owner
        {S::kFinish, I::kRetry},       // kRefused
        {S::kFinish, I::kReadAgain},   // kUnknown
        kNever(S::kFinish),            // kFenced
        {S::kFinish, I::kStartAgain},  // kSessionEnded: the record says whether it was done
    }},
}};

template <class Enum, std::size_t n>
std::string_view NameOf(const std::array<std::string_view, n>& names, Enum value) {
  return names[static_cast<std::size_t>(value)];
}

}  // namespace

CompactionStand StandOf(const CompactionFacts& facts, Duration work_deadline) {
  using Stand = CompactionStand;
  switch (facts.state) {
    case CompactionState::kAbsent: return Stand::kAbsent;
    case CompactionState::kIdle: return Stand::kIdle;
    case CompactionState::kDropped: return Stand::kDropped;
    case CompactionState::kWorking:
      if (facts.own && facts.at_it) return facts.complete ? Stand::kWorkingComplete : Stand::kWorkingHere;
      if (facts.own) return Stand::kWorkingLost;
      if (!facts.owner_lives) return Stand::kWorkingEnded;
      return facts.unchanged >= work_deadline ? Stand::kWorkingLate : Stand::kWorkingAlive;
    case CompactionState::kInstalling:
      if (facts.own) return facts.at_it ? Stand::kInstallingHere : Stand::kInstallingLost;
      if (!facts.owner_lives) return Stand::kInstallingEnded;
      return facts.unchanged >= work_deadline ? Stand::kInstallingLate : Stand::kInstallingAlive;
  }
  DieInvariant("facts.state", "a compaction record has one of five states");
}

CompactionAction NextCompaction(CompactionStand stand, CompactionView view) {
  return kTable[static_cast<std::size_t>(stand)][static_cast<std::size_t>(view)];
}

InstallCell NextInstall(InstallStep step, InstallEvent event) {
  return kInstallTable[static_cast<std::size_t>(step)][static_cast<std::size_t>(event)];
}

std::string_view CompactionStateName(CompactionState state) {
  constexpr std::array<std::string_view, 5> kNames = {"absent", "idle", "working", "installing", "dropped"};
  return NameOf(kNames, state);
}

std::string_view CompactionStandName(CompactionStand stand) {
  constexpr std::array<std::string_view, kCompactionStands> kNames = {
      "absent",          "idle",            "working here",     "working complete", "working lost",
      "working alive",   "working late",    "working ended",    "installing here",  "installing lost",
      "installing alive", "installing late", "installing ended", "dropped"};
  return NameOf(kNames, stand);
}

std::string_view CompactionViewName(CompactionView view) {
  constexpr std::array<std::string_view, kCompactionViews> kNames = {"log lives", "log fenced", "log deleted",
                                                                     "session ended"};
  return NameOf(kNames, view);
}

std::string_view CompactionActionName(CompactionAction action) {
  constexpr std::array<std::string_view, 10> kNames = {"claim",     "go on",   "begin install", "install",
                                                       "take over", "abandon", "mark dropped",  "wait",
                                                       "leave",     "start again"};
  return NameOf(kNames, action);
}

std::string_view InstallStepName(InstallStep step) {
  constexpr std::array<std::string_view, kInstallSteps> kNames = {"lease", "get key", "put record", "delete range",
                                                                  "finish"};
  return NameOf(kNames, step);
}

std::string_view InstallEventName(InstallEvent event) {
  constexpr std::array<std::string_view, kInstallEvents> kNames = {
      "done",     "key raw", "key ours", "key absent", "key foreign",
      "conflict", "refused", "unknown",  "fenced",     "session ended"};
  return NameOf(kNames, event);
}

std::string_view InstallActionName(InstallAction action) {
  constexpr std::array<std::string_view, 8> kNames = {"do",         "retry",       "done",   "leave",
                                                      "read again", "start again", "damage", "impossible"};
  return NameOf(kNames, action);
}

}  // namespace lakestream::model
