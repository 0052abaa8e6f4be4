#pragma once

#include "lakestream/status.h"
#include "lakestream/task.h"
#include "lakestream/types.h"
#include "log/catalog/catalog_access.h"

namespace lakestream {

struct DrainOptions {
  Duration timeout = std::chrono::seconds(30);
  Duration poll = std::chrono::milliseconds(25);
};

/// The three steps of deleting a log, in this order (specification, "Fences and log deletion"). Each may be repeated.
/// Objects are not touched: what the records named becomes garbage.
class LogDeletion {
 public:
  LogDeletion(CatalogAccess access, LogId log) : access_(access), log_(log) {}

  /// From here on nobody gets a new lease on the log.
  Task<Status> Fence(OpContext context);
  /// Waits until the log has no lease record. Errors: precondition_failed where that takes longer than
  /// `options.timeout`; all stays as it is then, with the fence.
  Task<Status> Drain(OpContext context, DrainOptions options);
  /// Requires: fenced and drained.
  Task<Status> DeleteIndex(OpContext context);

  /// Whether a lease record stands.
  Task<Result<bool>> Leased(OpContext context);
  /// Whether an index record stands.
  Task<Result<bool>> Indexed(OpContext context);

 private:
  Task<Result<bool>> AnyKey(OpContext context, std::string from, std::string to);

  CatalogAccess access_;
  const LogId log_;
};

}  // namespace lakestream
