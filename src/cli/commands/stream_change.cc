#include "cli/commands/stream_change.h"

#include <fmt/format.h>

#include <utility>

#include "base/try.h"
#include "cli/counted.h"
#include "cli/exit_code.h"
#include "format/json.h"
#include "log/catalog/binding.h"
#include "log/catalog/stream_lister.h"
#include "log/isolation/isolation.h"
#include "model/retention.h"
#include "runtime/wait.h"

namespace lakestream {
namespace {

Status NoSuchStream(const std::string& name) {
  return NotFound("there is no such stream; see \"lakestream stream list\"").With("stream", name);
}

JsonValue Named(const StreamIdentifier& id) {
  JsonValue json = JsonValue::Object();
  json.Add("namespace", JsonValue::String(id.ns)).Add("name", JsonValue::String(id.name));
  return json;
}

Status Grow(Environment& environment, const StreamGrowOptions& options) {
  LS_ASSIGN(const StreamIdentifier id, StreamIdentifier::Parse(options.name));
  LS_ASSIGN(Deployment * deployment, environment.Open(false));
  LS_ASSIGN(const StreamMetadata before, environment.LoadStream(*deployment, options.name));
  LS_ASSIGN(const int now, Wait(deployment->catalog().GrowStream(OpContext(), id, options.partitions)));
  if (options.json) {
    JsonValue json = Named(id);
    json.Add("partitions_before", JsonValue::Int(static_cast<std::int64_t>(before.logs.size())))
        .Add("partitions", JsonValue::Int(now));
    environment.out().Write(DumpJson(json) + "\n");
  } else if (static_cast<std::size_t>(now) == before.logs.size()) {
    environment.out().Write(fmt::format("{} has {} already\n", options.name, Counted(now, "partition")));
  } else {
    environment.out().Write(
        fmt::format("{} has {}, before {}\n", options.name, Counted(now, "partition"), before.logs.size()));
  }
  return OkStatus();
}

Result<PropertyChange> ChangeOf(const StreamSetOptions& options) {
  PropertyChange change;
  for (const std::string& assignment : options.set) {
    const std::size_t equals = assignment.find('=');
    if (equals == std::string::npos || equals == 0) {
      return InvalidArgument("a property is set as NAME=VALUE").With("given", assignment);
    }
    change.set[assignment.substr(0, equals)] = assignment.substr(equals + 1);
  }
  // Whoever reads them can only complain, and keep all.
  LS_TRY(model::ParseRetentionRules(change.set).status());
  change.remove = options.unset;
  change.revision = options.revision;
  return change;
}

Status Set(Environment& environment, const StreamSetOptions& options) {
  LS_ASSIGN(const StreamIdentifier id, StreamIdentifier::Parse(options.name));
  LS_ASSIGN(PropertyChange change, ChangeOf(options));
  LS_ASSIGN(Deployment * deployment, environment.Open(false));
  LS_ASSIGN(const StreamMetadata stream, environment.LoadStream(*deployment, options.name));
  LS_ASSIGN(const StreamProperties now,
            Wait(deployment->catalog().SetProperties(OpContext(), stream.id, std::move(change))));
  if (options.json) {
    JsonValue json = Named(id);
    JsonValue properties = JsonValue::Object();
    for (const auto& [name, value] : now.properties) properties.Add(name, JsonValue::String(value));
    json.Add("properties", std::move(properties))
        .Add("revision", JsonValue::Int(now.revision))
        .Add("changed", JsonValue::Bool(now.changed));
    environment.out().Write(DumpJson(json) + "\n");
    return OkStatus();
  }
  for (const auto& [name, value] : now.properties) environment.out().Write(fmt::format("{}={}\n", name, value));
  if (!environment.quiet() && !now.changed) PrintNote("nothing to change");
  return OkStatus();
}

Status SetIsolation(Environment& environment, const StreamIsolateOptions& options) {
  LS_ASSIGN(Deployment * deployment, environment.Open(false));
  LS_ASSIGN(const StreamMetadata stream, environment.LoadStream(*deployment, options.name));
  std::size_t first = 0;
  std::size_t last = stream.logs.size() - 1;
  if (options.partition) {
    LS_ASSIGN(const int partition, ChoosePartition(stream, options.partition));
    first = last = static_cast<std::size_t>(partition);
  }
  MetadataStore& meta = deployment->metadata();
  std::int64_t changed = 0;
  for (std::size_t i = first; i <= last; ++i) {
    const LogId log = stream.logs[i];
    LS_ASSIGN(const bool change, Wait(options.end ? EndIsolation(meta, OpContext(), log) : Isolate(meta, OpContext(), log)));
    changed += change ? 1 : 0;
  }
  const auto asked = static_cast<std::int64_t>(last - first + 1);
  if (options.json) {
    JsonValue json = Named(LogicalIdOf(stream));
    json.Add("partitions", JsonValue::Int(asked))
        .Add("changed", JsonValue::Int(changed))
        .Add("isolated", JsonValue::Bool(!options.end));
    environment.out().Write(DumpJson(json) + "\n");
    return OkStatus();
  }
  environment.out().Write(fmt::format("{} {} {} isolated: {}{}\n", Counted(asked, "partition"), asked == 1 ? "is" : "are",
                                      options.end ? "no longer" : "now", LogicalIdOf(stream).ToString(),
                                      changed == 0 ? ", as before" : ""));
  return OkStatus();
}

Status Drop(Environment& environment, const StreamDropOptions& options) {
  LS_ASSIGN(const StreamIdentifier id, StreamIdentifier::Parse(options.name));
  LS_ASSIGN(Deployment * deployment, environment.Open(false));
  LS_ASSIGN(const std::optional<StreamListing> found, Wait(deployment->catalog().FindStream(OpContext(), id)));
  if (!found) return NoSuchStream(options.name);
  LS_ASSIGN(const StreamDropped dropped, Wait(deployment->catalog().DropStream(OpContext(), found->id)));
  if (options.json) {
    JsonValue json = Named(id);
    json.Add("partitions", JsonValue::Int(dropped.partitions));
    environment.out().Write(DumpJson(json) + "\n");
    return OkStatus();
  }
  const bool topic = IsTopicStreamName(found->id.name);
  environment.out().Write(fmt::format("dropped {}: {}{}\n", options.name, Counted(dropped.partitions, "partition"),
                                      topic ? "" : "; no raw stream can have the name again"));
  return OkStatus();
}

Status Purge(Environment& environment, const StreamPurgeOptions& options) {
  std::optional<StreamIdentifier> only;
  if (!options.name.empty()) {
    LS_ASSIGN(only, StreamIdentifier::Parse(options.name));
  }
  LS_ASSIGN(Deployment * deployment, environment.Open(false));
  LS_ASSIGN(const SweepReport report, Wait(deployment->catalog().Sweep(OpContext(), std::move(only))));
  if (report.dropped_streams == 0 && !options.name.empty()) {
    return NotFound("no stream of that name was dropped").With("stream", options.name);
  }
  if (options.json) {
    JsonValue json = JsonValue::Object();
    json.Add("dropped_streams", JsonValue::Int(report.dropped_streams))
        .Add("finished_drops", JsonValue::Int(report.finished_drops))
        .Add("partitions", JsonValue::Int(report.partitions))
        .Add("late_logs", JsonValue::Int(report.late_logs))
        .Add("held", JsonValue::Int(report.held));
    environment.out().Write(DumpJson(json) + "\n");
  } else {
    environment.out().Write(fmt::format("{}: finished {}, removed what was left of {}, late writes in {}\n",
                                        Counted(report.dropped_streams, "dropped stream"),
                                        Counted(report.finished_drops, "drop"), Counted(report.partitions, "partition"),
                                        Counted(report.late_logs, "log")));
  }
  if (report.held > 0) {
    environment.out().Flush();
    return Unavailable("writers still hold leases on what was dropped; purge again").With("held", report.held);
  }
  return OkStatus();
}

int Ended(const Status& status) {
  if (!status.ok()) PrintError(status);
  return ExitCodeFor(status.code());
}

}  // namespace

int RunStreamGrow(Environment& environment, const StreamGrowOptions& options) {
  return Ended(Grow(environment, options));
}

int RunStreamSet(Environment& environment, const StreamSetOptions& options) {
  return Ended(Set(environment, options));
}

int RunStreamIsolate(Environment& environment, const StreamIsolateOptions& options) {
  return Ended(SetIsolation(environment, options));
}

int RunStreamDrop(Environment& environment, const StreamDropOptions& options) {
  return Ended(Drop(environment, options));
}

int RunStreamPurge(Environment& environment, const StreamPurgeOptions& options) {
  return Ended(Purge(environment, options));
}

}  // namespace lakestream
