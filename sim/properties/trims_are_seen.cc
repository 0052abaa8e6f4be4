#include <fmt/format.h>

#include "sim/properties/property.h"

namespace lakestream::sim {
namespace {

Contradiction Check(const Evidence& evidence) {
  ShownOffsets trims;
  for (const Operation& trim : evidence.operations) {
    if (trim.kind == Operation::Kind::kTrim && trim.done()) trims.Add(trim.log, *trim.ended, trim.high, &trim);
  }
  trims.Finish();
  for (const Operation& operation : evidence.operations) {
    if (!operation.done() || IsDeleted(evidence, operation.log)) continue;
    const bool extent = operation.kind == Operation::Kind::kExtent;
    if (!extent && operation.entries.empty()) continue;
    const ShownOffsets::Shown* trim = trims.GreatestBefore(operation.log, operation.began);
    if (trim == nullptr) continue;
    const bool below = extent ? operation.low < trim->offset
                              : operation.entries.front().offset + operation.entries.front().records <= trim->offset;
    if (below) return fmt::format("{}; {} had ended before", ToString(operation), ToString(*trim->by));
  }
  return std::nullopt;
}

const PropertyRegistration kRegistered(
    Property{"trims_are_seen", "a read that begins after a trim has ended returns nothing below its marker (P20)", Check});

}  // namespace
}  // namespace lakestream::sim
