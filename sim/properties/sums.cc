#include <fmt/format.h>

#include "sim/properties/property.h"

namespace lakestream::sim {
namespace {

Contradiction Check(const Evidence& evidence) {
  for (const auto& [log, final] : evidence.final) {
    if (IsDeleted(evidence, log)) continue;
    std::map<Offset, std::pair<std::int64_t, std::int64_t>> at;  // cumulative size and time of each entry
    std::int64_t bytes = 0;
    std::int64_t time = 0;
    for (const FinalRecord& record : final.records) {
      if (record.created_ms < time) {
        return fmt::format("log {}: the record that ends at {} is from {}, the one before it from {}", log.value(),
                           record.end.value(), record.created_ms, time);
      }
      time = record.created_ms;
      for (const SeenEntry& entry : record.entries) {
        bytes += entry.size;
        at[entry.offset] = {bytes, time};
      }
      if (!record.entries.empty() && bytes != record.cumulative_size) {
        return fmt::format("log {}: the record that ends at {} says {} bytes, the sizes add up to {}", log.value(),
                           record.end.value(), record.cumulative_size, bytes);
      }
      bytes = record.cumulative_size;
    }
    for (const Sighting& sighting : AllSightings(evidence)) {
      if (sighting.log != log) continue;
      const auto found = at.find(sighting.entry.offset);
      if (found == at.end()) continue;
      const auto [sum, created] = found->second;
      if (sighting.entry.cumulative_size != sum || sighting.entry.timestamp_ms != created) {
        return fmt::format("{} saw {} from {}; it is {} and from {}", sighting.where, ToString(sighting.entry),
                           sighting.entry.timestamp_ms, sum, created);
      }
    }
  }
  return std::nullopt;
}

const PropertyRegistration kRegistered(
    Property{"sums", "cumulative sizes and times of entries are those of their records (P10)", Check});

}  // namespace
}  // namespace lakestream::sim
