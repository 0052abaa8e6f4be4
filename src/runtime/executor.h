#pragma once

#include <cstdint>

#include "base/time.h"
#include "runtime/work.h"

namespace lakestream {

using TimerId = std::uint64_t;

/// Where coroutines resume. Production runs it on real threads, the simulator on one seeded thread.
/// Thread safety: every method may be called from any thread, also from work that the executor runs.
///
/// Shutdown goes from the outside in. (1) Whoever owns tasks ends them: each object's Stop closes its gate, and
/// main waits for the last of them. (2) The objects go: after Stop nothing of theirs is queued that touches
/// them. (3) The runtime goes: it fires no more timers, then runs what the blocking pool and then what the
/// executor still hold, then joins its threads; what is posted or submitted after that is dropped unrun.
/// A frame that is still suspended then is never resumed, and must not outlive the runtime.
class Executor {
 public:
  virtual ~Executor() = default;

  /// Runs the work later, never inside the call. Order between posted work is not promised.
  virtual void Post(Work work) = 0;

  /// Runs the work once `at` has come, or soon where it lies in the past.
  virtual TimerId AddTimer(MonotonicTime at, Work work) = 0;
  /// True when the work will not run; false when it ran, runs now, is about to run or was cancelled before.
  virtual bool CancelTimer(TimerId id) = 0;

  /// True where one thread runs everything, so that a suspended frame may be destroyed at any time.
  virtual bool AllowsAbandonedFrames() const = 0;
};

}  // namespace lakestream
