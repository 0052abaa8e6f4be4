#include "log/upkeep/job_loop.h"

#include <utility>

#include "base/logging.h"
#include "base/try.h"

namespace lakestream {

JobLoop::JobLoop(Runtime& runtime, std::string name, model::JobPace pace, Pass pass)
    : runtime_(runtime), name_(std::move(name)), pace_(pace), pass_(std::move(pass)), last_success_(runtime.Now()) {}

double JobLoop::Draw() {
  constexpr std::uint64_t kSteps = std::uint64_t{1} << 32;
  return static_cast<double>(runtime_.random.Below(kSteps)) / static_cast<double>(kSteps);
}

Task<Status> JobLoop::Run(OpContext context) {
  int failures = 0;
  Duration pause = model::FirstPause(pace_, Draw());
  while (true) {
    const Status slept = co_await SleepFor(runtime_, context, pause);
    if (!slept.ok()) co_return OkStatus();
    const MonotonicTime started = runtime_.Now();
    Task<Result<model::PassEnd>> pass = pass_(context);
    const Result<model::PassEnd> end = co_await pass;
    const MonotonicTime ended = runtime_.Now();
    if (end.ok()) {
      failures = 0;
      done_.Record(ended - started);
      last_success_.store(ended);
      pause = model::NextPause(pace_, *end, failures, Draw());
      continue;
    }
    if (!context.Check(ended).ok()) co_return OkStatus();  // what a pass says that was cut short
    failed_.fetch_add(1);
    if (end.status().code() == StatusCode::kFenced) co_return end.status().With("job", name_);
    pause = model::NextPause(pace_, model::PassEnd::kFailed, ++failures, Draw());
    Status why = end.status();
    Log(LogLevel::kWarning, "a pass failed",
        why.With("job", name_).With("failures_in_a_row", failures).With("next_in", FormatDuration(std::chrono::floor<std::chrono::milliseconds>(pause))));
  }
}

JobStats JobLoop::stats() const {
  JobStats stats;
  stats.failed = failed_.load();
  stats.done = done_.Snapshot();
  stats.last_success = last_success_.load();
  return stats;
}

}  // namespace lakestream
