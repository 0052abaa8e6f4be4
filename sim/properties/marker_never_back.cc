#include <fmt/format.h>

#include "sim/properties/property.h"

namespace lakestream::sim {
namespace {

/// The start of the log's last index record just before the place; 0 where it had none. The last one is never removed,
/// and where it was compacted it was put again.
Offset LastRecordStart(const std::vector<IndexPut>& puts, LogId log, Place place) {
  const IndexPut* last = nullptr;
  for (const IndexPut& put : puts) {
    if (put.log != log || put.place >= place) continue;
    if (last == nullptr || put.end >= last->end) last = &put;
  }
  return last == nullptr ? Offset(0) : last->start;
}

Contradiction Check(const Evidence& evidence) {
  const std::vector<IndexPut> puts = IndexPuts(evidence);
  const std::vector<MarkerPut> markers = MarkerPuts(evidence);
  std::map<LogId, Offset> now;
  for (const MarkerPut& put : markers) {
    if (IsDeleted(evidence, put.log)) continue;
    Offset& before = now[put.log];
    if (put.marker < before) {
      return fmt::format("log {}: the marker went from {} to {}", put.log.value(), before.value(), put.marker.value());
    }
    const Offset cap = LastRecordStart(puts, put.log, put.place);
    if (put.marker > cap) {
      return fmt::format("log {}: the marker was set to {}, past the start {} of the last record", put.log.value(),
                         put.marker.value(), cap.value());
    }
    before = put.marker;
  }
  for (const Operation& trim : evidence.operations) {
    if (trim.kind != Operation::Kind::kTrim || !trim.done() || IsDeleted(evidence, trim.log)) continue;
    Offset at_end;
    for (const MarkerPut& put : markers) {
      if (put.log == trim.log && put.place < *trim.ended) at_end = put.marker;
    }
    if (trim.high < trim.low || trim.high > at_end) {
      return fmt::format("{}; the marker was {} when it ended", ToString(trim), at_end.value());
    }
  }
  return std::nullopt;
}

const PropertyRegistration kRegistered(Property{
    "marker_never_back",
    "the trim marker never goes back or past the last record, and a trim reports what happened (P20)",
    Check, Needs::kStores});

}  // namespace
}  // namespace lakestream::sim
