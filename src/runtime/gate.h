#pragma once

#include <memory>
#include <string>

#include "lakestream/status.h"
#include "runtime/runtime.h"

namespace lakestream {

/// Holds an object's background tasks. Every task that nobody awaits runs in the gate of the object whose
/// members it uses, and that object's Stop closes the gate before the members go. Thread safety: any thread.
class Gate {
 public:
  explicit Gate(Runtime& runtime);
  /// Abandons what still runs, in the simulator. On real threads nothing may run any more: Close comes first.
  ~Gate();
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  /// Starts the task by way of the executor. False (and the task is dropped) once Close has been called.
  bool Spawn(Task<void> task);
  bool closing() const;
  /// Refuses new tasks and waits for those inside. May be called more than once.
  Task<void> Close();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace lakestream
