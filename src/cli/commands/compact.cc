#include "cli/commands/compact.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "base/try.h"
#include "cli/append_report.h"
#include "cli/command_thread.h"
#include "cli/counted.h"
#include "cli/exit_code.h"
#include "format/json.h"
#include "log/upkeep/job_loop.h"
#include "log/upkeep/rounds.h"
#include "log/upkeep/upkeep.h"
#include "runtime/wait.h"

namespace lakestream {
namespace {

std::string Offsets(const CompactionRange& range) {
  return fmt::format("{} to {}", range.start.value(), range.end.value());
}

JsonValue Named(const NamedLog& log) {
  JsonValue json = JsonValue::Object();
  json.Add("stream", JsonValue::String(log.stream_name()))
      .Add("partition", JsonValue::Int(log.partition))
      .Add("log", JsonValue::Int(log.log().value()));
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

JsonValue OutcomeJson(const NamedLog& log, const CompactionOutcome& outcome) {
  using Kind = CompactionOutcome::Kind;
  JsonValue json = Named(log);
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
std::string OutcomeText(const NamedLog& log, const CompactionOutcome& outcome) {
  using Kind = CompactionOutcome::Kind;
  const std::string name = fmt::format("{}/{}", log.stream_name(), log.partition);
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

/// One run of the command.
class CompactRun {
 public:
  CompactRun(Environment& environment, Deployment& deployment, const CompactCommandOptions& options)
      : environment_(environment), deployment_(deployment), options_(options), thread_(environment) {
  }

  Result<int> Run() {
    CompactorOptions compactor = deployment_.DefaultCompactorOptions();
    compactor.compression = options_.compression;
    if (options_.now) compactor.plan.small_range_cost = 0;
    LS_ASSIGN(compactor_, deployment_.MakeCompactor(compactor));
    LS_ASSIGN(only_, environment_.FindStreams(deployment_, options_.streams));
    if (options_.dry_run) {
      LS_TRY(ExplainAll());
      return kExitOk;
    }
    const Status status = thread_.Run(options_.watch ? Watch() : Once());
    const OpContext last_steps = OpContext().WithDeadline(environment_.runtime().Now() + std::chrono::seconds(10));
    const Status stopped = Wait(compactor_->Stop(last_steps));
    const bool signalled = thread_.signal() != 0;
    environment_.out().Flush();
    if (!signalled || status.code() != StatusCode::kCancelled) LS_TRY(status);
    LS_TRY(stopped);
    if (signalled) return kExitSignalBase + thread_.signal();
    return worst_;
  }

 private:
  LogGroups Groups() { return LogGroups(deployment_.catalog(), only_); }

  Task<Result<CompactionRound>> Round(OpContext context, bool drain) {
    const CompactionTold told = [this](const NamedLog& log, const CompactionOutcome& outcome) {
      thread_.Do([this, log, outcome] { Tell(log, outcome); });
    };
    return CompactAll(environment_.runtime(), *compactor_, std::move(context), Groups(), drain, told);
  }

  Task<Status> Once() {
    Task<Result<CompactionRound>> all = Round(thread_.context(), true);
    LS_CO_ASSIGN(const CompactionRound round, co_await all);
    thread_.Do([this, round] { Sum(round); });
    co_return OkStatus();
  }

  Task<Status> Watch() {
    model::JobPace pace;
    pace.every = UpkeepOptions().compact_every;
    JobLoop loop(environment_.runtime(), "compaction", pace, [this](OpContext context) { return Pass(context); });
    Task<Status> run = loop.Run(thread_.context());
    co_return co_await run;
  }

  Task<Result<model::PassEnd>> Pass(OpContext context) {
    Task<Result<CompactionRound>> all = Round(std::move(context), false);
    LS_CO_ASSIGN(const CompactionRound round, co_await all);
    co_return round.more ? model::PassEnd::kMore : model::PassEnd::kDone;
  }

  Status ExplainAll() {
    LogGroups groups = Groups();
    while (true) {
      LS_ASSIGN(const std::vector<NamedLog> group, Wait(groups.Next(OpContext())));
      if (group.empty()) return OkStatus();
      for (const NamedLog& log : group) {
        if (thread_.signal() != 0 || environment_.out().closed()) return OkStatus();
        LS_TRY(ExplainOne(log));
      }
    }
  }

  Status ExplainOne(const NamedLog& log) {
    LS_ASSIGN(const CompactionOutlook outlook, Wait(compactor_->Plan(OpContext(), log.log())));
    if (options_.json) {
      JsonValue json = Named(log);
      json.Add("record", JsonValue::String(CompactionStateName(outlook.record)))
          .Add("plan", JsonValue::String(model::Explain(outlook.decision)))
          .Add("fenced", JsonValue::Bool(outlook.fenced));
      environment_.out().Write(DumpJson(json) + "\n");
    } else {
      environment_.out().Write(fmt::format("{}/{}: {}{}\n", log.stream_name(), log.partition,
                                           model::Explain(outlook.decision), outlook.fenced ? " fenced=true" : ""));
    }
    return OkStatus();
  }

  void Tell(const NamedLog& log, const CompactionOutcome& outcome) {
    if (options_.json) {
      environment_.out().Write(DumpJson(OutcomeJson(log, outcome)) + "\n");
    } else {
      environment_.out().Write(OutcomeText(log, outcome));
    }
    if (outcome.kind == CompactionOutcome::Kind::kStuck) {
      const bool set_aside = outcome.retry_at <= environment_.runtime().Now();
      const bool damaged = set_aside || ExitCodeFor(outcome.status.code()) == kExitCorrupt;
      worst_ = std::max<int>(worst_, damaged ? kExitCorrupt : kExitFailed);
      // What was set aside is named below.
      if (!set_aside) {
        PrintError(outcome.status.With("stream", log.stream_name())
                       .With("partition", log.partition)
                       .With("pinned_bytes", outcome.pinned_bytes));
      }
    }
    if (options_.json || environment_.quiet()) return;
    for (const QuarantinedRange& one : outcome.quarantined) {
      if (!quarantined_told_.insert({outcome.log, one.range.start}).second) continue;
      PrintNote(fmt::format("entries cannot be read and stay as they are: {} stream={} partition={} from={} to={}",
                            one.reason, log.stream_name(), log.partition, one.range.start.value(),
                            one.range.end.value()));
    }
  }

  void Sum(const CompactionRound& round) {
    if (options_.json) return;
    const CompactionTotals& totals = round.totals;
    environment_.out().Write(fmt::format("{}: {} compacted, {} into {} of {}", Counted(round.logs, "log"),
                                         Counted(totals.compacted, "range"), ShortBytes(totals.payload_bytes),
                                         Counted(round.files, "file"), ShortBytes(totals.file_bytes)));
    if (totals.waiting > 0) environment_.out().Write(fmt::format("; {} in the hands of others", totals.waiting));
    if (totals.stuck > 0) environment_.out().Write(fmt::format("; {} failed", totals.stuck));
    environment_.out().Write("\n");
  }

  Environment& environment_;
  Deployment& deployment_;
  const CompactCommandOptions& options_;
  std::unique_ptr<Compactor> compactor_;
  std::vector<StreamIdentifier> only_;  ///< none: all streams
  std::set<std::pair<LogId, Offset>> quarantined_told_;
  int worst_ = kExitOk;
  CommandThread thread_;
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
