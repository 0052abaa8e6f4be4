#include <fmt/format.h>

#include "sim/properties/property.h"

namespace lakestream::sim {
namespace {

Offset EndProvedBy(const Operation& operation) {
  switch (operation.kind) {
    case Operation::Kind::kAppend: return operation.acknowledged->offset + operation.acknowledged->records;
    case Operation::Kind::kRead:
    case Operation::Kind::kTail:
      return operation.entries.empty() ? Offset(0) : operation.entries.back().offset + operation.entries.back().records;
    case Operation::Kind::kExtent: return operation.high;
    case Operation::Kind::kTrim: return Offset(0);
  }
  return Offset(0);
}

/// How far a log reaches, by the calls that proved it and where they ended.
ShownOffsets CollectEnds(const Evidence& evidence) {
  ShownOffsets ends;
  for (const Operation& operation : evidence.operations) {
    if (!operation.done()) continue;
    const Offset end = EndProvedBy(operation);
    if (end > Offset(0)) ends.Add(operation.log, *operation.ended, end, &operation);
  }
  ends.Finish();
  return ends;
}

/// The call says that the log ends at or before this offset.
std::optional<Offset> EndClaimedBy(const Operation& operation) {
  if (operation.kind == Operation::Kind::kExtent) return operation.high;
  const bool reads = operation.kind == Operation::Kind::kRead || operation.kind == Operation::Kind::kTail;
  if (reads && operation.entries.empty()) return operation.from;
  return std::nullopt;
}

Contradiction Check(const Evidence& evidence) {
  const ShownOffsets ends = CollectEnds(evidence);
  const std::map<AppendNumber, const Operation*> appends = AppendsByNumber(evidence);
  for (const Operation& operation : evidence.operations) {
    if (!operation.done() || IsDeleted(evidence, operation.log)) continue;
    const ShownOffsets::Shown* known = ends.GreatestBefore(operation.log, operation.began);
    if (known != nullptr && operation.acknowledged && operation.acknowledged->offset < known->offset) {
      return fmt::format("{} got an offset below the end {} that {} had shown", ToString(operation),
                         known->offset.value(), ToString(*known->by));
    }
    const std::optional<Offset> claimed = EndClaimedBy(operation);
    if (known != nullptr && claimed && *claimed < known->offset) {
      return fmt::format("{} says that the log ends there; {} had shown that it reaches {}", ToString(operation),
                         ToString(*known->by), known->offset.value());
    }
    for (const SeenEntry& entry : operation.entries) {
      const auto append = appends.find(entry.number);
      if (append == appends.end() || append->second->began < *operation.ended) continue;
      return fmt::format("{} saw {}, which began later", ToString(operation), ToString(*append->second));
    }
  }
  return std::nullopt;
}

const PropertyRegistration kRegistered(
    Property{"real_time_order", "append, read, tail and extent of a log are linearizable (P4)", Check});

}  // namespace
}  // namespace lakestream::sim
