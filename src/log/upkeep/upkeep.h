#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "lakestream/status.h"
#include "lakestream/task.h"
#include "log/deployment/deployment.h"
#include "log/gc/collector.h"
#include "log/upkeep/job_loop.h"
#include "log/upkeep/rounds.h"
#include "runtime/runtime.h"

namespace lakestream {

/// How often, each above 0.
struct UpkeepOptions {
  Duration compact_every = std::chrono::seconds(10);
  Duration retain_every = std::chrono::seconds(60);
  std::optional<Duration> collect_every;  ///< none: UsualCollectionPause
};

/// How often to collect: a tenth of the grace, which garbage has to wait for anyway, from 200 ms to 10 minutes.
Duration UsualCollectionPause(Duration grace);

/// What the jobs have done since they were made.
struct UpkeepStats {
  struct Job {
    std::string name;
    JobStats stats;
  };
  std::vector<Job> jobs;
  CompactionRound compaction;        ///< the sum of all passes
  std::int64_t compacted_logs = 0;   ///< that the last pass looked at
  std::int64_t failing_logs = 0;     ///< whose last compaction failed
  std::int64_t pinned_bytes = 0;     ///< that they keep from being deleted
  RetentionRound retention;          ///< the sum of all passes
  struct Collected {
    CollectedRoot::Count deleted;  ///< the sum of all passes
    CollectedRoot last;            ///< what the last one found
  };
  Collected wal;
  Collected compacted;
  std::int64_t holds = 0;  ///< that the last pass saw
};

/// What has to be done for a deployment again and again, each job by itself: a slow or failing one stops no other. Any
/// number of processes may do it for one deployment. A line is logged for each pass (of level info where it did
/// something, else debug), and a warning for each log that failed. Where compactors of another family work, it does not
/// compact. Thread safety: any thread; Run once.
class Upkeep {
 public:
  /// The deployment is stopped after this is gone.
  Upkeep(Runtime& runtime, Deployment& deployment, UpkeepOptions options);
  ~Upkeep();

  /// Until the context is cancelled: then the passes under way end at their next step, and what this process had begun
  /// is free for others. Errors: fenced (the deployment was restored: this process must not go on); of closing the
  /// session, which then ends in the store's own time.
  Task<Status> Run(OpContext context);

  UpkeepStats stats() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace lakestream
