#pragma once

#include <string>
#include <variant>

#include "cli/commands/append.h"
#include "cli/commands/bench.h"
#include "cli/commands/help.h"
#include "cli/commands/inspect.h"
#include "cli/commands/read.h"
#include "cli/commands/stream.h"
#include "cli/commands/trim.h"
#include "cli/commands/version.h"
#include "cli/environment.h"
#include "lakestream/status.h"

namespace lakestream {

/// A command line, understood.
struct Invocation {
  CommonOptions common;
  std::variant<HelpOptions, VersionOptions, StreamCreateOptions, StreamListOptions, StreamDescribeOptions,
               AppendOptions, ReadOptions, TrimOptions, InspectWalOptions, InspectIndexOptions, InspectMetaOptions,
               BenchCommandOptions>
      command;
};

/// Errors: invalid_argument; the message is one line that says what is wrong and what to do.
Result<Invocation> ParseArguments(int argc, const char* const* argv);

}  // namespace lakestream
