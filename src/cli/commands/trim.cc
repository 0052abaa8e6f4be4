#include "cli/commands/trim.h"

#include <fmt/format.h>

#include "base/try.h"
#include "cli/exit_code.h"
#include "format/json.h"
#include "log/catalog/stream_lister.h"
#include "runtime/wait.h"

namespace lakestream {
namespace {

Status Trim(Environment& environment, const TrimOptions& options) {
  LS_ASSIGN(Deployment * deployment, environment.Open(false));
  LS_ASSIGN(const StreamMetadata stream, environment.LoadStream(*deployment, options.stream));
  LS_ASSIGN(const int partition, ChoosePartition(stream, options.partition));
  const LogId log = stream.logs[static_cast<std::size_t>(partition)];
  LS_ASSIGN(const SoftTrimOutcome outcome,
            Wait(deployment->SoftTrim(OpContext(), log, Offset(options.before - 1))));
  if (options.json) {
    JsonValue json = JsonValue::Object();
    json.Add("stream", JsonValue::String(LogicalIdOf(stream).ToString()))
        .Add("partition", JsonValue::Int(partition))
        .Add("log_id", JsonValue::Int(log.value()))
        .Add("asked", JsonValue::Int(options.before))
        .Add("trim_marker_before", JsonValue::Int(outcome.before.value()))
        .Add("trim_marker", JsonValue::Int(outcome.after.value()))
        .Add("kept_last_record", JsonValue::Bool(outcome.capped));
    environment.out().Write(DumpJson(json) + "\n");
    return OkStatus();
  }
  const std::string line = outcome.after == outcome.before
                               ? fmt::format("trim marker stays at {}; asked {}", outcome.after.value(), options.before)
                               : fmt::format("trim marker {} -> {}; asked {}", outcome.before.value(),
                                             outcome.after.value(), options.before);
  environment.out().Write(line);
  environment.out().Write(outcome.capped ? ", kept the last record\n" : "\n");
  return OkStatus();
}

}  // namespace

int RunTrim(Environment& environment, const TrimOptions& options) {
  const Status status = Trim(environment, options);
  if (!status.ok()) PrintError(status);
  return ExitCodeFor(status.code());
}

}  // namespace lakestream
