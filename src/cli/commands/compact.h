#pragma once

#include <string>
#include <vector>

#include "cli/environment.h"
#include "codec/compression/compression.h"

namespace lakestream {

struct CompactCommandOptions {
  std::vector<std::string> streams;  ///< none: all of the deployment
  Compression compression = Compression::kZstd;  ///< of the files
  bool now = false;      ///< also what is small and young
  bool watch = false;    ///< go on until a signal comes
  bool dry_run = false;  ///< say what would be done, and why
  bool json = false;
};

/// Ends with 1, or 5 where that is damage, where a log could not be compacted; the others were.
int RunCompact(Environment& environment, const CompactCommandOptions& options);

}  // namespace lakestream
