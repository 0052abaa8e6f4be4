#include "cli/commands/gc.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

#include "base/try.h"
#include "cli/append_report.h"
#include "cli/exit_code.h"
#include "cli/stop_signals.h"
#include "cli/tree_text.h"
#include "cli/wake_queue.h"
#include "format/json.h"
#include "log/deployment/store_url.h"
#include "log/gc/collector.h"
#include "runtime/gate.h"
#include "runtime/posix/posix.h"
#include "runtime/wait.h"

namespace lakestream {
namespace {

/// Between two passes of --watch: a tenth of the grace, and no more or less than these.
constexpr Duration kLongestPause = std::chrono::minutes(10);
constexpr Duration kShortestPause = std::chrono::milliseconds(200);

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
      .Add("foreign", CountJson(root.foreign));
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
  if (report.overtaken) text += "another collector has ended a pass meanwhile; nothing was deleted by this one\n";
  if (report.waiting_anew) text += "what earlier passes had found is lost; everything waits anew\n";
  if (report.next) text += "the next of those that wait can be deleted after " + TimeText(*report.next) + "\n";
  return text;
}

JsonValue ObjectJson(const CollectedObject& object, bool dry_run) {
  JsonValue json = JsonValue::Object();
  json.Add("object", JsonValue::String(object.object))
      .Add("bytes", JsonValue::Int(object.bytes))
      .Add("unnamed_since_ms", TimeJson(object.since))
      .Add("outcome", JsonValue::String(dry_run ? "would be deleted" : "deleted"));
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

/// What a pass tells, on its way to the command's thread: an object, or its end.
struct Told {
  std::optional<CollectedObject> object;
  std::optional<Result<CollectionReport>> end;
};

Task<void> PassInto(Collector& collector, OpContext context, bool dry_run, WakeQueue<Told>* told) {
  const CollectionObserver observer = [told](const CollectedObject& object) {
    Told item;
    item.object = object;
    told->Push(std::move(item));
  };
  Task<Result<CollectionReport>> pass =
      dry_run ? collector.DryRun(std::move(context), observer) : collector.Pass(std::move(context), observer);
  Told item;
  item.end = co_await pass;
  told->Push(std::move(item));
}

/// One run of the command.
class GcRun {
 public:
  GcRun(Environment& environment, Collector& collector, const GcCommandOptions& options, Duration grace)
      : environment_(environment),
        collector_(collector),
        options_(options),
        pause_(std::clamp<Duration>(grace / 10, kShortestPause, kLongestPause)),
        gate_(environment.runtime()) {}

  Result<int> Run() {
    const Status status = Passes();
    stop_.request_stop();
    Wait(gate_.Close());
    environment_.out().Flush();
    if (signals_.received() != 0) return kExitSignalBase + signals_.received();
    LS_TRY(status);
    return kExitOk;
  }

 private:
  Status Passes() {
    while (true) {
      const Result<CollectionReport> report = Pass();
      if (signals_.received() != 0) return OkStatus();
      if (report.ok()) {
        Tell(*report);
      } else if (!options_.watch) {
        return report.status();
      } else {
        PrintError(report.status());
      }
      if (!options_.watch) return OkStatus();
      environment_.out().Flush();
      pollfd fd{signals_.fd(), POLLIN, 0};
      poll(&fd, 1, static_cast<int>(ToMillis(pause_)));
      if (signals_.received() != 0) return OkStatus();
    }
  }

  Result<CollectionReport> Pass() {
    const OpContext context = OpContext().WithCancel(stop_.get_token());
    gate_.Spawn(PassInto(collector_, context, options_.dry_run, &told_));
    std::vector<Told> taken;
    while (true) {
      taken.clear();
      told_.TakeAll(&taken);
      for (Told& told : taken) {
        if (told.object) Tell(*told.object);
        if (told.end) return *std::move(told.end);
      }
      if (!taken.empty()) continue;
      environment_.out().Flush();
      std::array<pollfd, 2> fds{pollfd{told_.fd(), POLLIN, 0}, pollfd{signals_.fd(), POLLIN, 0}};
      // A pass that was told to stop ends by itself.
      if (signals_.received() != 0) stop_.request_stop();
      poll(fds.data(), stop_.stop_requested() ? 1 : 2, -1);
    }
  }

  void Tell(const CollectedObject& object) {
    if (options_.json) {
      environment_.out().Write(DumpJson(ObjectJson(object, options_.dry_run)) + "\n");
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
  const Duration pause_;
  const StopSignals signals_;
  std::stop_source stop_;
  WakeQueue<Told> told_;
  Gate gate_;
};

Result<int> Explain(Environment& environment, Collector& collector, const GcCommandOptions& options) {
  LS_ASSIGN(const ObjectOutlook outlook, Wait(collector.Explain(OpContext(), options.explain)));
  environment.out().Write(options.json ? DumpJson(OutlookJson(outlook)) + "\n" : OutlookText(outlook));
  return outlook.exists ? kExitOk : kExitNotFound;
}

Result<int> Collect(Environment& environment, const GcCommandOptions& options) {
  LS_ASSIGN(Deployment * deployment, environment.Open(false));
  CollectorOptions settings;
  settings.grace = deployment->options().times.grace;
  LS_ASSIGN(const StoreUrl metadata, StoreUrl::Parse(deployment->options().metadata_url));
  if (metadata.kind == StoreUrl::Kind::kLmdb) settings.boot_id = BootId();
  const CollectorParts parts{environment.runtime(), deployment->metadata(), deployment->wal(), deployment->compacted(),
                             deployment->catalog()};
  Collector collector(parts, settings);
  if (!options.explain.empty()) return Explain(environment, collector, options);
  GcRun run(environment, collector, options, settings.grace);
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
