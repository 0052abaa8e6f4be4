#pragma once

#include <memory>

#include "runtime/runtime.h"

namespace lakestream {

struct ThreadRuntimeOptions {
  int executor_threads = 2;   ///< 1 to 64
  int blocking_threads = 16;  ///< 1 to 256; started when first needed
};

/// The runtime of production: the project's own threads, a timer thread, the machine's clocks, and the
/// kernel's random bytes. Requires: whatever uses it has been stopped before it goes.
class ThreadRuntime {
 public:
  explicit ThreadRuntime(ThreadRuntimeOptions options);
  ~ThreadRuntime();
  ThreadRuntime(const ThreadRuntime&) = delete;
  ThreadRuntime& operator=(const ThreadRuntime&) = delete;

  Runtime& runtime();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace lakestream
