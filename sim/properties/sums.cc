#include <fmt/format.h>

#include "sim/properties/property.h"

namespace lakestream::sim {
namespace {

/// What the records say of the entry at an offset.
struct Told {
  std::int64_t sum = 0;
  std::int64_t created_ms = 0;
};
using Places = std::map<std::pair<LogId, Offset>, Told>;

Contradiction CheckRecords(LogId log, const FinalLog& final, Places& places) {
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
      places[{log, entry.offset}] = {bytes, time};
    }
    if (!record.entries.empty() && bytes != record.cumulative_size) {
      return fmt::format("log {}: the record that ends at {} says {} bytes, the sizes add up to {}", log.value(),
                         record.end.value(), record.cumulative_size, bytes);
    }
    bytes = record.cumulative_size;
  }
  return std::nullopt;
}

Contradiction Check(const Evidence& evidence) {
  Places places;
  for (const auto& [log, final] : evidence.final) {
    if (IsDeleted(evidence, log)) continue;
    if (Contradiction found = CheckRecords(log, final, places)) return found;
  }
  for (const Sighting& sighting : AllSightings(evidence)) {
    const SeenEntry& entry = *sighting.entry;
    const auto found = places.find({sighting.log, entry.offset});
    if (found == places.end()) continue;
    const auto [sum, created_ms] = found->second;
    if (entry.cumulative_size != sum || entry.timestamp_ms != created_ms) {
      return fmt::format("{} saw {} from {}; it is {} and from {}", Where(sighting), ToString(entry),
                         entry.timestamp_ms, sum, created_ms);
    }
  }
  return std::nullopt;
}

const PropertyRegistration kRegistered(
    Property{"sums", "cumulative sizes and times of entries are those of their records (P10)", Check});

}  // namespace
}  // namespace lakestream::sim
