#include <fmt/format.h>

#include "sim/properties/property.h"

namespace lakestream::sim {
namespace {

Contradiction Check(const Evidence& evidence) {
  ShownOffsets ended;
  for (const Operation& trim : evidence.operations) {
    if (trim.kind == Operation::Kind::kTrim && trim.done()) ended.Add(trim.log, *trim.ended, trim.high, &trim);
  }
  ended.Finish();
  for (const Operation& trim : evidence.operations) {
    if (trim.kind != Operation::Kind::kTrim || !trim.done() || IsDeleted(evidence, trim.log)) continue;
    if (trim.high < trim.low || (trim.high > trim.low && trim.high > trim.asked + 1)) {
      return fmt::format("{} was asked for {}", ToString(trim), trim.asked.value());
    }
    const ShownOffsets::Shown* before = ended.GreatestBefore(trim.log, trim.began);
    if (before != nullptr && trim.low < before->offset) {
      return fmt::format("{} found a marker below that of {}", ToString(trim), ToString(*before->by));
    }
    const auto final = evidence.final.find(trim.log);
    const Offset marker = final == evidence.final.end() ? Offset(0) : final->second.marker;
    if (trim.high > marker) return fmt::format("{}; at the end the marker is {}", ToString(trim), marker.value());
  }
  for (const auto& [log, final] : evidence.final) {
    if (IsDeleted(evidence, log) || final.records.empty() || final.marker <= final.records.back().start) continue;
    return fmt::format("log {}: at the end the marker {} is past the start {} of the last record", log.value(),
                       final.marker.value(), final.records.back().start.value());
  }
  return std::nullopt;
}

const PropertyRegistration kRegistered(Property{
    "trims_move_on", "a trim finds the marker of those before it or a later one, and the end has the latest (P20)",
    Check});

}  // namespace
}  // namespace lakestream::sim
