#include "runtime/thread_runtime.h"

#include <sys/random.h>
#include <time.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <vector>

#include "base/invariant.h"
#include "runtime/timer_queue.h"

namespace lakestream {
namespace {

Duration ReadClock(clockid_t id) {
  timespec now;
  LS_INVARIANT(clock_gettime(id, &now) == 0, "the machine has this clock");
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

class SystemClock final : public Clock {
 public:
  WallTime Wall() const override { return WallTime(ReadClock(CLOCK_REALTIME)); }
  MonotonicTime Monotonic() const override { return MonotonicTime(ReadClock(CLOCK_MONOTONIC)); }
  BootTime Boot() const override { return BootTime(ReadClock(CLOCK_BOOTTIME)); }
};

class SystemRandom final : public Random {
 public:
  std::uint64_t Next() override {
    const std::lock_guard lock(mutex_);
    if (used_ == kWords) Refill();
    return words_[used_++];
  }

 private:
  static constexpr std::size_t kWords = 32;  // getrandom never returns short for up to 256 bytes

  void Refill() {
    const ssize_t got = getrandom(words_, sizeof(words_), 0);
    LS_INVARIANT(got == static_cast<ssize_t>(sizeof(words_)), "the kernel gives random bytes");
    used_ = 0;
  }

  std::mutex mutex_;
  std::uint64_t words_[kWords];
  std::size_t used_ = kWords;
};

/// A queue of work for a number of threads, each started when it is first needed.
class ThreadPool {
 public:
  explicit ThreadPool(int max_threads) : max_threads_(static_cast<std::size_t>(max_threads)) {
    LS_INVARIANT(max_threads > 0, "a pool has threads");
  }
  ~ThreadPool() { Stop(); }

  void Submit(Work work) {
    bool wake = false;
    {
      const std::lock_guard lock(mutex_);
      if (stopped_) return;
      queue_.push_back(std::move(work));
      wake = idle_ > 0;
      if (idle_ < queue_.size() && threads_.size() < max_threads_ && !stopping_) StartThreadLocked();
    }
    if (wake) wake_.notify_one();
  }

  /// Runs what is queued and what that queues, joins the threads, and drops what comes later.
  void Stop() {
    std::vector<std::thread> threads;
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
      threads.swap(threads_);
    }
    wake_.notify_all();
    for (std::thread& thread : threads) thread.join();
    // What came from outside after the last thread had left. Dropped outside the lock: it may submit.
    std::deque<Work> left;
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    left.swap(queue_);
  }

 private:
  void StartThreadLocked() {
    try {
      threads_.emplace_back([this] { Run(); });
    } catch (const std::system_error&) {
      // With fewer threads the work only takes longer.
      LS_INVARIANT(!threads_.empty(), "the machine has room for the first thread of a pool");
    }
  }

  void Run() {
    std::unique_lock lock(mutex_);
    while (true) {
      ++idle_;
      wake_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
      --idle_;
      if (queue_.empty()) return;
      Work work = std::move(queue_.front());
      queue_.pop_front();
      lock.unlock();
      work();
      work = nullptr;
      lock.lock();
    }
  }

  const std::size_t max_threads_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Work> queue_;
  std::vector<std::thread> threads_;
  std::size_t idle_ = 0;
  bool stopping_ = false;
  bool stopped_ = false;
};

class ThreadBlockingPool final : public BlockingPool {
 public:
  explicit ThreadBlockingPool(int threads) : pool_(threads) {}
  void Submit(Work work) override { pool_.Submit(std::move(work)); }
  void Stop() { pool_.Stop(); }

 private:
  ThreadPool pool_;
};

class ThreadExecutor final : public Executor {
 public:
  ThreadExecutor(int threads, const Clock& clock)
      : clock_(clock), pool_(threads), timer_thread_([this] { RunTimers(); }) {}

  void StopTimers() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    wake_.notify_all();
    timer_thread_.join();
  }
  void StopWork() { pool_.Stop(); }

  void Post(Work work) override { pool_.Submit(std::move(work)); }

  TimerId AddTimer(MonotonicTime at, Work work) override {
    TimerId id = 0;
    bool earliest = false;
    {
      const std::lock_guard lock(mutex_);
      earliest = at < wakes_at_;
      id = timers_.Add(at, std::move(work));
    }
    if (earliest) wake_.notify_one();
    return id;
  }

  bool CancelTimer(TimerId id) override {
    // Let go after the lock: what the work holds may cancel timers of its own.
    std::optional<Work> dropped;
    const std::lock_guard lock(mutex_);
    dropped = timers_.Cancel(id);
    return dropped.has_value();
  }

  bool AllowsAbandonedFrames() const override { return false; }

 private:
  void RunTimers() {
    std::unique_lock lock(mutex_);
    while (!stopping_) {
      wakes_at_ = timers_.empty() ? MonotonicTime::max() : timers_.NextTime();
      if (timers_.empty()) {
        wake_.wait(lock);
        continue;
      }
      const MonotonicTime now = clock_.Monotonic();
      if (wakes_at_ > now) {
        // Long waits are cut: the condition variable adds them to a clock of its own, which must not overflow.
        wake_.wait_for(lock, std::min<Duration>(wakes_at_ - now, std::chrono::hours(1)));
        continue;
      }
      wakes_at_ = MonotonicTime::min();  // awake: nobody needs to wake this thread
      Work due = timers_.PopNext();
      lock.unlock();
      pool_.Submit(std::move(due));
      lock.lock();
    }
  }

  const Clock& clock_;
  ThreadPool pool_;
  std::mutex mutex_;
  std::condition_variable wake_;
  internal::TimerQueue<Work> timers_;
  MonotonicTime wakes_at_ = MonotonicTime::max();
  bool stopping_ = false;
  std::thread timer_thread_;
};

}  // namespace

struct ThreadRuntime::Parts {
  explicit Parts(const ThreadRuntimeOptions& options)
      : executor(options.executor_threads, clock),
        blocking(options.blocking_threads),
        runtime{executor, clock, random, blocking} {}
  /// Everything is still there while the threads end: work that runs last may use any of it.
  ~Parts() {
    executor.StopTimers();
    blocking.Stop();
    executor.StopWork();
  }

  SystemClock clock;
  SystemRandom random;
  ThreadExecutor executor;
  ThreadBlockingPool blocking;
  Runtime runtime;
};

ThreadRuntime::ThreadRuntime(ThreadRuntimeOptions options) : parts_(std::make_unique<Parts>(options)) {}
ThreadRuntime::~ThreadRuntime() = default;
Runtime& ThreadRuntime::runtime() { return parts_->runtime; }

}  // namespace lakestream
