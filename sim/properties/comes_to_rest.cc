#include "sim/properties/property.h"

namespace lakestream::sim {
namespace {

Contradiction Check(const Evidence& evidence) {
  if (evidence.stuck.empty()) return std::nullopt;
  std::string all;
  for (const std::string& one : evidence.stuck) all += (all.empty() ? "" : "; ") + one;
  return all;
}

const PropertyRegistration kRegistered(Property{
    "comes_to_rest",
    "once faults have ended every call ends, every log takes appends, and every process stops (P36, P37)", Check});

}  // namespace
}  // namespace lakestream::sim
