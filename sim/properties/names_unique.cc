#include <fmt/format.h>

#include "sim/properties/property.h"

namespace lakestream::sim {
namespace {

Contradiction Check(const Evidence& evidence) {
  std::map<std::string, const PutEvent*> names;
  for (const PutEvent& put : evidence.puts) {
    const auto [at, first] = names.emplace(put.name, &put);
    if (first) continue;
    return fmt::format("{} was put by {} at {} and by {} at {}", put.name, at->second->process, at->second->place,
                       put.process, put.place);
  }
  return std::nullopt;
}

const PropertyRegistration kRegistered(
    Property{"names_unique", "no object name is used twice, whatever the clocks say (P23)", Check, Needs::kStores});

}  // namespace
}  // namespace lakestream::sim
