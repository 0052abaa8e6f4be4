#include <fmt/format.h>

#include "sim/properties/property.h"

namespace lakestream::sim {
namespace {

Contradiction Check(const Evidence& evidence) {
  for (const StoreEvent& event : evidence.store) {
    const LogChange::Kind kind = event.of_log.kind;
    if (kind == LogChange::Kind::kNone || kind == LogChange::Kind::kCursor) continue;
    if (event.change.partition == Partition::OfLog(event.of_log.log).name()) continue;
    return fmt::format("{} was written to partition {} at {}", event.change.record.key, event.change.partition,
                       event.place);
  }
  return std::nullopt;
}

const PropertyRegistration kRegistered(
    Property{"right_partitions", "every record of a log lies in the log's partition", Check, Needs::kStores});

}  // namespace
}  // namespace lakestream::sim
