#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "sim/properties/property.h"
#include "sim/space.h"

namespace lakestream::sim {
namespace {

constexpr double kMost = 1.2;

/// Of the last quarter of a day.
Contradiction Judge(const std::vector<SpaceSample>& samples, Space SpaceSample::*which, const char* what) {
  std::vector<double> ratios;
  for (const SpaceSample& sample : samples) {
    const Space& space = sample.*which;
    const auto live = static_cast<double>(std::max<std::int64_t>(space.live, 1));
    ratios.push_back(static_cast<double>(space.stored) / live);
  }
  const Space& last = samples.back().*which;
  // Where nothing is compacted, or let go, next to nothing is garbage.
  if (2 * last.sealed < last.live) {
    return fmt::format("at the end of the day {} of {} live bytes {} are compacted", last.sealed, last.live, what);
  }
  const double at_the_end = ratios.back();
  const auto middle = ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2);
  std::nth_element(ratios.begin(), middle, ratios.end());
  if (at_the_end <= kMost && *middle <= kMost) return std::nullopt;
  return fmt::format("at the end of the day {} bytes {} are stored, and {} are live: {:.2f} times as many, and {:.2f} times "
                     "in the middle of the day's last quarter",
                     last.stored, what, last.live, at_the_end, *middle);
}

Contradiction Check(const Evidence& evidence) {
  const std::vector<SpaceSample> day = SpaceOver(evidence);
  if (day.empty()) return std::nullopt;
  const auto nothing_goes = [](const MarkerPut& put) { return put.marker == Offset(0); };
  const std::vector<MarkerPut> markers = MarkerPuts(evidence);
  if (std::all_of(markers.begin(), markers.end(), nothing_goes)) return "nothing is trimmed all day";
  const std::vector<SpaceSample> late(day.end() - static_cast<std::ptrdiff_t>((day.size() + 3) / 4), day.end());
  // What a stuck log has kept from being deleted before it was isolated is not judged.
  if (late.front().after_isolation.stored > 0) return Judge(late, &SpaceSample::after_isolation, "of the time after isolation");
  return Judge(late, &SpaceSample::all, "in all");
}

const PropertyRegistration kRegistered(Property{
    "space_converges", "in the last quarter of a day stored bytes are at most 1.2 times those that are live", Check,
    Needs::kStores});

}  // namespace
}  // namespace lakestream::sim
