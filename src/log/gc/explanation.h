#pragma once

#include <string>

#include "log/gc/collector.h"

namespace lakestream {

/// Collector::Explain.
Task<Result<ObjectOutlook>> ExplainObject(CollectorParts parts, const CollectorOptions& options, OpContext context,
                                          std::string object);

}  // namespace lakestream
