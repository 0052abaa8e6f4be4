#pragma once

#include <optional>
#include <string>

#include "lakestream/status.h"
#include "lakestream/task.h"
#include "log/catalog/catalog_access.h"

namespace lakestream {

/// Goes through the tombstones of streams and removes what is left of them: drops that were cut short, partitions that a
/// slow creation or growth made after the drop had passed, index records that were written after a log was deleted. A
/// log with a lease record is left alone. Only what this project dropped, or a drop that was to purge.
class CatalogSweep {
 public:
  explicit CatalogSweep(CatalogAccess access) : access_(access) {}

  /// One stream or topic, or all of all namespaces. Errors: indeterminate once there was a dropped stream to look at.
  Task<Result<SweepReport>> Run(OpContext context, std::optional<StreamIdentifier> only);

 private:
  Task<Status> SweepAll(OpContext context);
  Task<Status> SweepNamespace(OpContext context, std::string ns, std::optional<std::string> only);
  Task<Status> SweepStream(OpContext context, StreamIdentifier id);
  Task<Status> SweepPartitions(OpContext context, StreamIdentifier id, std::string first, std::string end,
                               std::string prefix);

  CatalogAccess access_;
  SweepReport report_;
};

}  // namespace lakestream
