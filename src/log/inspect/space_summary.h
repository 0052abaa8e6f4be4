#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lakestream/status.h"
#include "lakestream/task.h"
#include "log/catalog/stream_catalog.h"
#include "meta/metadata_store.h"
#include "objstore/object_store.h"

namespace lakestream {

/// What a deployment's objects take, and for whom.
struct SpaceSummary {
  struct Objects {
    std::int64_t objects = 0;
    std::int64_t bytes = 0;
  };
  Objects wal;
  Objects compacted;   ///< Parquet files
  Objects companions;
  Objects other;       ///< in the compacted root, of other names

  /// What is there for a stream, or what one that was dropped has left.
  struct Stream {
    std::string name;             ///< as commands take it; of one that is gone, the folder of its files
    std::int64_t logs = 0;        ///< 0 of one that is gone
    std::int64_t wal_bytes = 0;   ///< its payload in WAL objects that records name
    std::int64_t compacted_bytes = 0;  ///< its Parquet files and companions, also those that nothing names
    std::int64_t payload_bytes = 0;    ///< of all its records, before compression

    std::int64_t bytes() const { return wal_bytes + compacted_bytes; }
  };
  std::vector<Stream> streams;  ///< the largest first
  std::int64_t damaged = 0;     ///< index records that cannot be read

  Objects all() const;
  /// Payload of all streams.
  std::int64_t payload_bytes() const;
  /// Bytes that belong to no stream: headers of WAL objects, and what is trimmed, compacted or never named in them.
  std::int64_t shared_bytes() const;
};

/// Lists all objects, and reads every index record of all active streams: not a snapshot. Errors: as the stores'.
Task<Result<SpaceSummary>> SummarizeSpace(MetadataStore& meta, ObjectStore& wal, ObjectStore& compacted,
                                          StreamCatalog& catalog, OpContext context);

}  // namespace lakestream
