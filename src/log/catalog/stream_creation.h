#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "format/catalog_records.h"
#include "lakestream/status.h"
#include "lakestream/task.h"
#include "lakestream/types.h"
#include "log/catalog/catalog_access.h"
#include "log/catalog/log_deletion.h"

namespace lakestream {

/// One call of CreateStream. Every step can be repeated, and a step that finds itself done goes on, so that a
/// creation that was cut short anywhere is finished by the next one of the same definition:
///
///   config PROVISIONING, if absent; then the tombstone is read, so that a drop that puts the tombstone first
///   and reads the config after sees this creation, or this creation sees the drop; then the namespace, so that one that
///   is dropped meanwhile is there again or its drop sees the config; then the logs of all partitions; last the config
///   ACTIVE, by the version read, which is the step that makes the stream.
///
/// With a tombstone the creation ends as the drop does.
class StreamCreation {
 public:
  /// `properties` is ordered by name.
  StreamCreation(CatalogAccess access, StreamIdentifier id, int partitions, StringMap properties, DrainOptions drain);

  /// Errors: indeterminate once the config may stand, because another creation may finish it. already_exists and fenced
  /// are said all the same: this creation will never be the one that is finished.
  Task<Result<StreamMetadata>> Run(OpContext context);

 private:
  Task<Result<StreamMetadata>> Repeat(OpContext context);
  Task<Result<std::optional<StreamMetadata>>> Attempt(OpContext context);
  Task<Result<std::optional<StoredConfig>>> PutConfig(OpContext context);
  Status CheckResumable(const StreamConfigRecord& record) const;
  Task<Result<std::optional<StreamMetadata>>> Complete(OpContext context, StoredConfig config);
  Task<Result<SwapOutcome>> Activate(OpContext context, StoredConfig config);
  Task<Status> GiveUp(OpContext context);

  CatalogAccess access_;
  const StreamIdentifier id_;
  const std::int32_t partitions_;
  const StringMap properties_;
  const DrainOptions drain_;
  bool begun_ = false;  ///< a config of this definition may stand
};

}  // namespace lakestream
