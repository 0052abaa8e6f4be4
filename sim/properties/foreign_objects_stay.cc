#include <fmt/format.h>

#include "sim/properties/property.h"

namespace lakestream::sim {
namespace {

Contradiction Check(const Evidence& evidence) {
  for (const CollectedEvent& event : evidence.collected) {
    if (!evidence.foreign.contains(event.object)) continue;
    return fmt::format("{} is collected by {} at {}", event.object, event.process, event.place);
  }
  for (const std::string& object : evidence.foreign) {
    if (!evidence.final_objects.contains(object)) return fmt::format("{} is not there at the end", object);
  }
  return std::nullopt;
}

const PropertyRegistration kRegistered(
    Property{"foreign_objects_stay", "objects of other programs are left alone", Check, Needs::kStores});

}  // namespace
}  // namespace lakestream::sim
