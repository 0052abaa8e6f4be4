#pragma once

#include <string>

#include "cli/environment.h"

namespace lakestream {

struct InspectCompactedOptions {
  std::string file;  ///< a compacted Parquet file; its companion lies beside it
  bool json = false;
};

struct InspectCompanionOptions {
  std::string file;  ///< or "-" for standard input
  bool json = false;
};

/// Shows a compacted file's footer, row groups and pages and what its companion covers, and checks every row: pages down
/// to the payload, the companion against the rows, and of binding kafka the record batches. Needs no deployment.
int RunInspectCompacted(Environment& environment, const InspectCompactedOptions& options);

/// Shows all rows of a companion. Needs no deployment.
int RunInspectCompanion(Environment& environment, const InspectCompanionOptions& options);

}  // namespace lakestream
