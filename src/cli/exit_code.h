#pragma once

#include "lakestream/status.h"

namespace lakestream {

/// What the process tells its caller. Part of the command's contract: docs/command.md lists them.
enum ExitCode : int {
  kExitOk = 0,
  kExitFailed = 1,           ///< what failed was definitely not done
  kExitWrongUse = 2,         ///< the command line asks for something that cannot be
  kExitMayHaveHappened = 3,  ///< a change may have been made, now or later
  kExitNotFound = 4,         ///< no such deployment, stream, partition, record, object or input file
  kExitCorrupt = 5,          ///< stored bytes break their format
  kExitSignalBase = 128,     ///< plus the number of the signal that ended the work early
};

/// The exit code for an outcome.
constexpr ExitCode ExitCodeFor(StatusCode code) {
  switch (code) {
    case StatusCode::kOk:
      return kExitOk;
    case StatusCode::kInvalidArgument:
      return kExitWrongUse;
    case StatusCode::kIndeterminate:
      return kExitMayHaveHappened;
    case StatusCode::kNotFound:
      return kExitNotFound;
    case StatusCode::kCorrupt:
      return kExitCorrupt;
    default:
      return kExitFailed;
  }
}

}  // namespace lakestream
