#pragma once

#include <string>

#include "lakestream/status.h"
#include "lakestream/task.h"
#include "lakestream/types.h"
#include "runtime/op_context.h"

namespace lakestream {

/// What a log's compacted objects depend on beside the log: where they lie, and what their rows hold (specification,
/// "Compacted object names" and "Parquet files"). The same for all logs of a stream, for ever.
struct LogHome {
  std::string directory;         ///< below the compacted root: {namespace}/{stream name}
  std::string entry_serde_type;  ///< the binding's identifier, in the footer of each file
  std::string record_name;       ///< of the Avro record: the binding's
};

/// Says where a log's compacted objects are. The engine's seam to the catalog, which knows which stream a log belongs
/// to. Thread safety: any thread.
class LogHomes {
 public:
  virtual ~LogHomes() = default;

  /// Errors: not_found (the log belongs to no stream), unimplemented (a binding that this release does not know),
  /// corrupt, unavailable.
  virtual Task<Result<LogHome>> Find(OpContext context, LogId log) = 0;
};

}  // namespace lakestream
