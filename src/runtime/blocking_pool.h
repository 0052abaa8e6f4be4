#pragma once

#include "runtime/executor.h"

namespace lakestream {

/// Threads for calls that block: LMDB, fsync, compression of large blocks. Bounded in threads; the queue is
/// bounded by those who submit. Thread safety: any thread.
class BlockingPool {
 public:
  virtual ~BlockingPool() = default;
  virtual void Submit(Work work) = 0;
};

}  // namespace lakestream
