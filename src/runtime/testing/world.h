#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <ostream>
#include <string>

#include "runtime/runtime.h"
#include "runtime/sim/sim_runtime.h"
#include "runtime/testing/co_test.h"
#include "runtime/thread_runtime.h"
#include "runtime/wait.h"

namespace lakestream {

/// Which runtime a test runs on: real threads, or the simulator with a seed.
struct WorldKind {
  std::uint64_t seed = 0;  ///< 0: threads
  std::string Name() const { return seed == 0 ? "threads" : "sim" + std::to_string(seed); }
};
inline void PrintTo(const WorldKind& kind, std::ostream* out) { *out << kind.Name(); }

/// A test whose body runs on either runtime.
class WorldTest : public testing::TestWithParam<WorldKind> {
 protected:
  WorldTest() {
    if (GetParam().seed == 0) {
      threads_ = std::make_unique<ThreadRuntime>(ThreadRuntimeOptions{});
    } else {
      scheduler_ = std::make_unique<SimScheduler>(GetParam().seed);
      node_ = &scheduler_->AddNode("node");
    }
  }

  bool simulated() const { return scheduler_ != nullptr; }
  Runtime& runtime() { return simulated() ? node_->runtime() : threads_->runtime(); }
  SimScheduler& scheduler() { return *scheduler_; }

  void Run(Task<void> task) {
    if (simulated()) {
      const Status status = scheduler_->Run(std::move(task));
      EXPECT_TRUE(status.ok()) << status.ToString();
    } else {
      Wait(std::move(task));
    }
  }

 private:
  std::unique_ptr<ThreadRuntime> threads_;
  std::unique_ptr<SimScheduler> scheduler_;
  SimNode* node_ = nullptr;
};

#define LS_INSTANTIATE_WORLDS(suite)                                                            \
  INSTANTIATE_TEST_SUITE_P(, suite,                                                             \
                           testing::Values(::lakestream::WorldKind{0}, ::lakestream::WorldKind{1}, \
                                           ::lakestream::WorldKind{2}, ::lakestream::WorldKind{3}), \
                           [](const testing::TestParamInfo<::lakestream::WorldKind>& kind) {    \
                             return kind.param.Name();                                          \
                           })

/// Counts its live copies: 0 at the end means that nothing leaked and nothing was destroyed twice.
class Counted {
 public:
  explicit Counted(int* live) : live_(live), value_(std::make_unique<int>(1)) { ++*live_; }
  Counted(Counted&& other) noexcept : live_(other.live_), value_(std::move(other.value_)) { ++*live_; }
  Counted(const Counted& other) : live_(other.live_), value_(other.Clone()) { ++*live_; }
  Counted& operator=(const Counted&) = delete;
  ~Counted() { --*live_; }
  /// 1, or -100 after it was moved from.
  int value() const { return value_ ? *value_ : -100; }

 private:
  std::unique_ptr<int> Clone() const { return value_ ? std::make_unique<int>(*value_) : nullptr; }
  int* live_;
  std::unique_ptr<int> value_;
};

}  // namespace lakestream
