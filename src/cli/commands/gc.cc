#include "cli/commands/gc.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/try.h"
#include "cli/append_report.h"
#include "cli/command_thread.h"
#include "cli/exit_code.h"
#include "cli/tree_text.h"
#include "format/json.h"
#include "log/gc/collector.h"
#include "log/upkeep/job_loop.h"
#include "log/upkeep/upkeep.h"
#include "runtime/wait.h"

namespace lakestream {
namespace {

JsonValue TimeJson(WallTime time) { return JsonValue::Int(ToMillis(time)); }
std::string TimeText(WallTime time) { return UtcText(ToMillis(time)); }

JsonValue NamesJson(const std::vector<std::string>& names) {
  JsonValue json = JsonValue::Array();
  for (const std::string& name : names) json.Append(JsonValue::String(name));
  return json;
}

std::string Joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

JsonValue CountJson(const CollectedRoot::Count& count) {
  JsonValue json = JsonValue::Object();
  json.Add("objects", JsonValue::Int(count.objects)).Add("bytes", JsonValue::Int(count.bytes));
  return json;
}

JsonValue RootJson(const CollectedRoot& root) {
  JsonValue json = JsonValue::Object();
  json.Add("all", CountJson(root.all))
      .Add("named", CountJson(root.named))
      .Add("young", CountJson(root.young))
      .Add("waiting", CountJson(root.waiting))
      .Add("garbage", CountJson(root.garbage))
      .Add("deleted", CountJson(root.deleted))
      .Add("foreign", CountJson(root.foreign))
      .Add("leftovers", CountJson(root.leftovers));
  return json;
}

JsonValue ReportJson(const CollectionReport& report) {
  JsonValue json = JsonValue::Object();
  json.Add("pass", JsonValue::Int(report.pass))
      .Add("started_ms", TimeJson(report.started))
      .Add("wal", RootJson(report.wal))
      .Add("compacted", RootJson(report.compacted))
      .Add("index_records", JsonValue::Int(report.index_records))
      .Add("compaction_records", JsonValue::Int(report.compaction_records))
      .Add("dropped_logs", JsonValue::Int(report.dropped_logs))
      .Add("late_logs", JsonValue::Int(report.sweep.late_logs))
      .Add("holds", NamesJson(report.holds))
      .Add("overtaken", JsonValue::Bool(report.overtaken))
      .Add("waiting_anew", JsonValue::Bool(report.waiting_anew));
  if (report.next) json.Add("next_ms", TimeJson(*report.next));
  return json;
}

CollectedRoot::Count Sum(const CollectionReport& report, CollectedRoot::Count CollectedRoot::*count) {
  CollectedRoot::Count sum = report.wal.*count;
  sum.objects += (report.compacted.*count).objects;
  sum.bytes += (report.compacted.*count).bytes;
  return sum;
}

std::string CountText(const CollectedRoot::Count& count) {
  return fmt::format("{} ({})", count.objects, ShortBytes(count.bytes));
}

std::string ReportText(const CollectionReport& report, bool dry_run) {
  const CollectedRoot::Count all = Sum(report, &CollectedRoot::all);
  std::string text = fmt::format("{} objects of {}: {} named, {} young, {} waiting, {} {}, {} foreign\n", all.objects,
                                 ShortBytes(all.bytes), Sum(report, &CollectedRoot::named).objects,
                                 Sum(report, &CollectedRoot::young).objects,
                                 CountText(Sum(report, &CollectedRoot::waiting)),
                                 CountText(Sum(report, dry_run ? &CollectedRoot::garbage : &CollectedRoot::deleted)),
                                 dry_run ? "to be deleted" : "deleted", Sum(report, &CollectedRoot::foreign).objects);
  if (!report.holds.empty()) text += "nothing is deleted while there are holds: " + Joined(report.holds) + "\n";
  const CollectedRoot::Count leftovers = Sum(report, &CollectedRoot::leftovers);
  if (leftovers.objects > 0) text += "removed what unfinished uploads had left: " + CountText(leftovers) + "\n";
  if (report.overtaken) text += "another collector has ended a pass meanwhile; nothing was deleted by this one\n";
  if (report.waiting_anew) text += "what earlier passes had found is lost; everything waits anew\n";
  if (report.next) text += "the next of those that wait can be deleted after " + TimeText(*report.next) + "\n";
  return text;
}

JsonValue ObjectJson(const CollectedObject& object) {
  JsonValue json = JsonValue::Object();
  json.Add("object", JsonValue::String(object.object))
      .Add("bytes", JsonValue::Int(object.bytes))
      .Add("unnamed_since_ms", TimeJson(object.since))
      .Add("outcome", JsonValue::String(CollectedOutcomeName(object.outcome)));
  return json;
}

JsonValue OutlookJson(const ObjectOutlook& outlook) {
  JsonValue json = JsonValue::Object();
  json.Add("object", JsonValue::String(outlook.object)).Add("exists", JsonValue::Bool(outlook.exists));
  if (!outlook.exists) return json;
  json.Add("bytes", JsonValue::Int(outlook.bytes))
      .Add("modified_ms", TimeJson(outlook.modified))
      .Add("verdict", JsonValue::String(model::ObjectVerdictName(outlook.verdict)));
  if (!outlook.named_by.empty()) json.Add("named_by", JsonValue::String(outlook.named_by));
  if (outlook.since) json.Add("unnamed_since_ms", TimeJson(*outlook.since));
  if (outlook.not_before) json.Add("not_before_ms", TimeJson(*outlook.not_before));
  json.Add("holds", NamesJson(outlook.holds));
  return json;
}

std::string OutlookText(const ObjectOutlook& outlook) {
  if (!outlook.exists) return "there is no such object\n";
  std::string text = fmt::format("{} of {}, written {}: ", ShortBytes(outlook.bytes), outlook.object,
                                 TimeText(outlook.modified));
  const std::string not_before = outlook.not_before ? TimeText(*outlook.not_before) : "";
  switch (outlook.verdict) {
    case model::ObjectVerdict::kForeign:
      return text + "foreign, its name is not one of Lakestream's; it is never deleted\n";
    case model::ObjectVerdict::kNamed:
      return text + "named, by " + outlook.named_by + "\n";
    case model::ObjectVerdict::kYoung:
      text += "young, and nothing names it; if that stays so it can be deleted after " + not_before + "\n";
      break;
    case model::ObjectVerdict::kCandidate:
      text += outlook.since ? "nothing has named it since " + TimeText(*outlook.since) : "nothing names it";
      text += "; it can be deleted after " + not_before + "\n";
      break;
    case model::ObjectVerdict::kGarbage:
      text += "garbage; the next pass deletes it\n";
      break;
  }
  if (!outlook.holds.empty()) text += "held: " + Joined(outlook.holds) + "\n";
  return text;
}

/// One run of the command.
class GcRun {
 public:
  GcRun(Environment& environment, Collector& collector, const GcCommandOptions& options, Duration grace)
      : environment_(environment), collector_(collector), options_(options), grace_(grace), thread_(environment) {}

  Result<int> Run() {
    const Status status = thread_.Run(options_.watch ? Watch() : Once());
    environment_.out().Flush();
    if (thread_.signal() != 0) return kExitSignalBase + thread_.signal();
    LS_TRY(status);
    return kExitOk;
  }

 private:
  Task<Status> Once() {
    Task<Result<model::PassEnd>> pass = Pass(thread_.context());
    co_return (co_await pass).status();
  }

  Task<Status> Watch() {
    model::JobPace pace;
    pace.every = UsualCollectionPause(grace_);
    JobLoop loop(environment_.runtime(), "collection", pace, [this](OpContext context) { return Pass(context); });
    Task<Status> run = loop.Run(thread_.context());
    co_return co_await run;
  }

  Task<Result<model::PassEnd>> Pass(OpContext context) {
    const CollectionObserver observer = [this](const CollectedObject& object) {
      // What has not happened is not told: a reader would take it for done.
      if (object.outcome != CollectedOutcome::kDeleting) thread_.Do([this, object] { Tell(object); });
    };
    Task<Result<CollectionReport>> pass = options_.dry_run ? collector_.DryRun(std::move(context), observer)
                                                           : collector_.Pass(std::move(context), observer);
    LS_CO_ASSIGN(const CollectionReport report, co_await pass);
    thread_.Do([this, report] { Tell(report); });
    co_return model::PassEnd::kDone;
  }

  void Tell(const CollectedObject& object) {
    if (options_.json) {
      environment_.out().Write(DumpJson(ObjectJson(object)) + "\n");
    } else if (options_.dry_run) {
      environment_.out().Write(fmt::format("would delete {}, {}, which nothing has named since {}\n", object.object,
                                           ShortBytes(object.bytes), TimeText(object.since)));
    }
  }

  void Tell(const CollectionReport& report) {
    if (!report.sweep_status.ok()) PrintError(report.sweep_status);
    if (options_.json) {
      environment_.out().Write(DumpJson(ReportJson(report)) + "\n");
    } else if (!options_.watch || Sum(report, &CollectedRoot::deleted).objects > 0) {
      environment_.out().Write(ReportText(report, options_.dry_run));
    }
  }

  Environment& environment_;
  Collector& collector_;
  const GcCommandOptions& options_;
  const Duration grace_;
  CommandThread thread_;
};

Result<int> Explain(Environment& environment, Collector& collector, const GcCommandOptions& options) {
  LS_ASSIGN(const ObjectOutlook outlook, Wait(collector.Explain(OpContext(), options.explain)));
  environment.out().Write(options.json ? DumpJson(OutlookJson(outlook)) + "\n" : OutlookText(outlook));
  return outlook.exists ? kExitOk : kExitNotFound;
}

Result<int> Collect(Environment& environment, const GcCommandOptions& options) {
  LS_ASSIGN(Deployment * deployment, environment.Open(false));
  const std::unique_ptr<Collector> collector = deployment->MakeCollector(deployment->DefaultCollectorOptions());
  if (!options.explain.empty()) return Explain(environment, *collector, options);
  GcRun run(environment, *collector, options, deployment->options().times.grace);
  return run.Run();
}

}  // namespace

int RunGc(Environment& environment, const GcCommandOptions& options) {
  const Result<int> code = Collect(environment, options);
  if (code.ok()) return *code;
  environment.out().Flush();
  PrintError(code.status());
  return ExitCodeFor(code.status().code());
}

}  // namespace lakestream
