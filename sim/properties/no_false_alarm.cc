#include <fmt/format.h>

#include "sim/properties/property.h"

namespace lakestream::sim {
namespace {

/// What is damaged on its way to a process looks like damage to its fsck, too; at the end nothing is.
Contradiction Check(const Evidence& evidence) {
  if (!evidence.lost_records.empty()) return std::nullopt;  // that is damage
  if (!evidence.final_damage.empty()) return "at the end: " + evidence.final_damage.front();
  if (evidence.short_bodies || evidence.met.flipped_headers > 0) return std::nullopt;
  for (const Checked& check : evidence.checks) {
    if (check.damage.empty()) continue;
    return fmt::format("check of {} from {} on: {}", check.process, check.began, check.damage.front());
  }
  return std::nullopt;
}

const PropertyRegistration kRegistered(Property{
    "no_false_alarm", "fsck finds no damage where nothing is damaged, whatever goes on meanwhile (P27)", Check,
    Needs::kStores});

}  // namespace
}  // namespace lakestream::sim
