#include <fmt/format.h>

#include "sim/properties/catalog_view.h"
#include "sim/properties/property.h"

namespace lakestream::sim {
namespace {

Contradiction Check(const Evidence& evidence) {
  if (!evidence.lost_records.empty()) return std::nullopt;
  CatalogView view;
  for (const StoreEvent& event : evidence.store) {
    view.Apply(event);
    const CatalogChange& named = event.catalog;
    if (named.kind != CatalogChange::Kind::kConfig || event.change.removed) continue;
    const auto config = view.configs.find(named.stream);
    if (config == view.configs.end() || config->second.state != ProvisioningState::kActive) continue;
    for (std::int32_t i = 0; i < config->second.partitions; ++i) {
      const auto mapping = view.mappings.find({named.stream, i});
      const auto record = view.records.find({named.stream, i});
      if (record == view.records.end()) continue;  // layout_only_grows tells of that
      const auto registration = view.registrations.find(record->second);
      if (registration == view.registrations.end()) {
        return fmt::format("{} partition {} has log {} at {}, which is not registered", named.stream, i,
                           record->second.value(), event.place);
      }
      if (mapping == view.mappings.end() || mapping->second.log != record->second) {
        return fmt::format("{} partition {} has log {} at {}, and its name is bound to another", named.stream, i,
                           record->second.value(), event.place);
      }
    }
  }
  return std::nullopt;
}

const PropertyRegistration kRegistered(
    Property{"registry_agrees", "log ids in configs, mappings and registrations agree", Check, Needs::kStores});

}  // namespace
}  // namespace lakestream::sim
