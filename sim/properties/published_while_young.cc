#include <fmt/format.h>

#include "sim/properties/property.h"

namespace lakestream::sim {
namespace {

Contradiction Check(const Evidence& evidence) {
  // Without guards a put that was sent in time may land later.
  if (!evidence.guarded_writes) return std::nullopt;
  for (const IndexPut& put : RawPuts(evidence)) {
    const PutEvent* object = PutOf(evidence, put.object);
    if (object == nullptr || put.at - object->at < evidence.times.publish_deadline) continue;
    return fmt::format("log {}: the record that ends at {} was put at {} ({}); its object {} was begun at {} by {} ({})",
                       put.log.value(), put.end.value(), put.place, FormatDuration(put.at.time_since_epoch()),
                       put.object, object->place, object->process, FormatDuration(object->at.time_since_epoch()));
  }
  return std::nullopt;
}

const PropertyRegistration kRegistered(Property{
    "published_while_young", "no index put names an object that is older than publish_deadline (P17)",
    Check, Needs::kStores});

}  // namespace
}  // namespace lakestream::sim
