#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "lakestream/status.h"
#include "lakestream/task.h"
#include "log/lease/lease_keeper.h"
#include "log/log_homes.h"
#include "meta/metadata_store.h"
#include "model/retention.h"
#include "objstore/object_store.h"
#include "runtime/runtime.h"

namespace lakestream {

struct RetainerOptions {
  bool dry_run = false;   ///< say what would be done, by this process's clock, and change nothing
  int logs_at_once = 8;   ///< 1 or more
  std::int64_t cache_bytes = std::int64_t{32} << 20;  ///< of directories and companions
  /// A RAW record stays so long in the index: a writer may look for it after a lost answer (WriterOptions::settle_time).
  Duration settle_time = std::chrono::seconds(60);
};

/// What a retainer works on. All of it outlives the retainer.
struct RetainerParts {
  Runtime& runtime;
  MetadataStore& meta;
  ObjectStore& wal;
  ObjectStore& compacted;
  LeaseKeeper& leases;
  LogHomes& homes;
};

/// A log, and what its stream asks for.
struct RetainedLog {
  LogId log;
  model::RetentionRules rules;
};

/// What was done for a log, or of a dry run what would be.
struct RetentionOutcome {
  enum class Kind : std::uint8_t {
    kKept,     ///< there was nothing to do
    kTrimmed,  ///< entries were trimmed, or what was trimmed before was removed, or both
    kFenced,   ///< the log is being deleted: nothing was done
    kFailed,   ///< `status` says why. What the numbers tell was done all the same
  };
  LogId log;
  Kind kind = Kind::kKept;
  Offset before;             ///< the trim marker found
  Offset after;              ///< the trim marker now
  /// Of the last entry that retention has let go; kNone where it let none go, even if somebody else has.
  model::RetentionReason reason = model::RetentionReason::kNone;
  bool capped = false;       ///< the log's last record would go as well, but has to stay
  std::int64_t records = 0;  ///< trimmed by this
  std::int64_t bytes = 0;    ///< their payload (see RetentionLook::bytes)
  std::int64_t kept_records = 0;
  std::int64_t kept_bytes = 0;
  std::int64_t index_records = 0;    ///< removed, with their compacted files
  std::int64_t files = 0;            ///< compacted files removed, each with its companion
  std::int64_t reclaimed_bytes = 0;  ///< payload bytes that these index records told of
  Status status;             ///< kFailed
};
std::string_view RetentionOutcomeName(RetentionOutcome::Kind kind);

/// Called once for each log that a pass took, as soon as it is done with it, one call at a time.
using RetentionObserver = std::function<void(const RetentionOutcome&)>;

/// Lets go what the logs of a deployment need not keep: moves trim markers by what the rules say (model/retention.h),
/// then removes what lies below them, compacted files before the index records that name them. docs/retention.md has
/// the rules. Any number of retainers in any number of processes may be at the same logs. Thread safety: any thread.
class Retainer {
 public:
  Retainer(RetainerParts parts, RetainerOptions options);
  ~Retainer();

  /// Each log once. What fails of one log stops no other. Errors: invalid_argument (a negative log), and then nothing
  /// is done; cancelled or deadline_exceeded, with outcomes for the logs that were done.
  Task<Status> Pass(OpContext context, std::vector<RetainedLog> logs, RetentionObserver observer);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace lakestream
