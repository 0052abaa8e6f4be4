#include <fmt/format.h>

#include "sim/properties/property.h"

namespace lakestream::sim {
namespace {

/// An acknowledged append of the log that ended after the place and lies in this record; or null.
const Operation* AcknowledgedIn(const Evidence& evidence, const IndexPut& put) {
  if (put.parquet) return nullptr;  // that acknowledges nothing
  for (const Operation& append : evidence.operations) {
    if (append.kind != Operation::Kind::kAppend || !append.done() || append.log != put.log) continue;
    const Offset offset = append.acknowledged->offset;
    if (*append.ended > put.place && append.began < put.place && offset >= put.start && offset < put.end) return &append;
  }
  return nullptr;
}

Contradiction Check(const Evidence& evidence) {
  const std::vector<IndexPut> puts = IndexPuts(evidence);
  for (const Deletion& deletion : evidence.deletions) {
    if (deletion.drained == 0) continue;
    for (const IndexPut& put : puts) {
      if (put.log != deletion.log || put.place < deletion.drained) continue;
      if (evidence.guarded_writes) {
        return fmt::format("log {}: fenced at {}, without leases at {}; a record of {} to {} was put at {}",
                           put.log.value(), deletion.fenced, deletion.drained, put.start.value(), put.end.value(),
                           put.place);
      }
      if (const Operation* append = AcknowledgedIn(evidence, put)) {
        return fmt::format("log {}: fenced at {}, without leases at {}; {} lies in a record put at {}", put.log.value(),
                           deletion.fenced, deletion.drained, ToString(*append), put.place);
      }
    }
    // What was not acknowledged before the records went must not be afterwards.
    for (const Operation& append : evidence.operations) {
      if (append.kind != Operation::Kind::kAppend || !append.done() || append.log != deletion.log) continue;
      if (deletion.deleted != 0 && append.began > deletion.deleted) {
        return fmt::format("log {} was deleted at {}; {}", deletion.log.value(), deletion.deleted, ToString(append));
      }
    }
  }
  return std::nullopt;
}

const PropertyRegistration kRegistered(Property{
    "no_write_after_deletion",
    "once a log is fenced and without leases nothing more is written to it, or at least acknowledged (P22)",
    Check, Needs::kStores});

}  // namespace
}  // namespace lakestream::sim
