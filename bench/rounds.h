#pragma once

#include <functional>
#include <vector>

#include "bench/benchmark.h"
#include "lakestream/status.h"

namespace lakestream::bench {

/// How often each side of a comparison runs: one after the other, alternating, so that both see the same machine.
inline constexpr int kRounds = 5;

/// The smallest of the values that at least `fraction` (0 to 1) of them do not exceed. Requires: not empty.
double QuantileOf(std::vector<double> values, double fraction);
inline double MedianOf(std::vector<double> values) { return QuantileOf(std::move(values), 0.5); }

/// What one run of one side measured, for example bytes a second.
using Side = std::function<Result<double>()>;

struct Compared {
  double ours = 0;  ///< the median of the rounds
  double peer = 0;
  double ratio() const { return ours / peer; }
};

/// Runs both sides kRounds times, alternating. Ends early with the first error, or where the run is to end.
Result<Compared> Compare(const BenchOptions& options, const Side& ours, const Side& peer);

}  // namespace lakestream::bench
