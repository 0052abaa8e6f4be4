#include <fmt/format.h>

#include "format/index_key.h"
#include "format/log_records.h"
#include "sim/properties/property.h"

namespace lakestream::sim {
namespace {

std::optional<LogId> LogOf(const std::string& key) {
  const Result<IndexKey> index = IndexKey::Decode(key);
  return index.ok() ? std::optional<LogId>(index->log) : LogOfRecordKey(key);
}

Contradiction Check(const Evidence& evidence) {
  for (const StoreEvent& event : evidence.store) {
    const std::optional<LogId> log = LogOf(event.change.record.key);
    if (!log || event.change.partition == Partition::OfLog(*log).name()) continue;
    return fmt::format("{} was written to partition {} at {}", event.change.record.key, event.change.partition,
                       event.place);
  }
  return std::nullopt;
}

const PropertyRegistration kRegistered(
    Property{"right_partitions", "every record of a log lies in the log's partition", Check, Needs::kStores});

}  // namespace
}  // namespace lakestream::sim
