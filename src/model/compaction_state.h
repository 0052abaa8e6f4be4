#pragma once

#include <cstdint>
#include <string_view>

#include "base/time.h"

// What whoever reads the compaction record of a log does next. The specification asks that compaction index updates of
// one log never run at once, and leaves open how ("Compaction"); here it is the record, changed by CreateIfAbsent and
// CompareAndSet on the version that was read, and nothing else:
//
//   idle{next} -> working{owner, range, files} -> installing{owner, range, key, value} -> idle{next = end}
//
// C1 is checked before `working` and again before `installing`; C2 lies between them; C3 and C4 are done in
// `installing`, under a write lease; C5 is the step back to `idle`. docs/compaction.md tells why each rule is as it
// is, and tests/models runs these tables in every order of events.

namespace lakestream::model {

enum class CompactionState : std::uint8_t { kAbsent, kIdle, kWorking, kInstalling, kDropped };

/// The record as it was read, and what the asker knows of its owner.
struct CompactionFacts {
  CompactionState state = CompactionState::kAbsent;
  bool own = false;         ///< working, installing: the owner is the asker's session
  bool at_it = false;       ///< own: a task of this process is at it, and the version is the one that it wrote last
  bool complete = false;    ///< own, working: that task has written every file and every companion (C2)
  bool owner_lives = true;  ///< not own: false only where the store says that the owner's session has ended
  Duration unchanged{};     ///< how long the asker has seen this version, by its own clock
};

/// Where a compaction stands, as its asker sees it: the row of the table.
enum class CompactionStand : std::uint8_t {
  kAbsent,           ///< no record: as idle, from offset 0
  kIdle,
  kWorkingHere,      ///< a task of this process writes the files
  kWorkingComplete,  ///< a task of this process has written them
  kWorkingLost,      ///< this session's, and no task knows of it: an answer was lost, or the task failed
  kWorkingAlive,     ///< another session's, which lives
  kWorkingLate,      ///< the same, unchanged for work_deadline
  kWorkingEnded,     ///< another session's, which has ended
  kInstallingHere,
  kInstallingLost,
  kInstallingAlive,
  kInstallingLate,
  kInstallingEnded,
  kDropped,
};
inline constexpr int kCompactionStands = 14;

CompactionStand StandOf(const CompactionFacts& facts, Duration work_deadline);

/// What the asker knows besides: the column.
enum class CompactionView : std::uint8_t {
  kLogLives,      ///< as far as the asker knows
  kLogFenced,     ///< a write fence was seen: no lease can be had any more; index records may still be there
  kLogDeleted,    ///< the catalog has recorded that the log's index records are deleted
  kSessionEnded,  ///< the asker's own session has ended, or cannot be shown to live
};
inline constexpr int kCompactionViews = 4;

enum class CompactionAction : std::uint8_t {
  kClaim,         ///< plan a range (C1), and write `working` with the names of its files, before the first upload
  kGoOn,          ///< leave it to the task of this process that is at it
  kBeginInstall,  ///< check C1 again, then CAS to `installing`
  kInstall,       ///< the steps below
  kTakeOver,      ///< CAS the owner to the own session; after that, install
  kAbandon,       ///< CAS `working` to `idle{next = range.start}`; its files become garbage
  kMarkDropped,   ///< CAS to `dropped`; the files that it named become garbage
  kWait,          ///< another one is at it
  kLeave,         ///< nothing to do here
  kStartAgain,    ///< change nothing; get a session, and read the record again
};

/// The one place where this is decided. Every CAS is on the version that was read; one that fails, or whose answer is
/// lost, means: read the record again.
CompactionAction NextCompaction(CompactionStand stand, CompactionView view);

/// The steps of an installation, by the owner that a record in `installing` names.
enum class InstallStep : std::uint8_t {
  kLease,        ///< make a lease record, then look for a fence
  kGetKey,       ///< C3: Get of K(L, e, c_e)
  kPutRecord,    ///< C3: CompareAndSet of the PARQUET record on the version that the Get returned
  kDeleteRange,  ///< C4
  kFinish,       ///< C5: CAS to idle{next = e}, on the version that made this session the owner; then release the lease
};
inline constexpr int kInstallSteps = 5;

/// How a step ended.
enum class InstallEvent : std::uint8_t {
  kDone,          ///< lease: held, and no fence. Not of a Get: the next four tell more
  kKeyRaw,        ///< Get: the key holds a RAW record
  kKeyOurs,       ///< Get: it holds the value to install: an earlier attempt's
  kKeyAbsent,     ///< Get: no such key: a hard trim, or a deletion, has removed it
  kKeyForeign,    ///< Get: another PARQUET record
  kConflict,      ///< definitely not done: the version is another one, or the key is gone
  kRefused,       ///< definitely not done, for another reason
  kUnknown,       ///< the answer was lost: it may be done, or be done later
  kFenced,        ///< lease: there is a fence, or the look for it failed
  kSessionEnded,  ///< before or after the step
};
inline constexpr int kInstallEvents = 10;

enum class InstallAction : std::uint8_t {
  kDo,           ///< do the step `next`
  kRetry,        ///< the same after a pause
  kDone,         ///< compacted
  kLeave,        ///< release the lease; the record stays `installing`
  kReadAgain,    ///< release the lease; read the compaction record again: another one may own it
  kStartAgain,   ///< the lease is gone with its session; get another one, then read the record again
  kDamage,       ///< release the lease, report it, change nothing more
  kImpossible,   ///< this pair cannot occur
};

struct InstallCell {
  InstallStep next;
  InstallAction action;
  friend constexpr bool operator==(const InstallCell&, const InstallCell&) = default;
};

InstallCell NextInstall(InstallStep step, InstallEvent event);

std::string_view CompactionStateName(CompactionState state);
std::string_view CompactionStandName(CompactionStand stand);
std::string_view CompactionViewName(CompactionView view);
std::string_view CompactionActionName(CompactionAction action);
std::string_view InstallStepName(InstallStep step);
std::string_view InstallEventName(InstallEvent event);
std::string_view InstallActionName(InstallAction action);

}  // namespace lakestream::model
