#include <fmt/format.h>

#include <set>

#include "format/index_key.h"
#include "format/log_records.h"
#include "sim/properties/property.h"

namespace lakestream::sim {
namespace {

bool IsLease(const std::string& key) { return key.starts_with("/stream-write-leases/"); }

Contradiction Check(const Evidence& evidence) {
  // Without guards a put may land after its session has ended.
  if (!evidence.guarded_writes) return std::nullopt;
  std::map<LogId, std::set<std::string>> leases;
  for (const StoreEvent& event : evidence.store) {
    const std::string& key = event.change.record.key;
    if (const std::optional<LogId> log = LogOfRecordKey(key); log && IsLease(key)) {
      if (event.change.removed) {
        leases[*log].erase(key);
      } else {
        leases[*log].insert(key);
      }
      continue;
    }
    const Result<IndexKey> index = IndexKey::Decode(key);
    if (!index.ok() || event.change.removed || !leases[index->log].empty()) continue;
    return fmt::format("log {}: the record that ends at {} was put at {}, when nobody had a lease", index->log.value(),
                       index->end.value(), event.place);
  }
  return std::nullopt;
}

const PropertyRegistration kRegistered(
    Property{"write_under_lease", "an index record is put while a lease on its log stands (P22)", Check});

}  // namespace
}  // namespace lakestream::sim
