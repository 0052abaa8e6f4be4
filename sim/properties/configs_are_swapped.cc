#include <fmt/format.h>

#include "sim/properties/catalog_view.h"
#include "sim/properties/property.h"

namespace lakestream::sim {
namespace {

/// Of two changes for one revision one is made.
Contradiction TwoOfOneRevision(const Evidence& evidence) {
  std::map<std::pair<std::string, std::int64_t>, const CatalogCall*> made;
  for (const CatalogCall& call : evidence.catalog) {
    if (call.kind != CatalogCall::Kind::kSet || !call.done() || !call.changed || !call.revision) continue;
    // Revisions of two streams may be equal, and a topic is another stream each time.
    if (call.asked.starts_with("default/topic")) continue;
    const auto [first, fresh] = made.emplace(std::pair(call.asked, *call.revision), &call);
    if (!fresh) return ToString(*first->second) + "; " + ToString(call);
  }
  return std::nullopt;
}

/// Fields that the catalog does not know stay while a config lives.
Contradiction LostField(const Evidence& evidence) {
  CatalogView view;
  for (const StoreEvent& event : evidence.store) {
    const CatalogChange& named = event.catalog;
    const auto before = view.configs.find(named.stream);
    const bool had = before != view.configs.end() && !before->second.unknown.empty();
    view.Apply(event);
    if (named.kind != CatalogChange::Kind::kConfig) continue;
    const auto now = view.configs.find(named.stream);
    if (!had || now == view.configs.end() || !now->second.unknown.empty()) continue;
    return fmt::format("the config of {} loses a field of another program at {}", named.stream, event.place);
  }
  return std::nullopt;
}

Contradiction Check(const Evidence& evidence) {
  Contradiction two = TwoOfOneRevision(evidence);
  return two ? two : LostField(evidence);
}

const PropertyRegistration kRegistered(Property{
    "configs_are_swapped", "of two changes for one revision one is made, and nobody's fields are lost",
    Check, Needs::kStores});

}  // namespace
}  // namespace lakestream::sim
