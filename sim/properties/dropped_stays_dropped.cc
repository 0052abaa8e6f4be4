#include <fmt/format.h>

#include "sim/properties/catalog_view.h"
#include "sim/properties/property.h"

namespace lakestream::sim {
namespace {

Contradiction Check(const Evidence& evidence) {
  std::map<std::string, const CatalogCall*> drops;  // the first of each stream that was answered well
  for (const CatalogCall& call : evidence.catalog) {
    if (call.kind != CatalogCall::Kind::kDrop || !call.done()) continue;
    const auto [first, fresh] = drops.emplace(call.stream, &call);
    if (!fresh && *call.ended < *first->second->ended) first->second = &call;
  }
  for (const CatalogCall& call : evidence.catalog) {
    const auto drop = drops.find(call.stream);
    if (drop == drops.end() || call.logs.empty() || !call.done() || call.began < *drop->second->ended) continue;
    return ToString(*drop->second) + "; " + ToString(call);
  }
  // Nor in the store, or after its config said so.
  CatalogView view;
  for (const StoreEvent& event : evidence.store) {
    const CatalogChange& named = event.catalog;
    const auto before = view.configs.find(named.stream);
    const bool dropped = before != view.configs.end() && before->second.state == ProvisioningState::kDropped;
    view.Apply(event);
    const auto now = view.configs.find(named.stream);
    const auto drop = drops.find(named.stream);
    const bool again = named.kind == CatalogChange::Kind::kConfig && now != view.configs.end() &&
                       now->second.state == ProvisioningState::kActive && drop != drops.end() &&
                       event.place > *drop->second->ended;
    if (again) return fmt::format("{}; the stream is active again from {} on", ToString(*drop->second), event.place);
    if (!dropped || now == view.configs.end() || now->second.state == ProvisioningState::kDropped) continue;
    return fmt::format("{} was dropped, and is {} from {} on", named.stream, ProvisioningStateName(now->second.state),
                       event.place);
  }
  return std::nullopt;
}

const PropertyRegistration kRegistered(
    Property{"dropped_stays_dropped", "a stream that was dropped never comes back", Check, Needs::kStores});

}  // namespace
}  // namespace lakestream::sim
