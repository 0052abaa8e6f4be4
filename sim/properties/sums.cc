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
  const FinalRecord* before = nullptr;
  std::int64_t time = 0;
  for (const FinalRecord& record : final.records) {
    if (record.created_ms < time) {
      return fmt::format("log {}: the record that ends at {} is from {}, the one before it from {}", log.value(),
                         record.end.value(), record.created_ms, time);
    }
    std::int64_t sizes = 0;
    for (const SeenEntry& entry : record.entries) sizes += entry.size;
    std::int64_t bytes = record.cumulative_size - sizes;  // up to the first entry
    // Nothing tells how much came before what was trimmed, and a compacted record may lack what was.
    const bool begins = record.start == Offset(0) || before != nullptr;
    const bool whole = !record.entries.empty() && record.entries.front().offset == record.start;
    if (begins && whole && bytes != (before == nullptr ? 0 : before->cumulative_size)) {
      return fmt::format("log {}: the record that ends at {} says {} bytes, the sizes add up to {}", log.value(),
                         record.end.value(), record.cumulative_size,
                         sizes + (before == nullptr ? 0 : before->cumulative_size));
    }
    for (const SeenEntry& entry : record.entries) {
      bytes += entry.size;
      // Compaction keeps the times of the records that an entry's was one of.
      if (record.compacted && (entry.timestamp_ms < time || entry.timestamp_ms > record.created_ms)) {
        return fmt::format("log {}: {} is from {}; what is before it from {}, and its record from {}", log.value(),
                           ToString(entry), entry.timestamp_ms, time, record.created_ms);
      }
      if (record.compacted) time = entry.timestamp_ms;
      places[{log, entry.offset}] = {bytes, record.compacted ? entry.timestamp_ms : record.created_ms};
    }
    time = record.created_ms;
    before = &record;
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
