#pragma once

#include <vector>

#include "lakestream/status.h"
#include "metrics/metrics_text.h"
#include "model/cost.h"

namespace lakestream {

/// What a process that serves such metrics has asked of its object stores. Errors: invalid_argument (they are not those of
/// one process of Lakestream; they name an operation that is not known).
Result<model::ProcessRequests> RequestsOf(const std::vector<MetricSample>& samples);

}  // namespace lakestream
