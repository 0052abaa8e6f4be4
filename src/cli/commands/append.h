#pragma once

#include <optional>
#include <string>

#include "cli/environment.h"

namespace lakestream {

struct AppendOptions {
  std::string stream;
  std::string file;  ///< empty or "-": standard input
  std::optional<int> partition;
  bool raw = false;      ///< the whole input is one entry
  bool offsets = false;  ///< a line "LINE PARTITION OFFSET" per acknowledged entry, at once
  bool json = false;     ///< the summary as JSON on standard output
};

/// Appends each line of the input as one entry of one record. Line i (from 0) goes to partition i mod N
/// unless one is named. Ends with 0 only when every line is acknowledged.
int RunAppend(Environment& environment, const AppendOptions& options);

}  // namespace lakestream
