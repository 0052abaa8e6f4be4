#pragma once

#include <atomic>
#include <coroutine>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <source_location>
#include <utility>

#include "log/log_entry.h"
#include "log/writer/log_writer.h"
#include "runtime/executor.h"

namespace lakestream {

/// One append, from the call to its answer. One coroutine waits for it. What an Event costs would be most of what an
/// append costs: an append has one waiter and one that wakes it, so a word is enough.
class PendingAppend {
 public:
  explicit PendingAppend(AppendRequest r) : request(std::move(r)) {}

  /// What it counts against the writer's memory: an empty payload costs something, too.
  std::int64_t cost() const { return static_cast<std::int64_t>(request.payload.size()) + 128; }

  const AppendRequest request;
  std::optional<Result<LogEntryHeader>> answer;  ///< set once, under the writer's mutex and before Wake
  std::uint64_t turn = 0;  ///< its place among the calls; under the writer's mutex
  /// Its caller has been told that nothing is known, and waits no more; what becomes of it concerns nobody.
  bool abandoned = false;

  class Awaiter {
   public:
    explicit Awaiter(PendingAppend& append) : append_(append) {}
    Awaiter(const Awaiter&) = delete;
    Awaiter& operator=(const Awaiter&) = delete;
    /// A frame that goes while it waits is not resumed. As with an Event, no other thread may be waking it then.
    ~Awaiter() {
      if (waits_ != nullptr) append_.waiter_.compare_exchange_strong(waits_, nullptr);
    }
    bool await_ready() const { return append_.waiter_.load() == &append_; }
    /// Never inlined: clang 16 may then keep its locals in a frame that is gone (docs/adr/0002).
    template <class Promise>
    [[gnu::noinline]] bool await_suspend(std::coroutine_handle<Promise> handle,
                                         std::source_location where = std::source_location::current()) {
      internal::NoteWait(handle, nullptr, where);
      waits_ = handle.address();
      void* none = nullptr;
      // From here on another thread may resume the coroutine: nothing of this object is touched any more.
      return append_.waiter_.compare_exchange_strong(none, handle.address());
    }
    void await_resume() { waits_ = nullptr; }

   private:
    PendingAppend& append_;
    void* waits_ = nullptr;
  };

  /// co_await append.Answered() returns once Wake was called.
  Awaiter Answered() { return Awaiter(*this); }
  /// Resumes who waits, on this thread. Requires: the answer is set; called once.
  void Wake() {
    void* const waiter = waiter_.exchange(this);
    if (waiter != nullptr) std::coroutine_handle<>::from_address(waiter).resume();
  }

 private:
  std::atomic<void*> waiter_{nullptr};  ///< a coroutine; once woken, this append's own address
};
using PendingAppendPtr = std::shared_ptr<PendingAppend>;

/// Wakes answered appends by way of the executor, many with one piece of work, in the order of their answers. May go
/// at any time; what it was given is woken all the same. Thread safety: any thread.
class AnswerQueue {
 public:
  explicit AnswerQueue(Executor& executor) : state_(std::make_shared<State>(executor)) {}
  void Push(PendingAppendPtr append);

 private:
  struct State {
    explicit State(Executor& e) : executor(e) {}
    Executor& executor;
    std::mutex mutex;
    std::deque<PendingAppendPtr> answered;
    bool posted = false;
  };
  static void Run(const std::shared_ptr<State>& state);

  std::shared_ptr<State> state_;
};

}  // namespace lakestream
