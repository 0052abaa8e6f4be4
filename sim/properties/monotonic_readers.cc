#include <fmt/format.h>

#include "sim/properties/property.h"

namespace lakestream::sim {
namespace {

/// Whether the marker may have been above the offset when the call ended.
bool MayBeTrimmed(const ShownOffsets& markers, LogId log, Offset offset, Place ended) {
  const ShownOffsets::Shown* marker = markers.GreatestBefore(log, ended);
  return marker != nullptr && marker->offset > offset;
}

Contradiction Check(const Evidence& evidence) {
  const ShownOffsets markers = PossibleMarkers(evidence);
  for (const Operation& read : evidence.operations) {
    const bool reads = read.kind == Operation::Kind::kRead || read.kind == Operation::Kind::kTail;
    if (!reads || !read.done() || read.entries.empty() || IsDeleted(evidence, read.log)) continue;
    const SeenEntry& first = read.entries.front();
    if (first.offset + first.records <= read.from) {
      return fmt::format("{} begins with {}, which is before what was asked for", ToString(read), ToString(first));
    }
    if (first.offset > read.from && !MayBeTrimmed(markers, read.log, first.offset - 1, *read.ended)) {
      return fmt::format("{} begins with {} and skips what is before it", ToString(read), ToString(first));
    }
    Offset next = first.offset;
    for (const SeenEntry& entry : read.entries) {
      if (entry.offset != next) {
        return fmt::format("{}: {} follows offset {}", ToString(read), ToString(entry), next.value());
      }
      next = entry.offset + entry.records;
    }
    if (read.next != next) return fmt::format("{}: its entries end at {}", ToString(read), next.value());
  }
  return std::nullopt;
}

const PropertyRegistration kRegistered(Property{
    "monotonic_readers", "a reader gets entry after entry, skips none that is not trimmed, and never goes back (P5)",
    Check});

}  // namespace
}  // namespace lakestream::sim
