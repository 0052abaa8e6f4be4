#include "log/upkeep/upkeep.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <set>
#include <stop_token>
#include <string>
#include <utility>

#include "base/logging.h"
#include "base/try.h"
#include "log/upkeep/failing_logs.h"
#include "log/upkeep/rounds.h"
#include "runtime/when_all.h"

namespace lakestream {
namespace {

constexpr Duration kLastSteps = std::chrono::seconds(10);

model::JobPace Every(Duration every) {
  model::JobPace pace;
  pace.every = every;
  return pace;
}

/// The line of a pass. `did`: pairs.
void LogPass(bool did_something, const JobLoop& job, Duration took, const std::string& did) {
  const double seconds = std::chrono::duration<double>(took).count();
  Log(did_something ? LogLevel::kInfo : LogLevel::kDebug,
      fmt::format("a pass ended job={} seconds={:.3f} {}", job.name(), seconds, did));
}

Status Named(const Status& status, const NamedLog& log) {
  return status.With("stream", log.stream_name()).With("partition", log.partition).With("log", log.log().value());
}

Task<Status> RunJob(JobLoop* job, OpContext context, std::stop_source* all) {
  Task<Status> run = job->Run(std::move(context));
  const Status status = co_await run;
  if (!status.ok()) all->request_stop();
  co_return status;
}

}  // namespace

struct Upkeep::Impl {
  using PassMember = Task<Result<model::PassEnd>> (Impl::*)(OpContext context, const JobLoop& job);

  Impl(Runtime& r, Deployment& d, const UpkeepOptions& options)
      : runtime(r),
        deployment(d),
        retainer(d.MakeRetainer(d.DefaultRetainerOptions())),
        collector(d.MakeCollector(d.DefaultCollectorOptions())) {
    Result<std::unique_ptr<Compactor>> made = d.MakeCompactor(d.DefaultCompactorOptions());
    if (made.ok()) {
      compactor = std::move(*made);
      AddJob("compaction", Every(options.compact_every), &Impl::Compact);
    } else {
      Log(LogLevel::kWarning, "this process does not compact", made.status());
    }
    AddJob("retention", Every(options.retain_every), &Impl::Retain);
    const Duration usual = UsualCollectionPause(d.options().times.grace);
    AddJob("collection", Every(options.collect_every.value_or(usual)), &Impl::Collect);
  }

  void AddJob(const char* name, model::JobPace pace, PassMember pass) {
    const std::size_t place = jobs.size();
    const auto make = [this, pass, place](OpContext context) { return (this->*pass)(std::move(context), *jobs[place]); };
    jobs.push_back(std::make_unique<JobLoop>(runtime, name, pace, make));
  }

  Task<Result<model::PassEnd>> Compact(OpContext context, const JobLoop& job);
  void Tell(const NamedLog& log, const CompactionOutcome& outcome);
  void NoteCollected(const CollectionReport& report);
  Task<Result<model::PassEnd>> Retain(OpContext context, const JobLoop& job);
  Task<Result<model::PassEnd>> Collect(OpContext context, const JobLoop& job);
  Task<Status> Run(OpContext context);
  UpkeepStats Stats() const;

  Runtime& runtime;
  Deployment& deployment;
  std::unique_ptr<Compactor> compactor;  ///< none where others compact
  const std::unique_ptr<Retainer> retainer;
  const std::unique_ptr<Collector> collector;
  std::vector<std::unique_ptr<JobLoop>> jobs;
  std::set<std::pair<LogId, Offset>> quarantined_told;

  mutable std::mutex mutex;  ///< guards what follows
  CompactionRound compaction;
  std::int64_t compacted_logs = 0;
  RetentionRound retention;
  UpkeepStats::Collected wal;
  UpkeepStats::Collected compacted;
  std::int64_t holds = 0;
  FailingLogs failing;
};

UpkeepStats Upkeep::Impl::Stats() const {
  UpkeepStats stats;
  for (const auto& job : jobs) stats.jobs.push_back(UpkeepStats::Job{job->name(), job->stats()});
  const std::lock_guard lock(mutex);
  stats.compaction = compaction;
  stats.compacted_logs = compacted_logs;
  stats.retention = retention;
  stats.wal = wal;
  stats.compacted = compacted;
  stats.holds = holds;
  stats.failing_logs = failing.count();
  stats.pinned_bytes = failing.pinned_bytes();
  return stats;
}

void Upkeep::Impl::Tell(const NamedLog& log, const CompactionOutcome& outcome) {
  {
    const std::lock_guard lock(mutex);
    failing.Note(outcome);
  }
  if (outcome.kind == CompactionOutcome::Kind::kStuck) {
    Log(LogLevel::kWarning, "the compaction of a log failed",
        Named(outcome.status, log).With("pinned_bytes", outcome.pinned_bytes));
  }
  for (const QuarantinedRange& one : outcome.quarantined) {
    if (!quarantined_told.insert(std::pair(outcome.log, one.range.start)).second) continue;
    Log(LogLevel::kWarning, "entries cannot be read and stay as they are",
        Named(Corrupt(one.reason), log).With("from", one.range.start.value()).With("to", one.range.end.value()));
  }
}

Task<Result<model::PassEnd>> Upkeep::Impl::Compact(OpContext context, const JobLoop& job) {
  const MonotonicTime started = runtime.Now();
  const CompactionTold told = [this](const NamedLog& log, const CompactionOutcome& outcome) { Tell(log, outcome); };
  LogGroups all(deployment.catalog(), std::vector<StreamIdentifier>());
  Task<Result<CompactionRound>> pass = CompactAll(runtime, *compactor, std::move(context), std::move(all), false, told);
  LS_CO_ASSIGN(const CompactionRound round, co_await pass);
  {
    const std::lock_guard lock(mutex);
    AddTo(&compaction, round);
    compacted_logs = round.logs;
    failing.EndPass(started);
  }
  const CompactionTotals& totals = round.totals;
  LogPass(totals.compacted + totals.trimmed + totals.stuck > 0, job, runtime.Now() - started,
          fmt::format("logs={} compacted={} trimmed={} waiting={} failed={} left_alone={} payload_bytes={} files={} "
                      "file_bytes={} objects_read={}",
                      round.logs, totals.compacted, totals.trimmed, totals.waiting, totals.stuck, totals.left_alone,
                      totals.payload_bytes, round.files, totals.file_bytes, totals.objects_read));
  co_return round.more ? model::PassEnd::kMore : model::PassEnd::kDone;
}

Task<Result<model::PassEnd>> Upkeep::Impl::Retain(OpContext context, const JobLoop& job) {
  const MonotonicTime started = runtime.Now();
  RetentionTold told;
  told.log = [](const NamedLog& log, const model::RetentionRules&, const RetentionOutcome& outcome) {
    if (outcome.kind != RetentionOutcome::Kind::kFailed) return;
    Log(LogLevel::kWarning, "the retention of a log failed", Named(outcome.status, log));
  };
  told.refused = [](const StreamMetadata& stream, const Status& why) {
    Log(LogLevel::kWarning, "what a stream is to keep is not clear; it keeps all",
        why.With("stream", LogicalIdOf(stream).ToString()));
  };
  LogGroups all(deployment.catalog(), std::vector<StreamIdentifier>());
  Task<Result<RetentionRound>> pass = RetainAll(*retainer, std::move(context), std::move(all), std::move(told));
  LS_CO_ASSIGN(const RetentionRound round, co_await pass);
  {
    const std::lock_guard lock(mutex);
    AddTo(&retention, round);
  }
  LogPass(round.trimmed_logs + round.failed > 0, job, runtime.Now() - started,
          fmt::format("logs={} trimmed={} failed={} records={} bytes={} index_records={} files={} reclaimed_bytes={}",
                      round.logs, round.trimmed_logs, round.failed, round.records, round.bytes, round.index_records,
                      round.files, round.reclaimed_bytes));
  co_return model::PassEnd::kDone;
}

void Upkeep::Impl::NoteCollected(const CollectionReport& report) {
  const auto note = [](const CollectedRoot& root, UpkeepStats::Collected* sum) {
    sum->deleted.objects += root.deleted.objects;
    sum->deleted.bytes += root.deleted.bytes;
    sum->last = root;
  };
  const std::lock_guard lock(mutex);
  note(report.wal, &wal);
  note(report.compacted, &compacted);
  holds = static_cast<std::int64_t>(report.holds.size());
}

Task<Result<model::PassEnd>> Upkeep::Impl::Collect(OpContext context, const JobLoop& job) {
  const MonotonicTime started = runtime.Now();
  const CollectionObserver observer = [](const CollectedObject& object) {
    Log(LogLevel::kDebug, fmt::format("an object is garbage object={} bytes={} outcome={}", object.object, object.bytes,
                                      CollectedOutcomeName(object.outcome)));
  };
  Task<Result<CollectionReport>> pass = collector->Pass(std::move(context), observer);
  LS_CO_ASSIGN(const CollectionReport report, co_await pass);
  NoteCollected(report);
  if (!report.sweep_status.ok()) {
    Log(LogLevel::kWarning, "what drops have left could not be removed", report.sweep_status);
  }
  const auto sum = [&report](CollectedRoot::Count CollectedRoot::*count, std::int64_t CollectedRoot::Count::*of) {
    return (report.wal.*count).*of + (report.compacted.*count).*of;
  };
  constexpr auto kObjects = &CollectedRoot::Count::objects;
  const std::int64_t deleted = sum(&CollectedRoot::deleted, kObjects);
  LogPass(deleted > 0 || !report.sweep_status.ok(), job, runtime.Now() - started,
          fmt::format("objects={} deleted={} deleted_bytes={} waiting={} young={} foreign={} holds={} overtaken={}",
                      sum(&CollectedRoot::all, kObjects), deleted, sum(&CollectedRoot::deleted, &CollectedRoot::Count::bytes),
                      sum(&CollectedRoot::waiting, kObjects), sum(&CollectedRoot::young, kObjects),
                      sum(&CollectedRoot::foreign, kObjects), report.holds.size(), report.overtaken));
  co_return model::PassEnd::kDone;
}

Task<Status> Upkeep::Impl::Run(OpContext context) {
  // Whichever of the two comes first ends all jobs.
  std::stop_source all;
  const auto end = [&all] { all.request_stop(); };
  const std::stop_callback by_caller(context.cancel, end);
  std::vector<Task<Status>> running;
  for (const auto& job : jobs) running.push_back(RunJob(job.get(), context.WithCancel(all.get_token()), &all));
  Task<std::vector<Status>> run = WhenAll(runtime, std::move(running));
  const std::vector<Status> ended = co_await run;
  Status stopped;
  if (compactor != nullptr) {
    Task<Status> stop = compactor->Stop(OpContext().WithDeadline(runtime.Now() + kLastSteps));
    stopped = co_await stop;
  }
  for (const Status& status : ended) LS_CO_TRY(status);
  co_return stopped;
}

Duration UsualCollectionPause(Duration grace) {
  return std::clamp<Duration>(grace / 10, std::chrono::milliseconds(200), std::chrono::minutes(10));
}

Upkeep::Upkeep(Runtime& runtime, Deployment& deployment, UpkeepOptions options)
    : impl_(std::make_unique<Impl>(runtime, deployment, options)) {}
Upkeep::~Upkeep() = default;

UpkeepStats Upkeep::stats() const { return impl_->Stats(); }

Task<Status> Upkeep::Run(OpContext context) { return impl_->Run(std::move(context)); }

}  // namespace lakestream
