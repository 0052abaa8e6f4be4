#include <fmt/format.h>

#include "sim/properties/property.h"

namespace lakestream::sim {
namespace {

Contradiction Check(const Evidence& evidence) {
  std::map<LogId, Offset> greatest;
  for (const StoreEvent& event : evidence.store) {
    if (!event.of_log.index || IsDeleted(evidence, event.of_log.log)) continue;
    const Offset end = event.of_log.index->end;
    Offset& last = greatest[event.of_log.log];
    if (!event.change.removed) {
      last = std::max(last, end);
    } else if (end >= last) {
      return fmt::format("log {}: its last index record, which ends at {}, was removed at {}",
                         event.of_log.log.value(), end.value(), event.place);
    }
  }
  return std::nullopt;
}

const PropertyRegistration kRegistered(
    Property{"greatest_key_stays", "the last index record of a log is never removed (P21)", Check, Needs::kStores});

}  // namespace
}  // namespace lakestream::sim
