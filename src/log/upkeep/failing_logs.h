#pragma once

#include <cstdint>
#include <map>

#include "base/time.h"
#include "lakestream/types.h"
#include "log/compactor/compactor.h"

namespace lakestream {

/// Logs whose last compaction failed, and what they pin. Thread safety: none.
class FailingLogs {
 public:
  /// What a pass made of a log. Logs that failed are told of again once they are tried again.
  void Note(const CompactionOutcome& outcome);
  /// All logs were looked at, from `started` on. Logs that were due and not told of are gone.
  void EndPass(MonotonicTime started);

  std::int64_t count() const { return static_cast<std::int64_t>(logs_.size()); }
  std::int64_t pinned_bytes() const;

 private:
  struct Failing {
    std::int64_t pinned_bytes = 0;
    MonotonicTime retry_at{};
    bool told = true;  ///< in this pass
  };
  std::map<LogId, Failing> logs_;
};

}  // namespace lakestream
