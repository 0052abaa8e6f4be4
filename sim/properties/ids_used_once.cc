#include <fmt/format.h>

#include "sim/properties/catalog_view.h"
#include "sim/properties/property.h"

namespace lakestream::sim {
namespace {

Contradiction Check(const Evidence& evidence) {
  std::map<LogId, CatalogView::PartitionOfStream> names;
  std::map<CatalogView::PartitionOfStream, LogId> logs;
  for (const StoreEvent& event : evidence.store) {
    const CatalogChange& named = event.catalog;
    const std::optional<LogMappingRecord>& mapping = named.mapping;
    if (!mapping) continue;
    const CatalogView::PartitionOfStream partition(named.stream, named.partition);
    const auto [name, new_id] = names.emplace(mapping->log, partition);
    if (!new_id && name->second != partition) {
      return fmt::format("log id {} is that of {} partition {} and, from {} on, of {} partition {}",
                         mapping->log.value(), name->second.first, name->second.second, event.place, partition.first,
                         partition.second);
    }
    const auto [log, new_name] = logs.emplace(partition, mapping->log);
    if (!new_name && log->second != mapping->log && !evidence.lost_records.contains(event.change.record.key)) {
      return fmt::format("{} partition {} has log id {}, and {} from {} on", partition.first, partition.second,
                         log->second.value(), mapping->log.value(), event.place);
    }
  }
  return std::nullopt;
}

const PropertyRegistration kRegistered(
    Property{"ids_used_once", "a log id is given to one partition, and a partition gets one", Check, Needs::kStores});

}  // namespace
}  // namespace lakestream::sim
