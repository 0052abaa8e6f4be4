#include <fmt/format.h>

#include <algorithm>

#include "sim/properties/property.h"

namespace lakestream::sim {
namespace {

/// What is at this offset at the end, or null.
const SeenEntry* EntryAt(const FinalLog& log, Offset offset) {
  const auto record = std::upper_bound(log.records.begin(), log.records.end(), offset,
                                       [](Offset o, const FinalRecord& r) { return o < r.end; });
  if (record == log.records.end()) return nullptr;
  for (const SeenEntry& entry : record->entries) {
    if (entry.offset == offset) return &entry;
  }
  return nullptr;
}

Contradiction Check(const Evidence& evidence) {
  for (const Operation& append : evidence.operations) {
    if (append.kind != Operation::Kind::kAppend || !append.done() || IsDeleted(evidence, append.log)) continue;
    const SeenEntry& told = *append.acknowledged;
    const auto final = evidence.final.find(append.log);
    if (final != evidence.final.end() && told.offset + told.records <= final->second.marker) continue;
    const SeenEntry* entry = final == evidence.final.end() ? nullptr : EntryAt(final->second, told.offset);
    if (entry == nullptr) return fmt::format("{}; at the end nothing begins there", ToString(append));
    if (entry->number != append.number || entry->records != append.records || entry->size != append.size) {
      return fmt::format("{}; at the end there is {}", ToString(append), ToString(*entry));
    }
  }
  return std::nullopt;
}

const PropertyRegistration kRegistered(Property{
    "durable_acknowledgement", "an acknowledged entry is at its offset, whole, until it is trimmed (P1)", Check});

}  // namespace
}  // namespace lakestream::sim
