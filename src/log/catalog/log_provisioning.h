#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "format/catalog_records.h"
#include "lakestream/status.h"
#include "lakestream/task.h"
#include "lakestream/types.h"
#include "log/catalog/catalog_access.h"

namespace lakestream {

/// Makes the logs of a stream's partitions: for each its log id, bound to the partition's name, the log's registration,
/// and the partition record. Every step finds what is there already, so that what was cut short goes on.
class LogProvisioning {
 public:
  LogProvisioning(CatalogAccess access, StreamIdentifier id, LogRegistrant registrant)
      : access_(access), id_(std::move(id)), registrant_(std::move(registrant)) {}

  /// The logs of partitions [first, end), in order. Errors: fenced where a partition is being dropped already.
  Task<Result<std::vector<LogId>>> Provision(OpContext context, std::int32_t first, std::int32_t end);

 private:
  Task<Result<LogId>> ProvisionOne(OpContext context, std::int32_t partition);
  Task<Status> Register(OpContext context, LogId log, std::string mapping_name);
  Task<Result<LogId>> BindLogId(OpContext context, std::string mapping_name);
  Task<Result<LogId>> NewLogId(OpContext context);

  CatalogAccess access_;
  const StreamIdentifier id_;
  const LogRegistrant registrant_;
};

}  // namespace lakestream
