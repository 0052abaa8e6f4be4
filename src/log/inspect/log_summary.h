#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lakestream/status.h"
#include "lakestream/task.h"
#include "lakestream/types.h"
#include "meta/metadata_store.h"

namespace lakestream {

/// A write lease that stands. A store shows no lease of a session that has ended.
struct LeaseSummary {
  std::string token;
  std::string session;
  std::int64_t process = 0;     ///< 0 where the store does not know it
  std::int64_t created_ms = 0;  ///< milliseconds since the Unix epoch
};

/// What the metadata store knows of one log.
struct LogSummary {
  Offset first;                        ///< the first readable offset
  Offset end;                          ///< what the next append will get
  Offset trim_marker;                  ///< B; 0 where there is none
  std::int64_t cumulative_size = 0;    ///< payload bytes ever appended
  std::int64_t index_records = 0;      ///< of these the next five: also those below the trim marker
  std::int64_t parquet_records = 0;    ///< index records of compacted ranges
  std::optional<std::int64_t> entries = 0;  ///< nothing where there are compacted ranges: their records do not tell it
  std::int64_t payload_bytes = 0;
  std::int64_t raw_bytes = 0;          ///< of them, those that lie in WAL objects
  std::int64_t last_append_ms = 0;     ///< creation time of the last index record; 0 where there is none
  bool fenced = false;
  std::vector<LeaseSummary> leases;
  std::int64_t damaged = 0;            ///< index records that cannot be read, or do not follow the one before
  Status damage;                       ///< of the first of them, or of the trim marker
};

/// Reads every index record of the log, page by page: not a snapshot. Errors: as the store's; damage is no error.
Task<Result<LogSummary>> SummarizeLog(MetadataStore& meta, OpContext context, LogId log);

}  // namespace lakestream
