#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "format/catalog_records.h"
#include "sim/evidence.h"

namespace lakestream::sim {

/// What the records of the catalog say at one place of a history. Streams are "namespace/name".
class CatalogView {
 public:
  using PartitionOfStream = std::pair<std::string, std::int32_t>;

  /// The event happens. The maps below say what was before until then.
  void Apply(const StoreEvent& event);

  std::map<std::string, StreamConfigRecord> configs;
  std::map<std::string, Place> tombstones;  ///< and when each came
  std::map<PartitionOfStream, LogMappingRecord> mappings;
  std::map<PartitionOfStream, LogId> records;
  std::map<LogId, std::string> registrations;  ///< and the mapping name
  std::set<LogId> fences;
  std::map<LogId, std::set<std::string>> leases;  ///< that were there before the log's fence
  std::map<LogId, std::set<std::string>> index;
  std::map<LogId, PartitionOfStream> homes;  ///< of every log that a mapping or a record ever named

 private:
  void ApplyLog(const StoreEvent& event);
};

}  // namespace lakestream::sim
