#pragma once

#include <string>
#include <vector>

#include "meta/lmdb/lmdb_map.h"
#include "meta/lmdb/session_locks.h"
#include "meta/metadata_store.h"

namespace lakestream {

/// What has to be done before a read can be answered.
struct ReadObstacles {
  bool map_changed = false;         ///< another process made the map larger
  std::vector<SessionNumber> dead;  ///< sessions whose records were met
  bool any() const { return map_changed || !dead.empty(); }
};

/// Answers all requests from one snapshot. Does not block for more than page faults. The answers mean nothing
/// where there are obstacles.
Result<std::vector<ReadAnswer>> ReadSnapshot(LmdbMap& map, const SessionLocks& locks, int shards,
                                             const std::vector<ReadRequest>& requests, ReadObstacles* obstacles);

/// One page of a range, as MetadataStore::Scan. Without `values` the records have keys only.
Result<ScanPage> ScanSnapshot(LmdbMap& map, const SessionLocks& locks, int shards, const KeyRange& range,
                              std::string_view cursor, int limit, bool values, ReadObstacles* obstacles);

}  // namespace lakestream
