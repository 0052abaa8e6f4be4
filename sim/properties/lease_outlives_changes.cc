#include <fmt/format.h>

#include <set>

#include "sim/properties/property.h"

namespace lakestream::sim {
namespace {

/// What is known of the leases of one process on one log.
struct Leases {
  std::set<std::string> standing;
  bool lost_one = false;  ///< with its session: a put that was sent under it may still land
};

Contradiction Check(const Evidence& evidence) {
  std::map<std::pair<LogId, std::string>, Leases> leases;
  for (const StoreEvent& event : evidence.store) {
    const std::string& key = event.change.record.key;
    const auto owner = evidence.lease_owners.find(key);
    if (owner != evidence.lease_owners.end()) {
      Leases& of_owner = leases[{event.of_log.log, owner->second}];
      if (!event.change.removed) {
        of_owner.standing.insert(key);
      } else {
        of_owner.standing.erase(key);
        of_owner.lost_one |= !event.session_alive;
      }
      continue;
    }
    const std::optional<IndexRecord>& index = event.of_log.index;
    if (!index || index->parquet || event.change.removed) continue;
    const PutEvent* object = PutOf(evidence, index->object);
    if (object == nullptr) continue;
    const LogId log = event.of_log.log;
    const Leases& of_owner = leases[{log, object->process}];
    if (!of_owner.standing.empty() || of_owner.lost_one) continue;
    return fmt::format("log {}: the record that ends at {} was put at {}; its writer {} had no lease, or had given it "
                       "back by itself", log.value(), index->end.value(), event.place, object->process);
  }
  return std::nullopt;
}

const PropertyRegistration kRegistered(Property{
    "lease_outlives_changes",
    "a lease stands until every change under it has ended, or its session has (P22)", Check, Needs::kStores});

}  // namespace
}  // namespace lakestream::sim
