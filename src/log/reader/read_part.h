#pragma once

#include <cstdint>

#include "lakestream/status.h"
#include "lakestream/task.h"
#include "lakestream/types.h"
#include "log/reader/log_reader.h"
#include "model/read_plan.h"

namespace lakestream {

/// What one object holds of what an index record covers, on its way to entries: Open, then Plan, Fetch and AppendTo.
/// Several parts are opened and fetched side by side; they are planned and appended in the order of the log.
/// not_found: something that the record names is not there; all other errors are final. Thread safety: one thread.
class ReadPart {
 public:
  virtual ~ReadPart() = default;

  /// Behind the last entry.
  virtual Offset end() const = 0;
  /// About what the part has from the wanted offset on, as far as the index tells.
  virtual std::int64_t records() const = 0;
  virtual std::int64_t bytes() const = 0;

  /// Brings what the object tells of its entries, compared with the record.
  virtual Task<Status> Open(OpContext context) = 0;
  /// Chooses the entries from the one that holds `wanted` on, as far as the allowance goes.
  virtual Status Plan(Offset wanted, model::ReadAllowance& allowance) = 0;
  /// Brings their payloads.
  virtual Task<Status> Fetch(OpContext context) = 0;
  /// Adds them to the read.
  virtual Status AppendTo(LogRead* read) = 0;
};

}  // namespace lakestream
