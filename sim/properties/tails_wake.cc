#include <fmt/format.h>

#include "sim/properties/property.h"

namespace lakestream::sim {
namespace {

Contradiction Check(const Evidence& evidence) {
  for (const Operation& tail : evidence.operations) {
    if (tail.kind != Operation::Kind::kTail || !tail.done() || !tail.entries.empty()) continue;
    if (IsDeleted(evidence, tail.log) || HadTrouble(evidence, tail.process, MonotonicTime::min(), tail.ended_at)) continue;
    for (const Operation& append : evidence.operations) {
      const bool wanted = append.log == tail.log && append.acknowledged && append.acknowledged->offset >= tail.next;
      if (!wanted || !append.done() || append.ended_at + evidence.tail_wakes_within >= tail.ended_at) continue;
      return fmt::format("{} waited {} longer, and did not see {}", ToString(tail),
                         FormatDuration(tail.ended_at - append.ended_at), ToString(append));
    }
  }
  return std::nullopt;
}

const PropertyRegistration kRegistered(
    Property{"tails_wake", "a tail that waits gets what is acknowledged meanwhile (P4)", Check});

}  // namespace
}  // namespace lakestream::sim
