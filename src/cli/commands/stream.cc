#include "cli/commands/stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include "base/try.h"
#include "cli/counted.h"
#include "cli/exit_code.h"
#include "cli/tree_text.h"
#include "codec/utf8.h"
#include "format/json.h"
#include "log/catalog/binding.h"
#include "log/catalog/stream_lister.h"
#include "log/inspect/log_summary.h"
#include "log/isolation/isolation.h"
#include "runtime/wait.h"

namespace lakestream {
namespace {

std::string_view StateName(LifecycleState state) {
  switch (state) {
    case LifecycleState::kCreating:
      return "creating";
    case LifecycleState::kActive:
      return "active";
    case LifecycleState::kDeleting:
      return "deleting";
  }
  return "unknown";
}

/// What people call a stream, and under which name it is stored where that is another one.
JsonValue NameJson(const StreamIdentifier& id, const std::string& logical) {
  JsonValue json = JsonValue::Object();
  json.Add("namespace", JsonValue::String(id.ns)).Add("name", JsonValue::String(logical));
  if (logical != id.name) json.Add("stored_name", JsonValue::String(id.name));
  return json;
}

/// "1 2 3", or "1-3" where the numbers follow one another.
std::string LogIdText(const std::vector<LogId>& logs) {
  std::string text;
  for (std::size_t i = 0; i < logs.size();) {
    std::size_t last = i;
    while (last + 1 < logs.size() && logs[last + 1].value() == logs[last].value() + 1) ++last;
    if (!text.empty()) text += ' ';
    text += logs[i].ToString();
    if (last > i) text += (last > i + 1 ? '-' : ' ') + logs[last].ToString();
    i = last + 1;
  }
  return text;
}

Status Create(Environment& environment, const StreamCreateOptions& options) {
  // Checked first, so that a bad name makes no deployment.
  LS_ASSIGN(StreamIdentifier id, StreamIdentifier::Parse(options.name));
  LS_ASSIGN(const Binding binding, ParseBinding(options.binding));
  LS_ASSIGN(Deployment * deployment, environment.Open(true));
  std::map<std::string, std::string> properties;
  properties.emplace(kBindingProperty, BindingName(binding));
  LS_ASSIGN(const StreamMetadata stream,
            Wait(deployment->catalog().CreateStream(OpContext(), id, options.partitions, std::move(properties))));
  if (options.json) {
    JsonValue json = NameJson(stream.id, id.name);
    JsonValue logs = JsonValue::Array();
    for (const LogId log : stream.logs) logs.Append(JsonValue::Int(log.value()));
    json.Add("logs", std::move(logs));
    environment.out().Write(DumpJson(json) + "\n");
  } else {
    const std::size_t partitions = stream.logs.size();
    environment.out().Write(fmt::format("created {}: {}, log id{} {}\n", id.ToString(), Counted(partitions, "partition"),
                                        partitions == 1 ? "" : "s", LogIdText(stream.logs)));
  }
  return OkStatus();
}

/// The names are as wide as the first page has them.
std::size_t NameWidth(const std::vector<StreamListing>& streams) {
  std::size_t width = std::string_view("STREAM").size();
  for (const StreamListing& stream : streams) width = std::max(width, stream.id.ns.size() + 1 + stream.logical_name.size());
  return width;
}

std::string Rows(const std::vector<StreamListing>& streams, std::size_t width) {
  std::string text;
  for (const StreamListing& stream : streams) {
    fmt::format_to(std::back_inserter(text), "{:<{}}  {:>10}  {}\n", stream.id.ns + "/" + stream.logical_name, width,
                   stream.partitions, StateName(stream.state));
  }
  return text;
}

std::string JsonItems(const std::vector<StreamListing>& streams, bool first) {
  std::string text;
  for (const StreamListing& stream : streams) {
    JsonValue json = NameJson(stream.id, stream.logical_name);
    json.Add("partitions", JsonValue::Int(stream.partitions));
    json.Add("state", JsonValue::String(StateName(stream.state)));
    if (!std::exchange(first, false)) text += ",";
    text += DumpJson(json);
  }
  return text;
}

/// A page at a time, so that a million streams need no more memory than a thousand.
Status List(Environment& environment, const StreamListOptions& options) {
  LS_ASSIGN(Deployment * deployment, environment.Open(false));
  StreamLister lister = deployment->catalog().ListStreams();
  Output& out = environment.out();
  std::size_t width = 0;
  bool first = true;
  while (!out.closed()) {
    LS_ASSIGN(std::vector<StreamListing> page, Wait(lister.Next(OpContext())));
    if (page.empty()) break;
    std::sort(page.begin(), page.end(), [](const StreamListing& a, const StreamListing& b) { return a.id < b.id; });
    if (first && !options.json) {
      width = NameWidth(page);
      out.Write(fmt::format("{:<{}}  PARTITIONS  STATE\n", "STREAM", width));
    }
    if (first && options.json) out.Write("[");
    out.Write(options.json ? JsonItems(page, first) : Rows(page, width));
    out.Flush();
    first = false;
  }
  if (options.json) {
    out.Write(first ? "[]\n" : "]\n");
  } else if (first && !environment.quiet()) {
    PrintNote("no streams yet; make one with \"lakestream stream create NAME\"");
  }
  return OkStatus();
}

JsonValue PartitionJson(std::size_t partition, LogId log, const LogSummary& summary, bool isolated) {
  JsonValue json = JsonValue::Object();
  json.Add("partition", JsonValue::Int(static_cast<std::int64_t>(partition)))
      .Add("log_id", JsonValue::Int(log.value()))
      .Add("first_offset", JsonValue::Int(summary.first.value()))
      .Add("end_offset", JsonValue::Int(summary.end.value()))
      .Add("trim_marker", JsonValue::Int(summary.trim_marker.value()))
      .Add("entries", summary.entries ? JsonValue::Int(*summary.entries) : JsonValue::Null())
      .Add("payload_bytes", JsonValue::Int(summary.payload_bytes))
      .Add("cumulative_size", JsonValue::Int(summary.cumulative_size))
      .Add("index_records", JsonValue::Int(summary.index_records))
      .Add("parquet_records", JsonValue::Int(summary.parquet_records))
      .Add("damaged_records", JsonValue::Int(summary.damaged))
      .Add("last_append_ms",
           summary.last_append_ms == 0 ? JsonValue::Null() : JsonValue::Int(summary.last_append_ms))
      .Add("fenced", JsonValue::Bool(summary.fenced))
      .Add("isolated", JsonValue::Bool(isolated))
      .Add("leases", JsonValue::Int(static_cast<std::int64_t>(summary.leases.size())));
  return json;
}

void AddLeases(std::size_t partition, const LogSummary& summary, JsonValue& leases) {
  for (const LeaseSummary& lease : summary.leases) {
    JsonValue json = JsonValue::Object();
    json.Add("partition", JsonValue::Int(static_cast<std::int64_t>(partition)))
        .Add("token", JsonValue::String(Printable(lease.token)))
        .Add("session", JsonValue::String(lease.session))
        .Add("process", lease.process == 0 ? JsonValue::Null() : JsonValue::Int(lease.process))
        .Add("created_ms", JsonValue::Int(lease.created_ms));
    leases.Append(std::move(json));
  }
}

Status DescribeStream(Environment& environment, const StreamDescribeOptions& options) {
  LS_ASSIGN(Deployment * deployment, environment.Open(false));
  LS_ASSIGN(const StreamMetadata stream, environment.LoadStream(*deployment, options.name));
  LS_ASSIGN(const std::vector<LogId> isolated, Wait(ListIsolated(deployment->metadata(), OpContext())));
  JsonValue partitions = JsonValue::Array();
  JsonValue leases = JsonValue::Array();
  Status damage;
  for (std::size_t i = 0; i < stream.logs.size(); ++i) {
    LS_ASSIGN(const LogSummary summary, Wait(SummarizeLog(deployment->metadata(), OpContext(), stream.logs[i])));
    const bool alone = std::binary_search(isolated.begin(), isolated.end(), stream.logs[i]);
    partitions.Append(PartitionJson(i, stream.logs[i], summary, alone));
    AddLeases(i, summary, leases);
    if (damage.ok() && !summary.damage.ok()) damage = summary.damage.With("partition", i);
  }
  JsonValue properties = JsonValue::Object();
  for (const auto& [name, value] : stream.properties) properties.Add(name, JsonValue::String(value));
  JsonValue json = NameJson(stream.id, LogicalIdOf(stream).name);
  json.Add("state", JsonValue::String(StateName(stream.state)))
      .Add("revision", JsonValue::Int(*stream.revision))
      .Add("properties", std::move(properties))
      .Add("partitions", std::move(partitions))
      .Add("leases", std::move(leases));
  if (options.json && !damage.ok()) json.Add("error", JsonValue::String(Printable(damage.message())));
  environment.out().Write(options.json ? DumpJson(json) + "\n" : TreeText(json));
  environment.out().Flush();
  return damage;
}

}  // namespace

int RunStreamCreate(Environment& environment, const StreamCreateOptions& options) {
  const Status status = Create(environment, options);
  if (!status.ok()) PrintError(status);
  return ExitCodeFor(status.code());
}

int RunStreamList(Environment& environment, const StreamListOptions& options) {
  const Status status = List(environment, options);
  if (!status.ok()) PrintError(status);
  return ExitCodeFor(status.code());
}

int RunStreamDescribe(Environment& environment, const StreamDescribeOptions& options) {
  const Status status = DescribeStream(environment, options);
  if (!status.ok()) PrintError(status);
  return ExitCodeFor(status.code());
}

}  // namespace lakestream
