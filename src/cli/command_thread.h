#pragma once

#include <functional>
#include <stop_token>

#include "cli/environment.h"
#include "cli/stop_signals.h"
#include "cli/wake_queue.h"
#include "lakestream/status.h"
#include "lakestream/task.h"
#include "runtime/op_context.h"

namespace lakestream {

/// The command's own thread, while a task of the runtime works for it: it writes what the task tells, which may block,
/// and cancels the task when a signal comes. Thread safety: Do from any thread, the rest from the command's.
class CommandThread {
 public:
  explicit CommandThread(Environment& environment) : environment_(environment) {}

  /// For the task: cancelled by a signal.
  OpContext context() const { return OpContext().WithCancel(stop_.get_token()); }
  /// Has this done on the command's thread, in order. For the task alone, while it runs.
  void Do(std::function<void()> what) { queue_.Push(std::move(what)); }
  /// Waits for the task, and does what it asks for. One that was cancelled ends by itself.
  Status Run(Task<Status> task);
  /// The signal that came, or 0.
  int signal() const { return signals_.received(); }

 private:
  Environment& environment_;
  const StopSignals signals_;
  std::stop_source stop_;
  WakeQueue<std::function<void()>> queue_;
};

}  // namespace lakestream
