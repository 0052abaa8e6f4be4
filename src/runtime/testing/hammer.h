#pragma once

#include <gtest/gtest.h>

#include <atomic>

#include "runtime/gate.h"
#include "runtime/testing/co_test.h"
#include "runtime/thread_runtime.h"
#include "runtime/wait.h"

namespace lakestream {

/// Tasks side by side on four executor threads: says most under ThreadSanitizer, and something without it.
class HammerTest : public testing::Test {
 protected:
  static constexpr int kTasks = 16;

  /// Runs `body(runtime, number)` kTasks times side by side, and waits for all.
  template <class F>
  void Hammer(F body) {
    std::atomic<int> ended = 0;
    {
      Gate gate(runtime());
      for (int i = 0; i < kTasks; ++i) EXPECT_TRUE(gate.Spawn(CountEnd(body(runtime(), i), &ended)));
      Wait(gate.Close());
    }
    EXPECT_EQ(ended, kTasks);
  }
  Runtime& runtime() { return threads_.runtime(); }

 private:
  static Task<void> CountEnd(Task<void> task, std::atomic<int>* ended) {
    co_await task;
    ++*ended;
  }
  ThreadRuntime threads_{ThreadRuntimeOptions{.executor_threads = 4, .blocking_threads = 4}};
};

}  // namespace lakestream
