#include <fmt/format.h>

#include "sim/properties/property.h"

namespace lakestream::sim {
namespace {

/// Of a record that is wholly trimmed, the files go before it: a trim that came no further leaves it without them.
bool MayLackItsFiles(const FinalRecord& record, const FinalLog& log) {
  return record.compacted && record.end <= log.marker;
}

/// A short body and a flipped bit look like damage, also to later reads that find them in the cache.
Contradiction Check(const Evidence& evidence) {
  if (evidence.short_bodies || evidence.met.flipped_headers > 0) return std::nullopt;
  for (const Operation& operation : evidence.operations) {
    if (!operation.ended || IsDeleted(evidence, operation.log)) continue;
    const StatusCode code = operation.status.code();
    if (code == StatusCode::kCorrupt || code == StatusCode::kInternal) return ToString(operation);
  }
  for (const auto& [log, final] : evidence.final) {
    for (const FinalRecord& record : final.records) {
      if (record.trouble.empty() || IsDeleted(evidence, log) || MayLackItsFiles(record, final)) continue;
      return fmt::format("log {}: the record that ends at {} cannot be read at the end: {}", log.value(),
                         record.end.value(), record.trouble);
    }
  }
  return std::nullopt;
}

const PropertyRegistration kRegistered(
    Property{"nothing_corrupt", "nothing is found damaged where nothing does damage (P16, P27)", Check});

}  // namespace
}  // namespace lakestream::sim
