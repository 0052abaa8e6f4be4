#include "bench/rounds.h"

#include <algorithm>
#include <cmath>

#include "base/invariant.h"
#include "base/try.h"

namespace lakestream::bench {

double QuantileOf(std::vector<double> values, double fraction) {
  LS_INVARIANT(!values.empty(), "a quantile is of something");
  std::sort(values.begin(), values.end());
  const auto rank = static_cast<std::size_t>(std::ceil(fraction * static_cast<double>(values.size())));
  return values[std::clamp<std::size_t>(rank, 1, values.size()) - 1];
}

Result<Compared> Compare(const BenchOptions& options, const Side& ours, const Side& peer) {
  std::vector<double> of_ours;
  std::vector<double> of_peer;
  for (int round = 0; round < kRounds; ++round) {
    LS_TRY(CheckStopped(options));
    LS_ASSIGN(const double one, ours());
    of_ours.push_back(one);
    LS_ASSIGN(const double other, peer());
    of_peer.push_back(other);
  }
  Compared compared;
  compared.ours = MedianOf(std::move(of_ours));
  compared.peer = MedianOf(std::move(of_peer));
  return compared;
}

}  // namespace lakestream::bench
