#include <fmt/format.h>

#include <set>

#include "format/index_key.h"
#include "format/log_records.h"
#include "sim/properties/property.h"

namespace lakestream::sim {
namespace {

bool IsLease(const std::string& key) { return key.starts_with("/stream-write-leases/"); }

/// The log whose index record or trim marker the key is.
std::optional<LogId> LogUnderLease(const std::string& key) {
  const Result<IndexKey> index = IndexKey::Decode(key);
  if (index.ok()) return index->log;
  const std::optional<LogId> log = LogOfRecordKey(key);
  return log && key == TrimMarkerKey(*log) ? log : std::nullopt;
}

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
    const std::optional<LogId> log = LogUnderLease(key);
    if (!log || event.change.removed || !leases[*log].empty()) continue;
    return fmt::format("log {}: {} was put at {}, when nobody had a lease", log->value(), key, event.place);
  }
  return std::nullopt;
}

const PropertyRegistration kRegistered(
    Property{"write_under_lease", "index records and trim markers are put while a lease on their log stands (P22)",
             Check, Needs::kStores});

}  // namespace
}  // namespace lakestream::sim
