#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "lakestream/status.h"
#include "lakestream/task.h"
#include "log/engine_options.h"
#include "meta/metadata_store.h"
#include "runtime/runtime.h"

namespace lakestream {

struct HeldLease;

/// The right to change one log, for as long as this object lives: one change that is under way
/// (specification, "Write leases and fences"). Copies count as changes of their own.
class LeaseUse {
 public:
  LeaseUse() = default;
  explicit LeaseUse(std::shared_ptr<HeldLease> lease);
  LeaseUse(const LeaseUse& other);
  LeaseUse(LeaseUse&& other) noexcept = default;
  LeaseUse& operator=(LeaseUse other) noexcept;
  ~LeaseUse();

  explicit operator bool() const { return lease_ != nullptr; }
  /// False once the session behind the lease may have ended, the log was seen fenced, or Invalidate was
  /// called: start nothing new under it.
  bool Usable() const;
  /// True when a fence was seen on the log.
  bool Fenced() const;
  /// Whether the log's entries are to share no object with those of other logs, as far as is known: at most
  /// WriterOptions::fence_poll late.
  bool Isolated() const;
  /// Tells leases of this process apart; 0 without a lease.
  std::uint64_t serial() const;
  const std::shared_ptr<MetadataSession>& session() const;
  /// The time by the clock of the store that keeps the log, in milliseconds since the Unix epoch: the creation time of
  /// the lease's record, and what has passed since the answer by the monotonic clock. Never ahead of that clock, unless
  /// it was set back since.
  std::int64_t StoreMillis(MonotonicTime now) const;
  /// Every later Acquire gets a new lease.
  void Invalidate() const;
  /// This change may still happen, now or later: the lease record stays until the session ends.
  void KeepForUnknownChange() const;

 private:
  std::shared_ptr<HeldLease> lease_;
};

struct LeaseStats {
  std::int64_t held = 0;      ///< right now
  std::int64_t taken = 0;
};

/// Takes write leases on first use, keeps them, and gives them up when idle: lease record first, then the
/// fence read (specification, A1). Knows which logs are isolated. One session for all leases; a lost one is replaced, and every log then
/// needs a new lease. Thread safety: any thread.
class LeaseKeeper {
 public:
  LeaseKeeper(Runtime& runtime, MetadataStore& meta, const WriterOptions& options);
  ~LeaseKeeper();

  /// Starts the background work: idle leases, fences and isolation of logs with held leases.
  void Start();
  /// Releases every lease without a change under way, and closes the session unless an unknown change
  /// needs it to stay until the process ends. Where the store cannot close it now, it is asked again until the context
  /// ends. Errors: the store's last answer; its own time, or its Stop, then ends the session.
  Task<Status> Stop(OpContext context);

  /// Errors: fenced (the log is being deleted), unavailable.
  Task<Result<LeaseUse>> Acquire(OpContext context, LogId log);

  LeaseStats stats() const;

 private:
  struct Parts;
  std::shared_ptr<Parts> parts_;
};

}  // namespace lakestream
