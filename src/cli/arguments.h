#pragma once

#include <string>
#include <variant>

#include "cli/commands/append.h"
#include "cli/commands/backup.h"
#include "cli/commands/bench.h"
#include "cli/commands/compact.h"
#include "cli/commands/completion.h"
#include "cli/commands/cost.h"
#include "cli/commands/fsck.h"
#include "cli/commands/gc.h"
#include "cli/commands/help.h"
#include "cli/commands/inspect.h"
#include "cli/commands/inspect_batch.h"
#include "cli/commands/inspect_compacted.h"
#include "cli/commands/read.h"
#include "cli/commands/retain.h"
#include "cli/commands/run.h"
#include "cli/commands/stream.h"
#include "cli/commands/stream_change.h"
#include "cli/commands/trim.h"
#include "cli/commands/version.h"
#include "cli/environment.h"
#include "lakestream/status.h"

namespace lakestream {

/// A command line, understood.
struct Invocation {
  CommonOptions common;
  std::variant<HelpOptions, VersionOptions, CompletionOptions, StreamCreateOptions, StreamListOptions, StreamDescribeOptions,
               StreamGrowOptions, StreamSetOptions, StreamIsolateOptions, StreamDropOptions, StreamPurgeOptions,
               AppendOptions, ReadOptions, TrimOptions, InspectWalOptions, InspectIndexOptions, InspectMetaOptions,
               InspectBatchOptions, InspectCompactedOptions, InspectCompanionOptions, CompactCommandOptions, RetainCommandOptions, GcCommandOptions, RunCommandOptions, FsckCommandOptions, BackupOptions,
               RestoreOptions, HoldListOptions, HoldAddOptions, HoldReleaseOptions, CostOptions, BenchCommandOptions>
      command;
};

/// Errors: invalid_argument; the message is one line that says what is wrong and what to do.
Result<Invocation> ParseArguments(int argc, const char* const* argv);

}  // namespace lakestream
