// A data race on purpose: two executor threads write one plain integer. The test expects that ThreadSanitizer
// reports it; without that, a quiet TSan run would say nothing. Built only with TSan.

#include "runtime/gate.h"
#include "runtime/thread_runtime.h"
#include "runtime/wait.h"

namespace lakestream {
namespace {

// Long stretches with no lock between: each pass through the executor orders the threads, and hides a race.
Task<void> WriteOften(Runtime& runtime, volatile int* shared) {
  for (int turn = 0; turn < 5; ++turn) {
    for (int i = 0; i < 500'000; ++i) *shared = *shared + 1;
    co_await Yield(runtime);
  }
}

Task<void> Race(Runtime& runtime, volatile int* shared) {
  Gate gate(runtime);
  for (int i = 0; i < 8; ++i) gate.Spawn(WriteOften(runtime, shared));
  co_await gate.Close();
}

}  // namespace
}  // namespace lakestream

int main() {
  lakestream::ThreadRuntime threads(lakestream::ThreadRuntimeOptions{.executor_threads = 4});
  volatile int shared = 0;
  lakestream::Wait(lakestream::Race(threads.runtime(), &shared));
  return 0;
}
