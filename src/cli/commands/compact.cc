#include "cli/commands/compact.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <unordered_map>
#include <utility>

#include "base/try.h"
#include "cli/append_report.h"
#include "cli/counted.h"
#include "cli/exit_code.h"
#include "cli/stop_signals.h"
#include "cli/wake_queue.h"
#include "format/json.h"
#include "log/catalog/stream_lister.h"
#include "log/compactor/compactor.h"
#include "runtime/gate.h"
#include "runtime/wait.h"

namespace lakestream {
namespace {

/// Logs of one pass. What it keeps of each is small beside the compactor's own memory.
constexpr std::size_t kLogsOfPass = 1000;
/// Between two rounds over the deployment; a range grows for minutes before it is taken.
constexpr int kWatchPauseMs = 10'000;

/// A log, and what people call it.
struct Target {
  std::string stream;
  int partition = 0;
  LogId log;
};

std::string Offsets(const CompactionRange& range) {
  return fmt::format("{} to {}", range.start.value(), range.end.value());
}

JsonValue Named(const Target& target) {
  JsonValue json = JsonValue::Object();
  json.Add("stream", JsonValue::String(target.stream))
      .Add("partition", JsonValue::Int(target.partition))
      .Add("log", JsonValue::Int(target.log.value()));
  return json;
}

void AddRange(JsonValue& json, const CompactionRange& range) {
  json.Add("start_offset", JsonValue::Int(range.start.value())).Add("end_offset", JsonValue::Int(range.end.value()));
}

JsonValue QuarantineJson(const std::vector<QuarantinedRange>& quarantined) {
  JsonValue list = JsonValue::Array();
  for (const QuarantinedRange& one : quarantined) {
    JsonValue json = JsonValue::Object();
    AddRange(json, one.range);
    list.Append(std::move(json.Add("reason", JsonValue::String(one.reason))));
  }
  return list;
}

JsonValue OutcomeJson(const Target& target, const CompactionOutcome& outcome) {
  using Kind = CompactionOutcome::Kind;
  JsonValue json = Named(target);
  json.Add("outcome", JsonValue::String(CompactionOutcomeName(outcome.kind)));
  switch (outcome.kind) {
    case Kind::kCompacted: {
      AddRange(json, outcome.range);
      JsonValue files = JsonValue::Array();
      for (const std::string& file : outcome.files) files.Append(JsonValue::String(file));
      json.Add("entries", JsonValue::Int(outcome.entries))
          .Add("payload_bytes", JsonValue::Int(outcome.decision.bytes()))
          .Add("files", std::move(files))
          .Add("file_bytes", JsonValue::Int(outcome.file_bytes));
      break;
    }
    case Kind::kTrimmed:
      json.Add("trimmed_to", JsonValue::Int(outcome.trimmed_to.value()));
      break;
    case Kind::kNothing:
      json.Add("reason", JsonValue::String(model::PlanReasonName(outcome.decision.reason)));
      break;
    case Kind::kWaiting:
      json.Add("owner", JsonValue::String(outcome.owner)).Add("pinned_bytes", JsonValue::Int(outcome.pinned_bytes));
      break;
    case Kind::kStuck:
      json.Add("error", JsonValue::String(outcome.status.message()))
          .Add("pinned_bytes", JsonValue::Int(outcome.pinned_bytes));
      break;
  }
  if (!outcome.quarantined.empty()) json.Add("quarantined", QuarantineJson(outcome.quarantined));
  return json;
}

/// One line, or nothing where there is nothing to say.
std::string OutcomeText(const Target& target, const CompactionOutcome& outcome) {
  using Kind = CompactionOutcome::Kind;
  const std::string name = fmt::format("{}/{}", target.stream, target.partition);
  switch (outcome.kind) {
    case Kind::kCompacted:
      if (outcome.files.empty()) {
        return fmt::format("{}: compacted {}, which another process had begun\n", name, Offsets(outcome.range));
      }
      return fmt::format("{}: compacted {}: {} of {} into {} of {} ({})\n", name, Offsets(outcome.range),
                         Counted(outcome.entries, "entry", "entries"), ShortBytes(outcome.decision.bytes()),
                         Counted(outcome.files.size(), "file"), ShortBytes(outcome.file_bytes),
                         model::PlanReasonName(outcome.decision.reason));
    case Kind::kTrimmed:
      return fmt::format("{}: removed the index records below {}, which are trimmed\n", name,
                         outcome.trimmed_to.value());
    case Kind::kWaiting:
      return fmt::format("{}: another process is at it, session {}\n", name, outcome.owner);
    case Kind::kNothing:
    case Kind::kStuck:
      return "";
  }
  return "";
}

/// What a pass tells, on its way to the command's thread: an outcome, or its end.
struct Told {
  std::optional<CompactionOutcome> outcome;
  std::optional<Result<CompactionTotals>> end;
};

Task<void> PassInto(Compactor& compactor, OpContext context, std::vector<LogId> logs, WakeQueue<Told>* told) {
  const CompactionObserver observer = [told](const CompactionOutcome& outcome) {
    Told item;
    item.outcome = outcome;
    told->Push(std::move(item));
  };
  Task<Result<CompactionTotals>> pass = compactor.Pass(std::move(context), std::move(logs), observer);
  Told item;
  item.end = co_await pass;
  told->Push(std::move(item));
}

/// One run of the command.
class CompactRun {
 public:
  CompactRun(Environment& environment, Deployment& deployment, const CompactCommandOptions& options)
      : environment_(environment), deployment_(deployment), options_(options), gate_(environment.runtime()) {
    CompactorOptions compactor = deployment.DefaultCompactorOptions();
    compactor.compression = options.compression;
    if (options.now) compactor.plan.small_range_cost = 0;
    compactor_ = deployment.MakeCompactor(compactor);
  }

  Result<int> Run() {
    const Status status = Rounds();
    stop_.request_stop();
    Wait(gate_.Close());
    const OpContext last_steps = OpContext().WithDeadline(environment_.runtime().Now() + std::chrono::seconds(10));
    const Status stopped = Wait(compactor_->Stop(last_steps));
    const bool signalled = signals_.received() != 0;
    if (status.ok() && !signalled) Sum();
    environment_.out().Flush();
    if (!signalled || status.code() != StatusCode::kCancelled) LS_TRY(status);
    LS_TRY(stopped);
    if (signalled) return kExitSignalBase + signals_.received();
    return worst_;
  }

 private:
  Status Rounds() {
    while (true) {
      LS_TRY(Round());
      if (!options_.watch || signals_.received() != 0) return OkStatus();
      environment_.out().Flush();
      pollfd fd{signals_.fd(), POLLIN, 0};
      poll(&fd, 1, kWatchPauseMs);
    }
  }

  /// All logs once; without `watch` until nothing is left to do.
  Status Round() {
    if (!options_.streams.empty()) {
      std::set<std::string> named;
      for (const std::string& name : options_.streams) {
        LS_ASSIGN(const StreamMetadata stream, environment_.LoadStream(deployment_, name));
        if (named.insert(stream.id.ToString()).second) LS_TRY(Take(stream));
      }
      return TakeGroup();
    }
    StreamLister lister = deployment_.catalog().ListStreams();
    while (true) {
      LS_ASSIGN(const std::vector<StreamListing> page, Wait(lister.Next(OpContext())));
      if (page.empty()) return TakeGroup();
      for (const StreamListing& listing : page) {
        if (listing.state != LifecycleState::kActive) continue;
        const Result<StreamMetadata> stream = Wait(deployment_.catalog().LoadStream(OpContext(), listing.id));
        if (stream.status().code() == StatusCode::kNotFound) continue;  // dropped meanwhile
        LS_TRY(stream.status());
        LS_TRY(Take(*stream));
      }
    }
  }

  Status Take(const StreamMetadata& stream) {
    const std::string name = LogicalIdOf(stream).ToString();
    for (std::size_t i = 0; i < stream.logs.size(); ++i) {
      group_.push_back(Target{name, static_cast<int>(i), stream.logs[i]});
      if (group_.size() == kLogsOfPass) LS_TRY(TakeGroup());
    }
    return OkStatus();
  }

  Status TakeGroup() {
    const std::vector<Target> group = std::exchange(group_, {});
    logs_ += static_cast<std::int64_t>(group.size());
    if (options_.dry_run) return ExplainAll(group);
    targets_.clear();
    std::vector<LogId> logs;
    for (const Target& target : group) {
      targets_.emplace(target.log, target);
      logs.push_back(target.log);
    }
    while (!logs.empty() && signals_.received() == 0) {
      LS_ASSIGN(logs, Pass(std::move(logs)));
      if (options_.watch) break;
    }
    return OkStatus();
  }

  Status ExplainAll(const std::vector<Target>& group) {
    for (const Target& target : group) {
      if (signals_.received() != 0 || environment_.out().closed()) return OkStatus();
      LS_ASSIGN(const CompactionOutlook outlook, Wait(compactor_->Plan(OpContext(), target.log)));
      if (options_.json) {
        JsonValue json = Named(target);
        json.Add("record", JsonValue::String(CompactionStateName(outlook.record)))
            .Add("plan", JsonValue::String(model::Explain(outlook.decision)))
            .Add("fenced", JsonValue::Bool(outlook.fenced));
        environment_.out().Write(DumpJson(json) + "\n");
      } else {
        environment_.out().Write(fmt::format("{}/{}: {}{}\n", target.stream, target.partition,
                                             model::Explain(outlook.decision), outlook.fenced ? " fenced=true" : ""));
      }
    }
    return OkStatus();
  }

  /// The logs that have more to do at once.
  Result<std::vector<LogId>> Pass(std::vector<LogId> logs) {
    const OpContext context = OpContext().WithCancel(stop_.get_token());
    gate_.Spawn(PassInto(*compactor_, context, std::move(logs), &told_));
    std::vector<LogId> more;
    std::vector<Told> taken;
    while (true) {
      taken.clear();
      told_.TakeAll(&taken);
      for (const Told& told : taken) {
        if (told.outcome) Tell(*told.outcome, &more);
        if (told.end) {
          LS_TRY(told.end->status());
          return more;
        }
      }
      if (!taken.empty()) continue;
      environment_.out().Flush();
      std::array<pollfd, 2> fds{pollfd{told_.fd(), POLLIN, 0}, pollfd{signals_.fd(), POLLIN, 0}};
      // A pass that was told to stop ends by itself.
      if (signals_.received() != 0) stop_.request_stop();
      poll(fds.data(), stop_.stop_requested() ? 1 : 2, -1);
    }
  }

  void Tell(const CompactionOutcome& outcome, std::vector<LogId>* more) {
    using Kind = CompactionOutcome::Kind;
    const Target& target = targets_.at(outcome.log);
    ++outcomes_[static_cast<std::size_t>(outcome.kind)];
    if (outcome.kind == Kind::kCompacted || outcome.kind == Kind::kTrimmed) more->push_back(outcome.log);
    if (outcome.kind == Kind::kCompacted) {
      payload_bytes_ += outcome.decision.bytes();
      file_bytes_ += outcome.file_bytes;
      files_ += static_cast<std::int64_t>(outcome.files.size());
    }
    if (options_.json) {
      environment_.out().Write(DumpJson(OutcomeJson(target, outcome)) + "\n");
    } else {
      environment_.out().Write(OutcomeText(target, outcome));
    }
    const bool set_aside = outcome.kind == Kind::kStuck && outcome.retry_at <= environment_.runtime().Now();
    if (set_aside) {
      // What is damaged is quarantined; the rest can go on.
      more->push_back(outcome.log);
      worst_ = kExitCorrupt;
    } else if (outcome.kind == Kind::kStuck) {
      const ExitCode code = ExitCodeFor(outcome.status.code());
      worst_ = std::max<int>(worst_, code == kExitCorrupt ? kExitCorrupt : kExitFailed);
      const Status status = outcome.status;
      PrintError(status.With("stream", target.stream)
                     .With("partition", target.partition)
                     .With("pinned_bytes", outcome.pinned_bytes));
    }
    if (options_.json || environment_.quiet()) return;
    for (const QuarantinedRange& one : outcome.quarantined) {
      if (!quarantined_told_.insert({outcome.log, one.range.start}).second) continue;
      PrintNote(fmt::format("entries cannot be read and stay as they are: {} stream={} partition={} from={} to={}",
                            one.reason, target.stream, target.partition, one.range.start.value(),
                            one.range.end.value()));
    }
  }

  void Sum() {
    if (options_.json || options_.dry_run || options_.watch) return;
    const auto count = [this](CompactionOutcome::Kind kind) { return outcomes_[static_cast<std::size_t>(kind)]; };
    environment_.out().Write(fmt::format("{}: {} compacted, {} into {} of {}", Counted(logs_, "log"),
                                         Counted(count(CompactionOutcome::Kind::kCompacted), "range"),
                                         ShortBytes(payload_bytes_), Counted(files_, "file"), ShortBytes(file_bytes_)));
    const std::int64_t waiting = count(CompactionOutcome::Kind::kWaiting);
    if (waiting > 0) environment_.out().Write(fmt::format("; {} in the hands of others", waiting));
    const std::int64_t stuck = count(CompactionOutcome::Kind::kStuck);
    if (stuck > 0) environment_.out().Write(fmt::format("; {} failed", stuck));
    environment_.out().Write("\n");
  }

  Environment& environment_;
  Deployment& deployment_;
  const CompactCommandOptions& options_;
  std::unique_ptr<Compactor> compactor_;
  std::vector<Target> group_;                 ///< that comes next
  std::unordered_map<LogId, Target> targets_; ///< of the pass under way
  std::set<std::pair<LogId, Offset>> quarantined_told_;
  std::array<std::int64_t, 5> outcomes_{};
  std::int64_t logs_ = 0;
  std::int64_t payload_bytes_ = 0;
  std::int64_t files_ = 0;
  std::int64_t file_bytes_ = 0;
  int worst_ = kExitOk;
  const StopSignals signals_;
  std::stop_source stop_;
  WakeQueue<Told> told_;
  Gate gate_;
};

Result<int> Compact(Environment& environment, const CompactCommandOptions& options) {
  LS_ASSIGN(Deployment * deployment, environment.Open(false));
  CompactRun run(environment, *deployment, options);
  return run.Run();
}

}  // namespace

int RunCompact(Environment& environment, const CompactCommandOptions& options) {
  const Result<int> code = Compact(environment, options);
  if (code.ok()) return *code;
  PrintError(code.status());
  return ExitCodeFor(code.status().code());
}

}  // namespace lakestream
