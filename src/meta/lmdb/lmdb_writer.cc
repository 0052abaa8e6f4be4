#include "meta/lmdb/lmdb_writer.h"

#include <sys/statvfs.h>

#include <cerrno>
#include <utility>

#include "base/invariant.h"
#include "base/logging.h"
#include "base/try.h"

namespace lakestream {
namespace {

constexpr std::size_t kMaxQueued = 100'000;
constexpr std::size_t kMaxBatchOps = 20'000;
constexpr std::size_t kMaxBatchBytes = std::size_t{32} << 20;
constexpr std::int64_t kClockBehindMs = 3'600'000;
constexpr Duration kReaderCheckEvery = std::chrono::seconds(60);

std::size_t BytesOf(const WriteRequest& request) {
  std::size_t bytes = 0;
  for (const WriteOp& op : request.ops) bytes += op.key.size() + op.value.size();
  return bytes;
}

std::uint64_t FreeBytes(const std::string& directory) {
  struct statvfs info {};
  statvfs(directory.c_str(), &info);
  return static_cast<std::uint64_t>(info.f_bavail) * info.f_frsize;
}

/// LMDB calls a write that was cut short an I/O error, so the free space decides what that was.
bool IsDiskFull(int rc, const std::string& directory) {
  constexpr std::uint64_t kNothingLeft = std::uint64_t{1} << 20;
  return rc == ENOSPC || rc == EDQUOT || (rc == EIO && FreeBytes(directory) < kNothingLeft);
}

}  // namespace

/// A caller whose coroutine goes away while it waits takes its request with it.
class LmdbWriter::DropOnExit {
 public:
  DropOnExit(LmdbWriter& writer, Request request) : writer_(writer), request_(std::move(request)) {}
  DropOnExit(const DropOnExit&) = delete;
  DropOnExit& operator=(const DropOnExit&) = delete;
  ~DropOnExit() { writer_.Drop(request_); }

 private:
  LmdbWriter& writer_;
  Request request_;
};

LmdbWriter::LmdbWriter(Runtime& runtime, std::string directory, LmdbMap& map, SessionLocks& locks, ChangeHub& hub,
                       ChangePage& page)
    : runtime_(runtime),
      directory_(std::move(directory)),
      map_(map),
      locks_(locks),
      hub_(hub),
      page_(page),
      next_reader_check_(runtime.Now() + kReaderCheckEvery) {}

Task<Status> LmdbWriter::Execute(OpContext context, std::shared_ptr<WriteRequest> request) {
  const std::shared_ptr<LmdbWriter> self = shared_from_this();
  LS_CO_TRY(context.Check(runtime_.Now()));
  LS_CO_TRY(Enqueue(request));
  const DropOnExit drop(*this, request);
  const Status waited = co_await request->done.WaitFor(context);
  if (!waited.ok()) {
    if (Drop(request)) co_return WhyLate(waited);
    // In a transaction now: only its end tells what became of it.
    co_await request->done.Wait();
  }
  co_return request->status;
}

Status LmdbWriter::Enqueue(const Request& request) {
  bool start = false;
  {
    const std::lock_guard lock(mutex_);
    if (stopping_) return Unavailable("the metadata store was stopped").With("directory", directory_);
    LS_TRY(broken_);
    if (queue_.size() >= kMaxQueued) {
      return ResourceExhausted("the queue of metadata writes is full").With("limit", kMaxQueued);
    }
    request->state = WriteRequest::State::kQueued;
    request->place = queue_.insert(queue_.end(), request);
    start = !std::exchange(running_, true);
  }
  if (start) {
    std::shared_ptr<void> owner = owner_.lock();
    runtime_.blocking.Submit([self = shared_from_this(), owner = std::move(owner)] { self->Run(); });
  }
  return OkStatus();
}

bool LmdbWriter::Drop(const Request& request) {
  const std::lock_guard lock(mutex_);
  if (request->state == WriteRequest::State::kQueued) {
    queue_.erase(request->place);
    request->state = WriteRequest::State::kDropped;
    return true;
  }
  request->overdue = true;
  return request->state == WriteRequest::State::kDropped;
}

Status LmdbWriter::WhyLate(const Status& waited) const {
  if (waited.code() == StatusCode::kCancelled) return waited;
  const Status held = HeldByOthers(Unavailable("another process holds the write lock of the metadata store"));
  if (!held.ok()) return held;
  return DeadlineExceeded("the deadline passed before the turn of a metadata write");
}

Status LmdbWriter::HeldByOthers(Status status) const {
  const std::optional<LmdbMap::Holder> holder = map_.WriteLockHolder();
  if (!holder || holder->self) return OkStatus();
  return status.With("holder_pid", holder->pid).With("holder_state", holder->state).With("directory", directory_);
}

Task<Status> LmdbWriter::Stop(OpContext context) {
  std::shared_ptr<Event> idle;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    if (!running_) co_return OkStatus();
    if (!idle_) idle_ = std::make_shared<Event>(runtime_.executor);
    idle = idle_;
  }
  const Status waited = co_await idle->WaitFor(std::move(context));
  if (waited.ok()) co_return OkStatus();
  const Status stuck = Unavailable("the metadata writer is stuck and is left behind: end this process by _exit");
  const Status held = HeldByOthers(stuck);
  const Status answer = held.ok() ? stuck.With("directory", directory_) : held;
  Log(LogLevel::kError, "the metadata store could not be stopped", answer);
  co_return answer;
}

LmdbWriter::Stats LmdbWriter::stats() const {
  const std::lock_guard lock(mutex_);
  return stats_;
}

void LmdbWriter::Run() {
  while (!GoIdle()) {
    MDB_txn* txn = nullptr;
    const int rc = map_.BeginWrite(&txn);
    if (rc == MDB_PANIC) {
      Break(rc);
      continue;
    }
    if (rc != 0) {
      FailQueued(LmdbError(rc, "a write transaction cannot be begun").With("directory", directory_));
      continue;
    }
    if (const Status file = map_.CheckFile(); !file.ok()) {
      mdb_txn_abort(txn);
      FailQueued(file);
      continue;
    }
    const Batch batch = Claim();
    if (batch.empty()) {
      mdb_txn_abort(txn);
      continue;
    }
    RunBatch(txn, batch);
    if (runtime_.Now() >= next_reader_check_) {
      map_.CheckReaders();
      next_reader_check_ = runtime_.Now() + kReaderCheckEvery;
    }
  }
}

bool LmdbWriter::GoIdle() {
  std::shared_ptr<Event> idle;
  {
    const std::lock_guard lock(mutex_);
    if (!queue_.empty()) return false;
    running_ = false;
    idle = std::move(idle_);
    idle_ = nullptr;
  }
  if (idle) idle->Set();
  return true;
}

LmdbWriter::Batch LmdbWriter::Claim() {
  Batch batch;
  Batch late;
  std::size_t ops = 0;
  std::size_t bytes = 0;
  {
    const std::lock_guard lock(mutex_);
    const MonotonicTime now = runtime_.Now();
    const std::size_t limit = one_at_a_time_ ? 1 : kMaxBatchOps;
    while (!queue_.empty() && ops < limit && bytes < kMaxBatchBytes) {
      Request request = std::move(queue_.front());
      queue_.pop_front();
      request->status = request->context.Check(now);
      request->state = WriteRequest::State::kClaimed;
      if (!request->status.ok()) {
        request->state = WriteRequest::State::kAnswered;
        late.push_back(std::move(request));
        continue;
      }
      ops += request->ops.size();
      bytes += BytesOf(*request);
      batch.push_back(std::move(request));
    }
  }
  for (const Request& request : late) request->done.Set();
  return batch;
}

void LmdbWriter::RunBatch(MDB_txn* txn, const Batch& batch) {
  WriteTxn work(txn, locks_, ToMillis(runtime_.clock.Wall()));
  Status refused;
  int rc = ApplyAll(work, batch, &refused);
  if (rc != 0 || !refused.ok() || !work.changed()) {
    mdb_txn_abort(txn);
    if (rc != 0) return AfterFailure(batch, rc, false);
    return Answer(batch, refused);
  }
  rc = mdb_txn_commit(txn);
  if (rc != 0) return AfterFailure(batch, rc, true);
  AfterCommit(work, batch);
}

int LmdbWriter::ApplyAll(WriteTxn& work, const Batch& batch, Status* refused) {
  int rc = work.Begin(refused);
  if (rc != 0 || !refused->ok()) return rc;
  WarnOfClock(work.clock_behind_ms());
  for (const Request& request : batch) {
    for (WriteOp& op : request->ops) {
      rc = work.Apply(op);
      if (rc != 0) return rc;
    }
  }
  return work.Finish();
}

void LmdbWriter::AfterCommit(WriteTxn& work, const Batch& batch) {
  work.Committed();
  {
    const std::lock_guard lock(mutex_);
    ++stats_.commits;
    for (const Request& request : batch) stats_.operations += request->ops.size();
    stats_.sessions_ended += work.dead_sessions();
    one_at_a_time_ = false;
  }
  // Answers first: who waits for a change may run at once, and those in the batch come first.
  Answer(batch, OkStatus());
  if (work.touched_all()) {
    hub_.TouchAll();
    page_.TouchAll();
  } else {
    hub_.Touch(work.touched());
    page_.Touch(work.touched());
  }
}

void LmdbWriter::AfterFailure(const Batch& batch, int rc, bool committing) {
  if (rc == MDB_MAP_FULL) {
    const int grown = map_.Grow();
    if (grown == 0) return Requeue(batch);
    return Answer(batch, LmdbError(grown, "the map of the metadata store cannot grow").With("size", map_.map_size()));
  }
  if (rc == MDB_TXN_FULL && batch.size() > 1) {
    {
      const std::lock_guard lock(mutex_);
      one_at_a_time_ = true;
    }
    return Requeue(batch);
  }
  if (rc == MDB_TXN_FULL) return Answer(batch, LmdbError(rc, "a metadata write is too large for one transaction"));
  // LMDB writes its root page last. Had that write failed, LMDB would be poisoned now; else the batch is not done.
  if (IsDiskFull(rc, directory_) && !map_.Poisoned()) return Answer(batch, DiskFull(rc));
  if (rc == ENOMEM && !committing) return Answer(batch, LmdbError(rc, "no memory for a metadata write"));
  if (!committing && rc != EIO && rc != MDB_PANIC) {
    return Answer(batch, LmdbError(rc, "a metadata write failed").With("directory", directory_));
  }
  if (committing) {
    Answer(batch, Indeterminate("the commit of a metadata write failed and may have happened")
                      .With("directory", directory_)
                      .With("lmdb", mdb_strerror(rc)));
  } else {
    const Status failed = LmdbError(rc, "a metadata write failed").As(StatusCode::kUnavailable);
    Answer(batch, failed.With("directory", directory_));
  }
  Break(rc);
}

void LmdbWriter::Requeue(const Batch& batch) {
  Batch late;
  {
    const std::lock_guard lock(mutex_);
    const MonotonicTime now = runtime_.Now();
    for (auto it = batch.rbegin(); it != batch.rend(); ++it) {
      const Request& request = *it;
      request->status = request->context.Check(now);
      if (!request->status.ok() || request->overdue) {
        if (request->status.ok()) request->status = DeadlineExceeded("the deadline passed before a metadata write");
        request->state = WriteRequest::State::kAnswered;
        late.push_back(request);
        continue;
      }
      request->state = WriteRequest::State::kQueued;
      request->place = queue_.insert(queue_.begin(), request);
    }
  }
  for (const Request& request : late) request->done.Set();
}

void LmdbWriter::Answer(const Batch& batch, const Status& status) {
  {
    const std::lock_guard lock(mutex_);
    for (const Request& request : batch) {
      request->status = status;
      request->state = WriteRequest::State::kAnswered;
    }
  }
  for (const Request& request : batch) request->done.Set();
}

void LmdbWriter::FailQueued(const Status& status) {
  Batch all;
  {
    const std::lock_guard lock(mutex_);
    all.assign(queue_.begin(), queue_.end());
    queue_.clear();
    for (const Request& request : all) request->state = WriteRequest::State::kClaimed;
  }
  Answer(all, status);
}

void LmdbWriter::Break(int rc) {
  const Status status = Unavailable("the metadata store takes no writes after an I/O error until it is opened again")
                            .With("directory", directory_)
                            .With("lmdb", mdb_strerror(rc));
  bool first = false;
  {
    const std::lock_guard lock(mutex_);
    first = broken_.ok();
    if (first) broken_ = status;
  }
  if (first) Log(LogLevel::kError, "the metadata store failed", status);
  FailQueued(status);
}

void LmdbWriter::WarnOfClock(std::int64_t behind_ms) {
  if (behind_ms <= kClockBehindMs || std::exchange(warned_of_clock_, true)) return;
  Log(LogLevel::kWarning, "the machine's clock is behind the newest creation time of the metadata store",
      Unavailable("creation times stand still until it catches up")
          .With("behind_ms", behind_ms)
          .With("directory", directory_));
}

Status LmdbWriter::DiskFull(int rc) const {
  return ResourceExhausted("the disk of the metadata store is full; nothing was written")
      .With("directory", directory_)
      .With("free_bytes", FreeBytes(directory_))
      .With("lmdb", mdb_strerror(rc));
}

}  // namespace lakestream
