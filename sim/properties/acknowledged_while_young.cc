#include <fmt/format.h>

#include <algorithm>

#include "sim/properties/property.h"

namespace lakestream::sim {
namespace {

/// The put that made the record in which the entry lies; or null.
const IndexPut* PutOfEntry(const std::vector<IndexPut>& puts, const Operation& append) {
  const IndexPut* last = nullptr;
  for (const IndexPut& put : puts) {
    const bool covers = append.acknowledged->offset >= put.start && append.acknowledged->offset < put.end;
    if (put.log == append.log && covers && put.place < *append.ended) last = &put;
  }
  return last;
}

/// Its process stood still between the put and the answer: the writer may have answered before that.
bool StoodStill(const Evidence& evidence, const std::string& process, Place from, Place to) {
  return std::any_of(evidence.happenings.begin(), evidence.happenings.end(), [&](const Happening& happening) {
    const bool stands = happening.kind == Happening::Kind::kFrozen || happening.kind == Happening::Kind::kSuspended;
    return stands && happening.process == process && happening.place > from && happening.place < to;
  });
}

Contradiction Check(const Evidence& evidence) {
  const std::vector<IndexPut> puts = RawPuts(evidence);
  for (const Operation& append : evidence.operations) {
    if (append.kind != Operation::Kind::kAppend || !append.done()) continue;
    const IndexPut* put = PutOfEntry(puts, append);
    const PutEvent* object = put == nullptr ? nullptr : PutOf(evidence, put->object);
    if (object == nullptr || append.ended_at - object->at <= evidence.times.grace / 2) continue;
    if (StoodStill(evidence, append.process, put->place, *append.ended)) continue;
    return fmt::format("{}, {} after its object {} was begun; half of the grace is {}", ToString(append),
                       FormatDuration(append.ended_at - object->at), put->object,
                       FormatDuration(evidence.times.grace / 2));
  }
  return std::nullopt;
}

const PropertyRegistration kRegistered(Property{
    "acknowledged_while_young", "nothing is acknowledged whose object may be a candidate for deletion (P17)",
    Check, Needs::kStores});

}  // namespace
}  // namespace lakestream::sim
