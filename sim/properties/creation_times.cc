#include <fmt/format.h>

#include "sim/properties/property.h"

namespace lakestream::sim {
namespace {

Contradiction Check(const Evidence& evidence) {
  std::map<std::pair<std::string, std::string>, std::int64_t> created;
  std::int64_t newest = 0;
  for (const StoreEvent& event : evidence.store) {
    const MetadataRecord& record = event.change.record;
    const auto id = std::make_pair(event.change.partition, record.key);
    if (event.change.removed) {
      created.erase(id);
      continue;
    }
    const auto [at, first] = created.emplace(id, record.created_ms);
    if (!first && at->second != record.created_ms) {
      return fmt::format("{} was from {} and is from {} since {}", record.key, at->second, record.created_ms,
                         event.place);
    }
    if (first && record.created_ms < newest) {
      return fmt::format("{} was made at {} with the time {}, after a record with the time {}", record.key, event.place,
                         record.created_ms, newest);
    }
    newest = std::max(newest, record.created_ms);
  }
  return std::nullopt;
}

const PropertyRegistration kRegistered(Property{
    "creation_times", "creation times never go back and outlive the replacement of a value (P26)",
    Check, Needs::kStores});

}  // namespace
}  // namespace lakestream::sim
