#include <fmt/format.h>

#include "format/index_key.h"
#include "sim/properties/property.h"

namespace lakestream::sim {
namespace {

Contradiction Check(const Evidence& evidence) {
  std::map<LogId, Offset> greatest;
  for (const StoreEvent& event : evidence.store) {
    const Result<IndexKey> key = IndexKey::Decode(event.change.record.key);
    if (!key.ok() || IsDeleted(evidence, key->log)) continue;
    if (!event.change.removed) {
      greatest[key->log] = std::max(greatest[key->log], key->end);
    } else if (key->end >= greatest[key->log]) {
      return fmt::format("log {}: its last index record, which ends at {}, was removed at {}", key->log.value(),
                         key->end.value(), event.place);
    }
  }
  return std::nullopt;
}

const PropertyRegistration kRegistered(
    Property{"greatest_key_stays", "the last index record of a log is never removed (P21)", Check, Needs::kStores});

}  // namespace
}  // namespace lakestream::sim
