#include "cli/commands/backup.h"

#include <fmt/format.h>

#include <optional>
#include <utility>
#include <vector>

#include "base/try.h"
#include "cli/counted.h"
#include "cli/exit_code.h"
#include "cli/tree_text.h"
#include "codec/utf8.h"
#include "format/json.h"
#include "log/backup/backup.h"
#include "log/holds/holds.h"
#include "log/backup/restore.h"
#include "runtime/posix/new_folder.h"
#include "runtime/wait.h"

namespace lakestream {
namespace {

JsonValue Number(std::uint64_t value) { return JsonValue::Int(static_cast<std::int64_t>(value)); }

int Ended(const Status& status) {
  if (!status.ok()) PrintError(status);
  return ExitCodeFor(status.code());
}

Status BackUp(Environment& environment, const BackupOptions& options) {
  LS_ASSIGN(Deployment * deployment, environment.Open(false));
  std::optional<std::string> config;
  if (const std::optional<std::string> file = environment.ConfigFile()) {
    LS_ASSIGN(config, ReadWholeFile(*file));
  }
  LS_ASSIGN(const BackupReport report,
            Wait(BackUpMetadata(environment.runtime(), *deployment, OpContext(), options.folder, std::move(config))));
  if (options.json) {
    JsonValue json = JsonValue::Object();
    json.Add("folder", JsonValue::String(options.folder))
        .Add("records", Number(report.records))
        .Add("bytes", Number(report.bytes))
        .Add("made_ms", JsonValue::Int(report.made_ms))
        .Add("usable_until_ms", JsonValue::Int(report.usable_until_ms));
    environment.out().Write(DumpJson(json) + "\n");
    return OkStatus();
  }
  environment.out().Write(fmt::format("copied {}, {}, to {}\n", Counted(report.records, "record"),
                                      Counted(report.bytes, "byte"), Printable(options.folder)));
  environment.out().Write(fmt::format("usable until {}: objects that it names may be collected from then on\n",
                                      UtcText(report.usable_until_ms)));
  return OkStatus();
}

JsonValue RestoreJson(const RestoreReport& report, JsonValue lost) {
  JsonValue json = JsonValue::Object();
  json.Add("made_ms", JsonValue::Int(report.made_ms))
      .Add("usable_until_ms", JsonValue::Int(report.usable_until_ms))
      .Add("epoch", JsonValue::Int(report.epoch))
      .Add("log_ids_above", JsonValue::Int(report.given_out))
      .Add("records", Number(report.records))
      .Add("sessions_ended", Number(report.sessions_ended))
      .Add("damage", Number(report.damage))
      .Add("lost_objects", std::move(lost))
      .Add("lost_entries", JsonValue::Int(report.lost_entries))
      .Add("lost_bytes", JsonValue::Int(report.lost_bytes))
      .Add("hold", JsonValue::String(report.hold));
  return json;
}

void PrintRestore(Output& out, const RestoreReport& report) {
  if (report.lost_objects > 0) {
    out.Write(fmt::format("newer than the copy: {} with {} of {}, perhaps acknowledged and now in no index: lost to this "
                          "deployment\n",
                          Counted(report.lost_objects, "object"), Counted(report.lost_entries, "entry", "entries"),
                          Counted(report.lost_bytes, "byte")));
  }
  out.Write(fmt::format("restored {} as of {}\n", Counted(report.records, "record"), UtcText(report.made_ms)));
  out.Write(fmt::format("epoch {}, {} ended, new log ids are above {}\n", report.epoch,
                        Counted(report.sessions_ended, "session"), report.given_out));
  out.Write(fmt::format("collection is held until \"lakestream hold release {}\"\n", report.hold));
}

Status Restore(Environment& environment, const RestoreOptions& options) {
  Output& out = environment.out();
  LS_ASSIGN(DeploymentOptions target, LocateDeployment(options.to));
  JsonValue lost = JsonValue::Array();
  const auto on_lost = [&](const LostObject& object) {
    if (options.json) {
      JsonValue json = JsonValue::Object();
      json.Add("object", JsonValue::String(object.key))
          .Add("bytes", Number(object.bytes))
          .Add("entries", JsonValue::Int(object.entries))
          .Add("payload_bytes", JsonValue::Int(object.payload_bytes));
      lost.Append(std::move(json));
      return;
    }
    out.Write(fmt::format("lost: {} bytes={} entries={} payload_bytes={}\n", object.key, object.bytes, object.entries,
                          object.payload_bytes));
  };
  LS_ASSIGN(const RestoreReport report, Wait(RestoreMetadata(environment.runtime(), OpContext(), options.backup,
                                                             std::move(target), on_lost)));
  if (options.json) {
    out.Write(DumpJson(RestoreJson(report, std::move(lost))) + "\n");
  } else {
    PrintRestore(out, report);
  }
  out.Flush();
  const std::int64_t now_ms = ToMillis(environment.runtime().clock.Wall());
  if (now_ms >= report.usable_until_ms && !environment.quiet()) {
    PrintNote("the copy is older than the grace: objects that it names may have been collected");
  }
  if (report.damage == 0) return OkStatus();
  return Corrupt("the restored metadata and the objects do not fit; see \"lakestream fsck\"")
      .With("places", report.damage);
}

Status ListAll(Environment& environment, const HoldListOptions& options) {
  LS_ASSIGN(Deployment * deployment, environment.Open(false));
  LS_ASSIGN(const std::vector<CollectionHold> holds, Wait(ListHolds(deployment->metadata(), OpContext())));
  if (options.json) {
    JsonValue json = JsonValue::Array();
    for (const CollectionHold& hold : holds) {
      JsonValue item = JsonValue::Object();
      item.Add("name", JsonValue::String(hold.name))
          .Add("created_ms", JsonValue::Int(hold.created_ms))
          .Add("reason", JsonValue::String(hold.reason));
      json.Append(std::move(item));
    }
    environment.out().Write(DumpJson(json) + "\n");
    return OkStatus();
  }
  if (holds.empty() && !environment.quiet()) PrintNote("there is no hold");
  for (const CollectionHold& hold : holds) {
    environment.out().Write(fmt::format("{}  {}  {}\n", hold.name, UtcText(hold.created_ms), Printable(hold.reason)));
  }
  return OkStatus();
}

Status Add(Environment& environment, const HoldAddOptions& options) {
  LS_ASSIGN(Deployment * deployment, environment.Open(false));
  LS_TRY(Wait(AddHold(environment.runtime(), deployment->metadata(), OpContext(), options.name, options.reason)));
  environment.out().Write("held: " + options.name + "\n");
  return OkStatus();
}

Status Release(Environment& environment, const HoldReleaseOptions& options) {
  LS_ASSIGN(Deployment * deployment, environment.Open(false));
  LS_TRY(Wait(ReleaseHold(deployment->metadata(), OpContext(), options.name)));
  environment.out().Write("released: " + options.name + "\n");
  return OkStatus();
}

}  // namespace

int RunBackup(Environment& environment, const BackupOptions& options) { return Ended(BackUp(environment, options)); }
int RunRestore(Environment& environment, const RestoreOptions& options) {
  return Ended(Restore(environment, options));
}
int RunHoldList(Environment& environment, const HoldListOptions& options) {
  return Ended(ListAll(environment, options));
}
int RunHoldAdd(Environment& environment, const HoldAddOptions& options) { return Ended(Add(environment, options)); }
int RunHoldRelease(Environment& environment, const HoldReleaseOptions& options) {
  return Ended(Release(environment, options));
}

}  // namespace lakestream
