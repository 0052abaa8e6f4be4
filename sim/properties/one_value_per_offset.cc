#include <fmt/format.h>

#include "sim/properties/property.h"

namespace lakestream::sim {
namespace {

Contradiction Check(const Evidence& evidence) {
  std::map<std::pair<LogId, Offset>, const Sighting*> seen;
  const std::vector<Sighting> sightings = AllSightings(evidence);
  for (const Sighting& sighting : sightings) {
    if (IsDeleted(evidence, sighting.log)) continue;
    const auto [at, first] = seen.emplace(std::make_pair(sighting.log, sighting.entry->offset), &sighting);
    const SeenEntry& before = *at->second->entry;
    if (first || before.number == sighting.entry->number) continue;
    return fmt::format("{} by {}; {} by {}", ToString(before), Where(*at->second), ToString(*sighting.entry),
                       Where(sighting));
  }
  return std::nullopt;
}

const PropertyRegistration kRegistered(
    Property{"one_value_per_offset", "everybody sees the same entry at an offset, always (P2)", Check});

}  // namespace
}  // namespace lakestream::sim
