#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "format/index_key.h"
#include "log/compactor/cell_counter.h"
#include "log/compactor/claim_keeper.h"
#include "log/compactor/compaction_look.h"
#include "log/compactor/compactor.h"
#include "log/compactor/range_work.h"

namespace lakestream {

/// Since when a compaction record has not changed, as this process has seen it. Thread safety: any thread.
class UnchangedTimes {
 public:
  Duration Saw(LogId log, std::int64_t version, MonotonicTime now) {
    const std::lock_guard lock(mutex_);
    Seen& seen = seen_.try_emplace(log, Seen{version, now}).first->second;
    if (seen.version != version) seen = Seen{version, now};
    return now - seen.since;
  }
  void Forget(LogId log) {
    const std::lock_guard lock(mutex_);
    seen_.erase(log);
  }

 private:
  struct Seen {
    std::int64_t version;
    MonotonicTime since;
  };
  std::mutex mutex_;
  std::map<LogId, Seen> seen_;
};

/// Leases under which an index change of an installation may still happen: without them the log would be free to be
/// deleted. Done once more to its end, the installation leaves nothing for a late one to do: the key has another version
/// then, and what C4 removes never comes back. Thread safety: any thread.
class UnsettledLeases {
 public:
  ~UnsettledLeases() {
    for (const auto& [log, lease] : held_) lease.KeepForUnknownChange();
  }
  void Hold(LogId log, LeaseUse lease) {
    const std::lock_guard lock(mutex_);
    held_.emplace(log, std::move(lease));
  }
  void LetGo(LogId log) {
    const std::lock_guard lock(mutex_);
    held_.erase(log);
  }

 private:
  std::mutex mutex_;
  std::multimap<LogId, LeaseUse> held_;
};

/// What the jobs of a compactor share. Thread safety: any thread.
struct CompactorShared {
  CompactorShared(CompactorParts p, CompactorOptions o)
      : parts(p), options(std::move(o)), claims(p.runtime, p.meta, p.sessions, options.session_timeout) {}

  const CompactorParts parts;
  const CompactorOptions options;
  ClaimKeeper claims;
  CellCounter cells;
  UnchangedTimes unchanged;
  UnsettledLeases unsettled;
};

/// One log in one pass. Each turn reads the compaction record and does what model::NextCompaction says of it; whatever
/// becomes of a change, the next turn reads again. One caller at a time.
class LogJob {
 public:
  /// `shared` outlives this.
  LogJob(CompactorShared& shared, LogId log) : shared_(shared), log_(log) { outcome_.log = log; }

  /// Turns until the job is over or needs files. Call it again once it has them.
  Task<void> Advance(OpContext context);

  bool wants_files() const { return wants_files_; }
  std::int64_t bytes() const { return decision_.bytes(); }
  std::int64_t index_records() const { return decision_.index_records; }
  /// Requires: wants_files(); once.
  RangeWork TakeWork() { return std::move(work_); }
  void GiveFiles(RangeFiles files);

  /// It has an outcome; else it was interrupted.
  bool over() const { return over_; }
  const CompactionOutcome& outcome() const { return outcome_; }
  /// kStuck, but the next pass may try again at once: what was in the way is quarantined, or the range was taken away.
  bool again_at_once() const { return again_at_once_; }
  /// The session's end, or its context's.
  const Status& interrupted() const { return interrupted_; }

 private:
  Task<Status> Turn(OpContext context);
  Task<Status> Act(OpContext context, model::CompactionAction action, CompactionLook look);
  model::CompactionAction Decide(const CompactionLook& look);

  Task<Status> Claim(OpContext context, CompactionLook look);
  Task<Status> EnsureClaim(OpContext context);
  Task<Status> TrimFirst(OpContext context);
  Task<Status> BeginWork(OpContext context, CompactionLook look);
  Task<Status> BeginInstall(OpContext context, CompactionLook look);
  Task<Status> Install(OpContext context, CompactionLook look);
  Task<Status> TakeOver(OpContext context, CompactionLook look);
  Task<Status> Abandon(OpContext context, CompactionLook look);
  Task<Result<std::optional<QuarantinedRange>>> Damage(OpContext context);
  /// Puts this state into the record. Not ok: no further turn helps.
  Task<Status> Swap(OpContext context, CompactionLook look, CompactionRecord next);
  Task<Status> Pause(OpContext context);
  void ForgetFiles();

  void End(CompactionOutcome::Kind kind);
  void EndStuck(const Status& why);
  void EndCompacted(const CompactionRecord& record);

  CompactorShared& shared_;
  const LogId log_;
  std::shared_ptr<MetadataSession> session_;
  std::optional<std::int64_t> claimed_ms_;  ///< the store's time when this job made its claim
  std::optional<std::string> written_;      ///< the record as this task wrote it last, or tried to
  std::optional<std::int64_t> unsettled_;   ///< a swap on this version may still happen; -1: a creation
  /// The record may name this session: until a look has shown that it does not, and after each swap that would.
  bool owns_ = true;
  bool marked_ = false;                     ///< no swap of `working` (a broken rule)
  int pauses_ = 0;

  model::CompactionDecision decision_;
  IndexKey key_;                   ///< of the range's last record
  RangeWork work_;
  std::vector<RangeRecord> keys_;  ///< of the range's records what a damaged one needs: key and span
  bool wants_files_ = false;
  std::optional<RangeFiles> files_;
  bool worked_ = false;            ///< files were written: another range is the next pass's
  Status failure_;                 ///< of the work: what is left is to give it up
  std::optional<Offset> installed_to_;

  bool over_ = false;
  bool again_at_once_ = false;
  Status interrupted_;
  CompactionOutcome outcome_;
};

}  // namespace lakestream
