#include "log/compactor/compactor.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <stop_token>
#include <utility>

#include "base/try.h"
#include "log/compactor/group_work.h"
#include "log/compactor/log_job.h"
#include "log/compactor/log_planner.h"
#include "runtime/semaphore.h"
#include "runtime/when_all.h"

namespace lakestream {

namespace {

/// Logs looked at side by side.
constexpr std::size_t kLogsAtOnce = 16;

using JobPtr = std::unique_ptr<LogJob>;

Task<Status> AdvanceOne(LogJob* job, OpContext context) {
  Task<void> advance = job->Advance(std::move(context));
  co_await advance;
  co_return OkStatus();
}

Status CheckLogs(const std::vector<LogId>& logs) {
  std::set<LogId> seen;
  for (const LogId log : logs) {
    if (log.value() < 0) return InvalidArgument("a log id is not negative").With("log", log.value());
    if (!seen.insert(log).second) return InvalidArgument("a log is given twice").With("log", log.value());
  }
  return OkStatus();
}

}  // namespace

std::string_view CompactionOutcomeName(CompactionOutcome::Kind kind) {
  constexpr std::array<std::string_view, 5> kNames = {"compacted", "trimmed", "nothing", "waiting", "stuck"};
  return kNames[static_cast<std::size_t>(kind)];
}

struct Compactor::Impl {
  Impl(CompactorParts parts, CompactorOptions options)
      : shared(parts, std::move(options)), runtime(shared.parts.runtime), passing(runtime) {}

  struct LeftAlone {
    MonotonicTime until;
    Duration wait;
  };

  CompactorShared shared;
  Runtime& runtime;
  AsyncMutex passing;
  std::stop_source stop;
  std::map<LogId, LeftAlone> left_alone;  ///< of the pass

  // One pass.
  struct Run {
    CompactionTotals totals;
    CompactionObserver observer;
    Status interrupted;
  };

  Task<Status> AdvanceAll(OpContext context, std::vector<LogJob*> jobs);
  Task<Status> WorkOn(OpContext context, std::vector<JobPtr> group, Run* run);
  Task<Status> PassOver(OpContext context, std::vector<LogId> logs, Run* run);
  void Tell(const LogJob& job, Run* run);
};

Task<Status> Compactor::Impl::AdvanceAll(OpContext context, std::vector<LogJob*> jobs) {
  for (std::size_t from = 0; from < jobs.size(); from += kLogsAtOnce) {
    std::vector<Task<Status>> tasks;
    const std::size_t to = std::min(jobs.size(), from + kLogsAtOnce);
    for (std::size_t i = from; i < to; ++i) tasks.push_back(AdvanceOne(jobs[i], context));
    const std::vector<Status> done = co_await WhenAll(runtime, std::move(tasks));
    for (const Status& status : done) LS_CO_TRY(status);
  }
  co_return OkStatus();
}

/// Counts and tells what became of a log.
void Compactor::Impl::Tell(const LogJob& job, Run* run) {
  if (!job.over()) {
    if (run->interrupted.ok()) run->interrupted = job.interrupted();
    return;
  }
  CompactionOutcome outcome = job.outcome();
  CompactionTotals& totals = run->totals;
  switch (outcome.kind) {
    case CompactionOutcome::Kind::kCompacted:
      ++totals.compacted;
      totals.file_bytes += outcome.file_bytes;
      if (outcome.entries > 0) totals.payload_bytes += outcome.decision.bytes();
      break;
    case CompactionOutcome::Kind::kTrimmed:
      ++totals.trimmed;
      break;
    case CompactionOutcome::Kind::kNothing:
      ++totals.nothing;
      break;
    case CompactionOutcome::Kind::kWaiting:
      ++totals.waiting;
      break;
    case CompactionOutcome::Kind::kStuck:
      ++totals.stuck;
      break;
  }
  if (outcome.kind != CompactionOutcome::Kind::kStuck) {
    left_alone.erase(outcome.log);
  } else {
    LeftAlone& entry = left_alone[outcome.log];
    const Duration longer = entry.wait == Duration(0) ? shared.options.retry_first : entry.wait * 2;
    entry.wait = job.again_at_once() ? Duration(0) : std::min(longer, shared.options.retry_most);
    entry.until = runtime.Now() + entry.wait;
    outcome.retry_at = entry.until;
  }
  if (run->observer) run->observer(outcome);
}

/// Writes the files of a group of logs, and finishes them.
Task<Status> Compactor::Impl::WorkOn(OpContext context, std::vector<JobPtr> group, Run* run) {
  if (group.empty()) co_return OkStatus();
  std::vector<RangeWork> ranges;
  std::vector<LogJob*> jobs;
  for (const JobPtr& job : group) {
    ranges.push_back(job->TakeWork());
    jobs.push_back(job.get());
  }
  GroupWork work(shared.parts, shared.options, std::move(ranges));
  Task<std::vector<RangeFiles>> writing = work.Run(context);
  std::vector<RangeFiles> files = co_await writing;
  for (std::size_t i = 0; i < jobs.size(); ++i) jobs[i]->GiveFiles(std::move(files[i]));
  run->totals.objects_read += work.cost().objects;
  run->totals.gets += work.cost().gets;
  run->totals.scratch_bytes += work.cost().scratch_bytes;
  run->totals.most_held = std::max(run->totals.most_held, work.cost().most_held);
  Task<Status> advance = AdvanceAll(std::move(context), jobs);
  LS_CO_TRY(co_await advance);
  for (const LogJob* job : jobs) Tell(*job, run);
  co_return OkStatus();
}

Task<Status> Compactor::Impl::PassOver(OpContext context, std::vector<LogId> logs, Run* run) {
  std::vector<JobPtr> group;
  std::int64_t bytes = 0;
  std::int64_t records = 0;
  for (std::size_t from = 0; from < logs.size(); from += kLogsAtOnce) {
    LS_CO_TRY(context.Check(runtime.Now()));
    std::vector<JobPtr> jobs;
    std::vector<LogJob*> pointers;
    for (std::size_t i = from; i < std::min(logs.size(), from + kLogsAtOnce); ++i) {
      const auto alone = left_alone.find(logs[i]);
      if (alone != left_alone.end() && alone->second.until > runtime.Now()) {
        ++run->totals.left_alone;
        continue;
      }
      jobs.push_back(std::make_unique<LogJob>(shared, logs[i]));
      pointers.push_back(jobs.back().get());
    }
    Task<Status> advance = AdvanceAll(context, std::move(pointers));
    LS_CO_TRY(co_await advance);
    for (JobPtr& job : jobs) {
      if (!job->wants_files()) {
        Tell(*job, run);
        continue;
      }
      bytes += job->bytes();
      records += job->index_records();
      group.push_back(std::move(job));
    }
    if (bytes < shared.options.group_bytes && records < shared.options.group_records) continue;
    Task<Status> work = WorkOn(context, std::exchange(group, std::vector<JobPtr>()), run);
    LS_CO_TRY(co_await work);
    bytes = records = 0;
  }
  Task<Status> work = WorkOn(std::move(context), std::move(group), run);
  LS_CO_TRY(co_await work);
  co_return run->interrupted;
}

Compactor::Compactor(CompactorParts parts, CompactorOptions options)
    : impl_(std::make_unique<Impl>(parts, std::move(options))) {}
Compactor::~Compactor() = default;

Task<Result<CompactionOutlook>> Compactor::Plan(OpContext context, LogId log) {
  LS_CO_TRY(CheckLogs(std::vector<LogId>(1, log)));
  MetadataStore& meta = impl_->shared.parts.meta;
  Task<Result<CompactionLook>> look_at = LookAtCompaction(meta, context, log, std::string());
  LS_CO_ASSIGN(CompactionLook look, co_await look_at);
  CompactionOutlook outlook;
  outlook.record = look.record;
  outlook.fenced = look.fenced;
  const std::int64_t now_ms = ToMillis(impl_->runtime.clock.Wall());
  Task<Result<LogPlan>> plan =
      PlanLog(meta, std::move(context), log, std::move(look), impl_->shared.options.plan, now_ms);
  LS_CO_ASSIGN(LogPlan planned, co_await plan);
  outlook.decision = std::move(planned.decision);
  co_return outlook;
}

Task<Result<CompactionTotals>> Compactor::Pass(OpContext context, std::vector<LogId> logs,
                                               CompactionObserver observer) {
  LS_CO_TRY(CheckLogs(logs));
  // Whichever of the two comes first ends it.
  std::stop_source linked;
  const auto end = [&linked] { linked.request_stop(); };
  const std::stop_callback by_caller(context.cancel, end);
  const std::stop_callback by_stop(impl_->stop.get_token(), end);
  context = context.WithCancel(linked.get_token());
  LS_CO_TRY(context.Check(impl_->runtime.Now()));
  LS_CO_ASSIGN(const AsyncMutex::Lock one_at_a_time, co_await impl_->passing.Acquire(context));
  Task<Result<ClaimKeeper::SessionPtr>> live = impl_->shared.claims.Live(context);
  LS_CO_TRY((co_await live).status());
  Impl::Run run;
  run.observer = std::move(observer);
  Task<Status> pass = impl_->PassOver(std::move(context), std::move(logs), &run);
  LS_CO_TRY(co_await pass);
  co_return run.totals;
}

Task<Status> Compactor::Stop(OpContext context) {
  impl_->stop.request_stop();
  LS_CO_ASSIGN(const AsyncMutex::Lock nobody_passes, co_await impl_->passing.Acquire(context));
  Task<Status> close = impl_->shared.claims.Close(std::move(context));
  co_return co_await close;
}

CompactionCells Compactor::cells() const { return impl_->shared.cells.cells(); }

}  // namespace lakestream
