#include "cli/commands/retain.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
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
#include "model/retention.h"

namespace lakestream {
namespace {

JsonValue OutcomeJson(const NamedLog& log, const RetentionOutcome& outcome) {
  JsonValue json = JsonValue::Object();
  json.Add("stream", JsonValue::String(log.stream_name()))
      .Add("partition", JsonValue::Int(log.partition))
      .Add("log", JsonValue::Int(outcome.log.value()))
      .Add("outcome", JsonValue::String(RetentionOutcomeName(outcome.kind)))
      .Add("trim_marker_before", JsonValue::Int(outcome.before.value()))
      .Add("trim_marker", JsonValue::Int(outcome.after.value()))
      .Add("reason", JsonValue::String(model::RetentionReasonName(outcome.reason)))
      .Add("last_record_stays", JsonValue::Bool(outcome.capped))
      .Add("trimmed_records", JsonValue::Int(outcome.records))
      .Add("trimmed_bytes", JsonValue::Int(outcome.bytes))
      .Add("kept_records", JsonValue::Int(outcome.kept_records))
      .Add("kept_bytes", JsonValue::Int(outcome.kept_bytes))
      .Add("removed_index_records", JsonValue::Int(outcome.index_records))
      .Add("removed_files", JsonValue::Int(outcome.files))
      .Add("removed_bytes", JsonValue::Int(outcome.reclaimed_bytes));
  if (!outcome.status.ok()) json.Add("error", JsonValue::String(outcome.status.message()));
  return json;
}

/// One line, or nothing where there is nothing to say.
std::string OutcomeText(const NamedLog& log, const model::RetentionRules& rules, const RetentionOutcome& outcome,
                        bool dry_run) {
  const std::string name = fmt::format("{}/{}", log.stream_name(), log.partition);
  std::string text;
  if (outcome.after > outcome.before) {
    text += fmt::format("{} {} of {}, up to {} ({}); keeps {} of {}", dry_run ? "would trim" : "trimmed",
                        Counted(outcome.records, "record"), ShortBytes(outcome.bytes), outcome.after.value(),
                        model::RetentionReasonName(outcome.reason), outcome.kept_records,
                        ShortBytes(outcome.kept_bytes));
    if (outcome.capped) text += ", the last append";
  }
  if (outcome.index_records > 0) {
    text += fmt::format("{}{} {} and {} of {}", text.empty() ? "" : "; ", dry_run ? "would remove" : "removed",
                        Counted(outcome.index_records, "index record"), Counted(outcome.files, "file"),
                        ShortBytes(outcome.reclaimed_bytes));
  }
  if (text.empty() && dry_run && outcome.status.ok()) {
    text = rules.any() ? fmt::format("keeps all: {} of {}", Counted(outcome.kept_records, "record"),
                                            ShortBytes(outcome.kept_bytes))
                              : "has no retention";
  }
  return text.empty() ? text : fmt::format("{}: {}\n", name, text);
}

/// One run of the command.
class RetainRun {
 public:
  RetainRun(Environment& environment, Deployment& deployment, const RetainCommandOptions& options)
      : environment_(environment), deployment_(deployment), options_(options), thread_(environment) {
    RetainerOptions retainer = deployment.DefaultRetainerOptions();
    retainer.dry_run = options.dry_run;
    retainer_ = deployment.MakeRetainer(retainer);
  }

  Result<int> Run() {
    LS_ASSIGN(only_, environment_.FindStreams(deployment_, options_.streams));
    const Status status = thread_.Run(options_.watch ? Watch() : Once());
    const bool signalled = thread_.signal() != 0;
    environment_.out().Flush();
    if (!signalled || status.code() != StatusCode::kCancelled) LS_TRY(status);
    if (signalled) return kExitSignalBase + thread_.signal();
    return worst_;
  }

 private:
  Task<Result<RetentionRound>> Round(OpContext context) {
    RetentionTold told;
    told.log = [this](const NamedLog& log, const model::RetentionRules& rules, const RetentionOutcome& outcome) {
      thread_.Do([this, log, rules, outcome] { Tell(log, rules, outcome); });
    };
    told.refused = [this](const StreamMetadata& stream, const Status& why) {
      const Status status = why.With("stream", LogicalIdOf(stream).ToString());
      thread_.Do([this, status] { TellFailure(status); });
    };
    return RetainAll(*retainer_, std::move(context), LogGroups(deployment_.catalog(), only_), std::move(told));
  }

  Task<Status> Once() {
    Task<Result<RetentionRound>> all = Round(thread_.context());
    LS_CO_ASSIGN(const RetentionRound round, co_await all);
    thread_.Do([this, round] { Sum(round); });
    co_return OkStatus();
  }

  Task<Status> Watch() {
    model::JobPace pace;
    pace.every = UpkeepOptions().retain_every;
    JobLoop loop(environment_.runtime(), "retention", pace, [this](OpContext context) { return Pass(context); });
    Task<Status> run = loop.Run(thread_.context());
    co_return co_await run;
  }

  Task<Result<model::PassEnd>> Pass(OpContext context) {
    Task<Result<RetentionRound>> all = Round(std::move(context));
    LS_CO_TRY((co_await all).status());
    co_return model::PassEnd::kDone;
  }

  void Tell(const NamedLog& log, const model::RetentionRules& rules, const RetentionOutcome& outcome) {
    if (options_.json) {
      environment_.out().Write(DumpJson(OutcomeJson(log, outcome)) + "\n");
    } else {
      environment_.out().Write(OutcomeText(log, rules, outcome, options_.dry_run));
    }
    if (outcome.kind != RetentionOutcome::Kind::kFailed) return;
    TellFailure(outcome.status.With("stream", log.stream_name()).With("partition", log.partition));
  }

  void TellFailure(const Status& status) {
    const ExitCode code = ExitCodeFor(status.code());
    worst_ = std::max<int>(worst_, code == kExitCorrupt ? kExitCorrupt : kExitFailed);
    PrintError(status);
  }

  void Sum(const RetentionRound& round) {
    if (options_.json) return;
    environment_.out().Write(fmt::format("{}: {}trimmed {} of {}, removed {} and {}", Counted(round.logs, "log"),
                                         options_.dry_run ? "would have " : "", Counted(round.records, "record"),
                                         ShortBytes(round.bytes), Counted(round.index_records, "index record"),
                                         Counted(round.files, "file")));
    if (round.failed > 0) environment_.out().Write(fmt::format("; {} failed", round.failed));
    environment_.out().Write("\n");
  }

  Environment& environment_;
  Deployment& deployment_;
  const RetainCommandOptions& options_;
  std::unique_ptr<Retainer> retainer_;
  std::vector<StreamIdentifier> only_;  ///< none: all streams
  int worst_ = kExitOk;
  CommandThread thread_;
};

Result<int> Retain(Environment& environment, const RetainCommandOptions& options) {
  LS_ASSIGN(Deployment * deployment, environment.Open(false));
  RetainRun run(environment, *deployment, options);
  return run.Run();
}

}  // namespace

int RunRetain(Environment& environment, const RetainCommandOptions& options) {
  const Result<int> code = Retain(environment, options);
  if (code.ok()) return *code;
  PrintError(code.status());
  return ExitCodeFor(code.status().code());
}

}  // namespace lakestream
