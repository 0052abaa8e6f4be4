#pragma once

#include <cstdint>
#include <string>

#include "base/time.h"

namespace lakestream {

struct LmdbOptions {
  std::string directory;
  bool create = false;  ///< make the store where there is none
  int shards = 1;       ///< 1 to 255, of a new store; an existing store keeps its own
  /// Address space set aside, not disk: 1 MiB or more. Doubled when the store outgrows it.
  std::uint64_t map_size = std::uint64_t{64} << 30;
  /// A store of at most so many records is checked whole when it is opened, with its digest. 0: none is.
  std::uint64_t max_checked_records = 200'000;
};

/// What one environment did since it was opened, for tests and metrics.
struct LmdbStats {
  std::uint64_t commits = 0;         ///< write transactions committed, each with one fsync
  std::uint64_t operations = 0;      ///< single writes in them
  std::uint64_t map_changes = 0;     ///< times the map grew here or followed another process
  std::uint64_t sessions_ended = 0;  ///< dead sessions of other processes that were ended here
  std::uint64_t map_size = 0;
};

}  // namespace lakestream
