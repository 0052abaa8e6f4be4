#include <fmt/format.h>

#include "sim/properties/property.h"

namespace lakestream::sim {
namespace {

/// The trim with the greatest marker among those of the log that had ended before the place; or null.
const Operation* TrimBefore(const Evidence& evidence, LogId log, Place place) {
  const Operation* greatest = nullptr;
  for (const Operation& trim : evidence.operations) {
    if (trim.kind != Operation::Kind::kTrim || trim.log != log || !trim.done() || *trim.ended >= place) continue;
    if (greatest == nullptr || trim.high > greatest->high) greatest = &trim;
  }
  return greatest;
}

Contradiction Check(const Evidence& evidence) {
  for (const Operation& operation : evidence.operations) {
    if (!operation.done() || IsDeleted(evidence, operation.log)) continue;
    const bool extent = operation.kind == Operation::Kind::kExtent;
    if (!extent && operation.entries.empty()) continue;
    const Operation* trim = TrimBefore(evidence, operation.log, operation.began);
    if (trim == nullptr) continue;
    const bool below = extent ? operation.low < trim->high
                              : operation.entries.front().offset + operation.entries.front().records <= trim->high;
    if (below) return fmt::format("{}; {} had ended before", ToString(operation), ToString(*trim));
  }
  return std::nullopt;
}

const PropertyRegistration kRegistered(
    Property{"trims_are_seen", "a read that begins after a trim has ended returns nothing below its marker (P20)", Check});

}  // namespace
}  // namespace lakestream::sim
