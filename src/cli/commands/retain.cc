#include "cli/commands/retain.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <array>
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
#include "log/retention/retainer.h"
#include "model/retention.h"
#include "runtime/gate.h"
#include "runtime/wait.h"

namespace lakestream {
namespace {

constexpr std::size_t kLogsOfPass = 1000;
constexpr int kWatchPauseMs = 60'000;

/// A log, and what people call it.
struct Target {
  std::string stream;
  int partition = 0;
  model::RetentionRules rules;
};

JsonValue OutcomeJson(const Target& target, const RetentionOutcome& outcome) {
  JsonValue json = JsonValue::Object();
  json.Add("stream", JsonValue::String(target.stream))
      .Add("partition", JsonValue::Int(target.partition))
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
std::string OutcomeText(const Target& target, const RetentionOutcome& outcome, bool dry_run) {
  const std::string name = fmt::format("{}/{}", target.stream, target.partition);
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
    text = target.rules.any() ? fmt::format("keeps all: {} of {}", Counted(outcome.kept_records, "record"),
                                            ShortBytes(outcome.kept_bytes))
                              : "has no retention";
  }
  return text.empty() ? text : fmt::format("{}: {}\n", name, text);
}

/// What a pass tells, on its way to the command's thread: an outcome, or its end.
struct Told {
  std::optional<RetentionOutcome> outcome;
  std::optional<Status> end;
};

Task<void> PassInto(Retainer& retainer, OpContext context, std::vector<RetainedLog> logs, WakeQueue<Told>* told) {
  const RetentionObserver observer = [told](const RetentionOutcome& outcome) {
    Told item;
    item.outcome = outcome;
    told->Push(std::move(item));
  };
  Task<Status> pass = retainer.Pass(std::move(context), std::move(logs), observer);
  Told item;
  item.end = co_await pass;
  told->Push(std::move(item));
}

/// One run of the command.
class RetainRun {
 public:
  RetainRun(Environment& environment, Deployment& deployment, const RetainCommandOptions& options)
      : environment_(environment), deployment_(deployment), options_(options), gate_(environment.runtime()) {
    RetainerOptions retainer = deployment.DefaultRetainerOptions();
    retainer.dry_run = options.dry_run;
    retainer_ = deployment.MakeRetainer(retainer);
  }

  Result<int> Run() {
    const Status status = Rounds();
    stop_.request_stop();
    Wait(gate_.Close());
    const bool signalled = signals_.received() != 0;
    if (status.ok() && !signalled) Sum();
    environment_.out().Flush();
    if (!signalled || status.code() != StatusCode::kCancelled) LS_TRY(status);
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
      if (signals_.received() != 0) return OkStatus();
    }
  }

  /// All logs once.
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
    const Result<model::RetentionRules> rules = model::ParseRetentionRules(stream.properties);
    if (!rules.ok()) {
      ++failed_;
      worst_ = std::max<int>(worst_, kExitFailed);
      const Status status = rules.status();
      PrintError(status.With("stream", name));
      return OkStatus();
    }
    for (std::size_t i = 0; i < stream.logs.size(); ++i) {
      targets_.emplace(stream.logs[i], Target{name, static_cast<int>(i), *rules});
      group_.push_back(RetainedLog{stream.logs[i], *rules});
      if (group_.size() == kLogsOfPass) LS_TRY(TakeGroup());
    }
    return OkStatus();
  }

  Status TakeGroup() {
    const Status passed = signals_.received() == 0 ? Pass(std::exchange(group_, {})) : OkStatus();
    targets_.clear();
    return passed;
  }

  Status Pass(std::vector<RetainedLog> logs) {
    logs_ += static_cast<std::int64_t>(logs.size());
    const OpContext context = OpContext().WithCancel(stop_.get_token());
    gate_.Spawn(PassInto(*retainer_, context, std::move(logs), &told_));
    std::vector<Told> taken;
    while (true) {
      taken.clear();
      told_.TakeAll(&taken);
      for (const Told& told : taken) {
        if (told.outcome) Tell(*told.outcome);
        if (told.end) return *told.end;
      }
      if (!taken.empty()) continue;
      environment_.out().Flush();
      std::array<pollfd, 2> fds{pollfd{told_.fd(), POLLIN, 0}, pollfd{signals_.fd(), POLLIN, 0}};
      // A pass that was told to stop ends by itself.
      if (signals_.received() != 0) stop_.request_stop();
      poll(fds.data(), stop_.stop_requested() ? 1 : 2, -1);
    }
  }

  void Tell(const RetentionOutcome& outcome) {
    const Target& target = targets_.at(outcome.log);
    records_ += outcome.records;
    bytes_ += outcome.bytes;
    index_records_ += outcome.index_records;
    files_ += outcome.files;
    if (options_.json) {
      environment_.out().Write(DumpJson(OutcomeJson(target, outcome)) + "\n");
    } else {
      environment_.out().Write(OutcomeText(target, outcome, options_.dry_run));
    }
    if (outcome.kind != RetentionOutcome::Kind::kFailed) return;
    ++failed_;
    const ExitCode code = ExitCodeFor(outcome.status.code());
    worst_ = std::max<int>(worst_, code == kExitCorrupt ? kExitCorrupt : kExitFailed);
    const Status status = outcome.status;
    PrintError(status.With("stream", target.stream).With("partition", target.partition));
  }

  void Sum() {
    if (options_.json || options_.watch) return;
    environment_.out().Write(fmt::format("{}: {}trimmed {} of {}, removed {} and {}", Counted(logs_, "log"),
                                         options_.dry_run ? "would have " : "", Counted(records_, "record"),
                                         ShortBytes(bytes_), Counted(index_records_, "index record"),
                                         Counted(files_, "file")));
    if (failed_ > 0) environment_.out().Write(fmt::format("; {} failed", failed_));
    environment_.out().Write("\n");
  }

  Environment& environment_;
  Deployment& deployment_;
  const RetainCommandOptions& options_;
  std::unique_ptr<Retainer> retainer_;
  std::vector<RetainedLog> group_;             ///< that comes next
  std::unordered_map<LogId, Target> targets_;  ///< of it
  std::int64_t logs_ = 0;
  std::int64_t records_ = 0;
  std::int64_t bytes_ = 0;
  std::int64_t index_records_ = 0;
  std::int64_t files_ = 0;
  std::int64_t failed_ = 0;
  int worst_ = kExitOk;
  const StopSignals signals_;
  std::stop_source stop_;
  WakeQueue<Told> told_;
  Gate gate_;
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
