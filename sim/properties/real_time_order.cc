#include <fmt/format.h>

#include <algorithm>

#include "sim/properties/property.h"

namespace lakestream::sim {
namespace {

/// How far a log was known to reach, and by whom.
struct Known {
  Place place = 0;  ///< when the call that said so ended
  Offset end;
  const Operation* by = nullptr;
};

/// For each log the calls that prove an end, by the place where they ended, with the greatest end so far.
using Ends = std::map<LogId, std::vector<Known>>;

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

Ends CollectEnds(const Evidence& evidence) {
  Ends ends;
  for (const Operation& operation : evidence.operations) {
    if (!operation.done()) continue;
    const Offset end = EndProvedBy(operation);
    if (end > Offset(0)) ends[operation.log].push_back({*operation.ended, end, &operation});
  }
  for (auto& [log, known] : ends) {
    std::sort(known.begin(), known.end(), [](const Known& a, const Known& b) { return a.place < b.place; });
    for (std::size_t i = 1; i < known.size(); ++i) {
      if (known[i - 1].end > known[i].end) {
        known[i].end = known[i - 1].end;
        known[i].by = known[i - 1].by;
      }
    }
  }
  return ends;
}

/// The greatest end that had been proved before the place.
const Known* KnownBefore(const Ends& ends, LogId log, Place place) {
  const auto found = ends.find(log);
  if (found == ends.end()) return nullptr;
  const auto after = std::lower_bound(found->second.begin(), found->second.end(), place,
                                      [](const Known& known, Place p) { return known.place < p; });
  return after == found->second.begin() ? nullptr : &*std::prev(after);
}

/// The call says that the log ends at or before this offset.
std::optional<Offset> EndClaimedBy(const Operation& operation) {
  if (operation.kind == Operation::Kind::kExtent) return operation.high;
  const bool reads = operation.kind == Operation::Kind::kRead || operation.kind == Operation::Kind::kTail;
  if (reads && operation.entries.empty()) return operation.from;
  return std::nullopt;
}

Contradiction Check(const Evidence& evidence) {
  const Ends ends = CollectEnds(evidence);
  const std::map<AppendNumber, const Operation*> appends = AppendsByNumber(evidence);
  for (const Operation& operation : evidence.operations) {
    if (!operation.done() || IsDeleted(evidence, operation.log)) continue;
    const Known* known = KnownBefore(ends, operation.log, operation.began);
    if (known != nullptr && operation.acknowledged && operation.acknowledged->offset < known->end) {
      return fmt::format("{} got an offset below the end {} that {} had shown", ToString(operation),
                         known->end.value(), ToString(*known->by));
    }
    const std::optional<Offset> claimed = EndClaimedBy(operation);
    if (known != nullptr && claimed && *claimed < known->end) {
      return fmt::format("{} says that the log ends there; {} had shown that it reaches {}", ToString(operation),
                         ToString(*known->by), known->end.value());
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
