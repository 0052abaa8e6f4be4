#include <fmt/format.h>

#include <limits>
#include <map>

#include "format/collection_holds.h"
#include "format/collection_records.h"
#include "sim/properties/property.h"

namespace lakestream::sim {
namespace {

/// The holds of a changed record; those that stood before stand since then.
std::map<std::string, Place> Standing(const StoreEvent& event, const std::map<std::string, Place>& before) {
  std::map<std::string, Place> now;
  if (event.change.removed) return now;
  const Result<CollectionHolds> record = DecodeCollectionHolds(event.change.record.value.text(), kCollectionHoldsKey);
  if (!record.ok()) return before;
  for (const CollectionHold& hold : record->holds) {
    const auto known = before.find(hold.name);
    now.emplace(hold.name, known != before.end() ? known->second : event.place);
  }
  return now;
}

/// Who looks for holds needs not see one that comes meanwhile: it must be older than the pass.
Contradiction Check(const Evidence& evidence) {
  std::map<std::string, Place> holds;   // that stand, by their names: since when
  std::map<std::string, Place> passes;  // by their keys: where they began
  std::size_t asked = 0;
  const auto until = [&](Place place) -> Contradiction {
    for (; asked < evidence.collected.size() && evidence.collected[asked].place < place; ++asked) {
      const CollectedEvent& event = evidence.collected[asked];
      const auto pass = passes.find(event.pass_key);
      for (const auto& [hold, since] : holds) {
        if (pass == passes.end() || since > pass->second) continue;
        return fmt::format("{} is collected by {} at {}; {} stands since {}", event.object, event.process, event.place,
                           hold, since);
      }
    }
    return std::nullopt;
  };
  for (const StoreEvent& event : evidence.store) {
    if (Contradiction found = until(event.place)) return found;
    const std::string& key = event.change.record.key;
    if (key == kCollectionHoldsKey) holds = Standing(event, holds);
    // Numbers of passes do not come again.
    if (NumberOfCollectionPassKey(key) && !event.change.removed) passes.emplace(key, event.place);
  }
  return until(std::numeric_limits<Place>::max());
}

const PropertyRegistration kRegistered(Property{
    "holds_stop_deletions", "while a hold stands that was there before the pass, nothing is collected", Check,
    Needs::kStores});

}  // namespace
}  // namespace lakestream::sim
