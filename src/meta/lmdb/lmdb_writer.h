#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "meta/lmdb/change_hub.h"
#include "meta/lmdb/change_page.h"
#include "meta/lmdb/lmdb_map.h"
#include "meta/lmdb/session_locks.h"
#include "meta/lmdb/write_txn.h"
#include "runtime/runtime.h"

namespace lakestream {

/// Writes that travel together: one transaction holds all of them. Each has its own answer.
struct WriteRequest {
  WriteRequest(Executor& executor, OpContext c) : context(std::move(c)), done(executor) {}
  OpContext context;
  std::vector<WriteOp> ops;
  Event done;
  /// Not ok: none of the writes was done, or, where it is indeterminate, all or none.
  Status status;

  // The writer's own, under its lock.
  enum class State { kQueued, kClaimed, kAnswered, kDropped };
  State state = State::kQueued;
  bool overdue = false;  ///< its caller waits beyond the context's end, for a definite answer
  std::list<std::shared_ptr<WriteRequest>>::iterator place;
};

/// The one writer of an environment: at most one job of the blocking pool at a time takes the write lock, then all
/// that is queued, and commits it with one fsync. Thread safety: any thread.
class LmdbWriter : public std::enable_shared_from_this<LmdbWriter> {
 public:
  LmdbWriter(Runtime& runtime, std::string directory, LmdbMap& map, SessionLocks& locks, ChangeHub& hub,
             ChangePage& page);

  /// What keeps the map, the locks, hub and page alive while a job runs.
  void SetOwner(std::weak_ptr<void> owner) { owner_ = std::move(owner); }

  /// Queues the request and waits. ok: each write has its own status. A request that still waits for the write
  /// lock when its context ends is dropped, so that it never happens; it is unavailable, with the holder's name,
  /// where another process has the lock. Errors also: resource_exhausted (queue, disk), unavailable, indeterminate
  /// (I/O error of a commit, after which nothing more is written).
  Task<Status> Execute(OpContext context, std::shared_ptr<WriteRequest> request);

  /// Refuses new requests and waits for the running job. A job that is stuck behind the write lock is left alone
  /// when the context ends: unavailable.
  Task<Status> Stop(OpContext context);

  struct Stats {
    std::uint64_t commits = 0;
    std::uint64_t operations = 0;
    std::uint64_t sessions_ended = 0;
  };
  Stats stats() const;

 private:
  using Request = std::shared_ptr<WriteRequest>;
  using Batch = std::vector<Request>;
  class DropOnExit;

  Status Enqueue(const Request& request);
  /// False where the writer has claimed it already.
  bool Drop(const Request& request);
  Status WhyLate(const Status& waited) const;
  Status HeldByOthers(Status status) const;

  // On the pool.
  void Run();
  bool GoIdle();
  Batch Claim();
  void RunBatch(MDB_txn* txn, const Batch& batch);
  int ApplyAll(WriteTxn& work, const Batch& batch, Status* refused);
  void AfterCommit(WriteTxn& work, const Batch& batch);
  void AfterFailure(const Batch& batch, int rc, bool committing);
  void Requeue(const Batch& batch);
  void Answer(const Batch& batch, const Status& status);
  void FailQueued(const Status& status);
  void Break(int rc);
  void WarnOfClock(std::int64_t behind_ms);
  Status DiskFull(int rc) const;

  Runtime& runtime_;
  const std::string directory_;
  LmdbMap& map_;
  SessionLocks& locks_;
  ChangeHub& hub_;
  ChangePage& page_;
  std::weak_ptr<void> owner_;

  mutable std::mutex mutex_;
  std::list<Request> queue_;
  bool running_ = false;
  bool stopping_ = false;
  bool one_at_a_time_ = false;  ///< the last batch was too large for one transaction
  Status broken_;
  Stats stats_;
  std::shared_ptr<Event> idle_;
  bool warned_of_clock_ = false;
  MonotonicTime next_reader_check_;
};

}  // namespace lakestream
