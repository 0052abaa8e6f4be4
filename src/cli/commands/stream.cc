#include "cli/commands/stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <vector>

#include "base/try.h"
#include "cli/exit_code.h"
#include "format/json.h"
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

JsonValue NameJson(const StreamIdentifier& id) {
  JsonValue json = JsonValue::Object();
  json.Add("namespace", JsonValue::String(id.ns)).Add("name", JsonValue::String(id.name));
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
  LS_ASSIGN(Deployment * deployment, environment.Open(true));
  std::map<std::string, std::string> properties;
  properties.emplace("lakestream.binding", "raw");
  LS_ASSIGN(const StreamMetadata stream,
            Wait(deployment->catalog().CreateStream(OpContext(), id, options.partitions, std::move(properties))));
  if (options.json) {
    JsonValue json = NameJson(stream.id);
    JsonValue logs = JsonValue::Array();
    for (const LogId log : stream.logs) logs.Append(JsonValue::Int(log.value()));
    json.Add("logs", std::move(logs));
    environment.out().Write(DumpJson(json) + "\n");
  } else {
    environment.out().Write(fmt::format("created {}: {} partition{}, log id{} {}\n", stream.id.ToString(),
                                        stream.logs.size(), stream.logs.size() == 1 ? "" : "s",
                                        stream.logs.size() == 1 ? "" : "s", LogIdText(stream.logs)));
  }
  return OkStatus();
}

std::string Table(const std::vector<StreamListing>& streams) {
  std::size_t width = std::string_view("STREAM").size();
  for (const StreamListing& stream : streams) width = std::max(width, stream.id.ns.size() + 1 + stream.id.name.size());
  std::string text = fmt::format("{:<{}}  PARTITIONS  STATE\n", "STREAM", width);
  for (const StreamListing& stream : streams) {
    fmt::format_to(std::back_inserter(text), "{:<{}}  {:>10}  {}\n", stream.id.ns + "/" + stream.id.name, width,
                   stream.partitions, StateName(stream.state));
  }
  return text;
}

std::string ListJson(const std::vector<StreamListing>& streams) {
  JsonValue list = JsonValue::Array();
  for (const StreamListing& stream : streams) {
    JsonValue json = NameJson(stream.id);
    json.Add("partitions", JsonValue::Int(stream.partitions));
    json.Add("state", JsonValue::String(StateName(stream.state)));
    list.Append(std::move(json));
  }
  return DumpJson(list) + "\n";
}

Status List(Environment& environment, const StreamListOptions& options) {
  LS_ASSIGN(Deployment * deployment, environment.Open(false));
  LS_ASSIGN(const std::vector<StreamListing> streams, Wait(deployment->catalog().ListStreams(OpContext())));
  if (options.json) {
    environment.out().Write(ListJson(streams));
  } else if (!streams.empty()) {
    environment.out().Write(Table(streams));
  } else if (!environment.quiet()) {
    PrintNote("no streams yet; make one with \"lakestream stream create NAME\"");
  }
  return OkStatus();
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

}  // namespace lakestream
