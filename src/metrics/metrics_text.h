#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lakestream/status.h"

namespace lakestream {

/// A line of the text form of Prometheus: name{label="value"} value.
struct MetricSample {
  std::string name;
  std::vector<std::pair<std::string, std::string>> labels;  ///< as they stand there
  double value = 0;

  /// Empty where there is no such label.
  std::string_view Label(std::string_view label) const;
};

/// What a scrape has answered. Comments are passed over, and so are times behind values. Errors: invalid_argument, with
/// the number of the line.
Result<std::vector<MetricSample>> ParseMetricsText(std::string_view text);

}  // namespace lakestream
