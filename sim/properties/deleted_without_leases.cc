#include <fmt/format.h>

#include "sim/properties/catalog_view.h"
#include "sim/properties/property.h"

namespace lakestream::sim {
namespace {

Contradiction Check(const Evidence& evidence) {
  CatalogView view;
  for (const StoreEvent& event : evidence.store) {
    const CatalogChange& named = event.catalog;
    if (event.change.removed && named.kind == CatalogChange::Kind::kFence) {
      return fmt::format("the fence of log {} is removed at {}", named.log.value(), event.place);
    }
    const bool index = event.change.removed && named.kind == CatalogChange::Kind::kIndex;
    // A trim keeps the last record; whoever takes that deletes the log.
    const bool last = index && view.index[named.log].size() == 1;
    if (last && !view.fences.contains(named.log)) {
      return fmt::format("the last record of log {}, which has no fence, is removed at {}", named.log.value(),
                         event.place);
    }
    if (last && !view.leases[named.log].empty()) {
      return fmt::format("the last record of log {} is removed at {}, with {} there", named.log.value(), event.place,
                         *view.leases[named.log].begin());
    }
    view.Apply(event);
  }
  return std::nullopt;
}

const PropertyRegistration kRegistered(Property{
    "deleted_without_leases", "a log is deleted behind a fence that stays, and without leases", Check, Needs::kStores});

}  // namespace
}  // namespace lakestream::sim
