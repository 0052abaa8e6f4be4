#pragma once

#include <string>

#include "cli/environment.h"

namespace lakestream {

struct InspectBatchOptions {
  std::string file;  ///< or "-" for standard input
  bool json = false;
};

/// Checks an entry's payload of record batches down to each record, and prints the header of each batch, also of the
/// one that is wrong. Needs no deployment.
int RunInspectBatch(Environment& environment, const InspectBatchOptions& options);

}  // namespace lakestream
