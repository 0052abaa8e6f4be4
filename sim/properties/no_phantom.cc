#include <fmt/format.h>

#include "sim/properties/property.h"

namespace lakestream::sim {
namespace {

Contradiction Check(const Evidence& evidence) {
  const std::map<AppendNumber, const Operation*> appends = AppendsByNumber(evidence);
  std::map<AppendNumber, const Sighting*> places;
  const std::vector<Sighting> sightings = AllSightings(evidence);
  for (const Sighting& sighting : sightings) {
    const SeenEntry& entry = *sighting.entry;
    const auto found = appends.find(entry.number);
    if (found == appends.end()) {
      return fmt::format("{} saw {}: bytes that nobody appended to log {}", Where(sighting), ToString(entry),
                         sighting.log.value());
    }
    const Operation& append = *found->second;
    if (append.log != sighting.log) {
      return fmt::format("{} saw {} in log {}; {}", Where(sighting), ToString(entry), sighting.log.value(),
                         ToString(append));
    }
    if (!append.may_have_happened()) {
      return fmt::format("{} saw {}; but {}", Where(sighting), ToString(entry), ToString(append));
    }
    if (append.records != entry.records || append.size != entry.size) {
      return fmt::format("{} saw {}, not all of {} with {} records and {} B", Where(sighting), ToString(entry),
                         ToString(append), append.records, append.size);
    }
    const auto [at, first] = places.emplace(entry.number, &sighting);
    if (!first && at->second->entry->offset != entry.offset) {
      return fmt::format("{} by {}; {} by {}", ToString(*at->second->entry), Where(*at->second), ToString(entry),
                         Where(sighting));
    }
  }
  return std::nullopt;
}

const PropertyRegistration kRegistered(Property{
    "no_phantom",
    "what is in a log was appended to it, whole, at most once, and was not answered as failed (P6, P7, P11, P28)",
    Check});

}  // namespace
}  // namespace lakestream::sim
