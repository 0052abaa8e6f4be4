#include "sim/properties/property.h"

namespace lakestream::sim {
namespace {

Contradiction Check(const Evidence& evidence) {
  std::map<std::pair<std::string, LogId>, const Operation*> furthest;
  for (const Operation& append : evidence.operations) {
    if (append.kind != Operation::Kind::kAppend || !append.done() || IsDeleted(evidence, append.log)) continue;
    if (evidence.many_threads.contains(append.process)) continue;
    const Operation*& before = furthest[{append.process, append.log}];
    if (before != nullptr && before->acknowledged->offset > append.acknowledged->offset) {
      return ToString(*before) + " was called before " + ToString(append);
    }
    before = &append;
  }
  return std::nullopt;
}

const PropertyRegistration kRegistered(Property{
    "call_order", "acknowledged appends of one process to one log have offsets in the order of the calls (P4)", Check});

}  // namespace
}  // namespace lakestream::sim
