#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

#include "base/histogram.h"
#include "lakestream/status.h"
#include "lakestream/task.h"
#include "model/job_schedule.h"
#include "runtime/runtime.h"

namespace lakestream {

struct JobStats {
  std::int64_t failed = 0;      ///< passes
  HistogramSnapshot done;       ///< how long the passes took that ended well
  MonotonicTime last_success{};  ///< the end of one that did; before the first, when the job was made
};

/// Makes the passes of a background job one after another; model/job_schedule.h says when. Thread safety: any thread; Run
/// once.
class JobLoop {
 public:
  /// One pass; kFailed is told by its Status.
  using Pass = std::function<Task<Result<model::PassEnd>>(OpContext)>;

  /// `name`: of what is done, for log lines. What `pass` refers to, and `runtime`, outlive this.
  JobLoop(Runtime& runtime, std::string name, model::JobPace pace, Pass pass);

  /// Passes until the context is cancelled, which the pass under way hears of; then ok. A pass that fails is logged,
  /// and tried again. Errors: fenced, of a pass: this process must not go on.
  Task<Status> Run(OpContext context);

  const std::string& name() const { return name_; }
  JobStats stats() const;

 private:
  double Draw();

  Runtime& runtime_;
  const std::string name_;
  const model::JobPace pace_;
  const Pass pass_;
  std::atomic<std::int64_t> failed_{0};
  Histogram done_;
  std::atomic<MonotonicTime> last_success_;
};

}  // namespace lakestream
