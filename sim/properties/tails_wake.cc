#include <fmt/format.h>

#include "sim/properties/property.h"

namespace lakestream::sim {
namespace {

/// The acknowledged appends of each log by their offsets, each as the one among itself and those behind it that was
/// acknowledged first.
using Earliest = std::map<LogId, std::map<Offset, const Operation*>>;

Earliest CollectAppends(const Evidence& evidence) {
  Earliest appends;
  for (const Operation& append : evidence.operations) {
    if (append.kind == Operation::Kind::kAppend && append.done()) appends[append.log][append.acknowledged->offset] = &append;
  }
  for (auto& [log, by_offset] : appends) {
    const Operation* earliest = nullptr;
    for (auto at = by_offset.rbegin(); at != by_offset.rend(); ++at) {
      if (earliest == nullptr || at->second->ended_at < earliest->ended_at) earliest = at->second;
      at->second = earliest;
    }
  }
  return appends;
}

Contradiction Check(const Evidence& evidence) {
  const Earliest appends = CollectAppends(evidence);
  for (const Operation& tail : evidence.operations) {
    if (tail.kind != Operation::Kind::kTail || !tail.done() || !tail.entries.empty()) continue;
    if (IsDeleted(evidence, tail.log) || HadTrouble(evidence, tail.process, MonotonicTime::min(), tail.ended_at)) continue;
    const auto of_log = appends.find(tail.log);
    if (of_log == appends.end()) continue;
    const auto wanted = of_log->second.lower_bound(tail.next);
    if (wanted == of_log->second.end()) continue;
    const Operation& append = *wanted->second;
    if (append.ended_at + evidence.tail_wakes_within >= tail.ended_at) continue;
    return fmt::format("{} waited {} longer, and did not see {}", ToString(tail),
                       FormatDuration(tail.ended_at - append.ended_at), ToString(append));
  }
  return std::nullopt;
}

const PropertyRegistration kRegistered(
    Property{"tails_wake", "a tail that waits gets what is acknowledged meanwhile (P4)", Check});

}  // namespace
}  // namespace lakestream::sim
