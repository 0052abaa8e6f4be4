#include <fmt/format.h>

#include <set>

#include "sim/properties/property.h"

namespace lakestream::sim {
namespace {

using Kind = LogChange::Kind;

Contradiction Check(const Evidence& evidence) {
  // Without guards a put may land after its session has ended.
  if (!evidence.guarded_writes) return std::nullopt;
  std::map<LogId, std::set<std::string>> leases;
  std::set<LogId> fenced;
  for (const StoreEvent& event : evidence.store) {
    const std::string& key = event.change.record.key;
    const LogId log = event.of_log.log;
    const bool removed = event.change.removed;
    switch (event.of_log.kind) {
      case Kind::kLease:
        if (removed) {
          leases[log].erase(key);
        } else {
          leases[log].insert(key);
        }
        break;
      case Kind::kFence: fenced.insert(log); break;
      case Kind::kIndex:
      case Kind::kMarker:
        // Whoever deletes the log has waited for the leases to go.
        if (!leases[log].empty() || (removed && fenced.contains(log))) break;
        return fmt::format("log {}: {} was {} at {}, when nobody had a lease", log.value(), key,
                           removed ? "removed" : "put", event.place);
      default: break;
    }
  }
  return std::nullopt;
}

const PropertyRegistration kRegistered(
    Property{"write_under_lease",
             "index records and trim markers change while a lease on their log stands (P22)", Check, Needs::kStores});

}  // namespace
}  // namespace lakestream::sim
