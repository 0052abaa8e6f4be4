#include <fmt/format.h>

#include "sim/properties/property.h"

namespace lakestream::sim {
namespace {

bool IsQuarantined(const std::optional<CompactionRecord>& compaction, const FinalRecord& record) {
  if (!compaction) return false;
  for (const QuarantinedRange& range : compaction->quarantined) {
    if (range.range.start <= record.start && record.end <= range.range.end) return true;
  }
  return false;
}

Contradiction Check(const Evidence& evidence) {
  for (const auto& [log, compactable] : evidence.compactable) {
    const auto final = evidence.final.find(log);
    if (final == evidence.final.end() || IsDeleted(evidence, log)) continue;
    const std::optional<CompactionRecord>& compaction = final->second.compaction;
    const bool idle = !compaction || std::holds_alternative<CompactionIdle>(compaction->state);
    if (!idle) {
      return fmt::format("log {}: at the end its compaction is {}", log.value(), CompactionStateName(*compaction));
    }
    for (const FinalRecord& record : final->second.records) {
      if (record.compacted || record.end > compactable || IsQuarantined(compaction, record)) continue;
      return fmt::format("log {}: at the end the record of {} to {} is still RAW; all below {} could be compacted",
                         log.value(), record.start.value(), record.end.value(), compactable.value());
    }
  }
  return std::nullopt;
}

const PropertyRegistration kRegistered(Property{
    "compaction_comes_to_rest",
    "once faults have ended all is compacted that can be, and no compaction stays under way (P36)", Check,
    Needs::kStores});

}  // namespace
}  // namespace lakestream::sim
