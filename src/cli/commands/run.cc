#include "cli/commands/run.h"

#include <fmt/format.h>

#include "base/logging.h"
#include "base/try.h"
#include "cli/command_thread.h"
#include "cli/exit_code.h"

namespace lakestream {
namespace {

Status KeepUp(Environment& environment, const UpkeepOptions& options) {
  LS_ASSIGN(Deployment * deployment, environment.Open(false));
  Upkeep upkeep(environment.runtime(), *deployment, options);
  CommandThread thread(environment);
  const Duration usual = UsualCollectionPause(deployment->options().times.grace);
  Log(LogLevel::kInfo, fmt::format("background jobs run compact_every={} retain_every={} gc_every={}",
                                   FormatDuration(options.compact_every), FormatDuration(options.retain_every),
                                   FormatDuration(options.collect_every.value_or(usual))));
  LS_TRY(environment.ServeMetrics(*deployment, &upkeep));
  const Status status = thread.Run(upkeep.Run(thread.context()));
  environment.EndMetrics();
  LS_TRY(status);
  Log(LogLevel::kInfo, fmt::format("background jobs have ended signal={}", thread.signal()));
  return OkStatus();
}

}  // namespace

int RunUpkeep(Environment& environment, const RunCommandOptions& options) {
  const Status status = KeepUp(environment, options.upkeep);
  if (status.ok()) return kExitOk;
  PrintError(status);
  return ExitCodeFor(status.code());
}

}  // namespace lakestream
