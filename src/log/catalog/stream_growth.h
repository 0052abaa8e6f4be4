#pragma once

#include <cstdint>
#include <optional>

#include "lakestream/status.h"
#include "lakestream/task.h"
#include "log/catalog/catalog_access.h"

namespace lakestream {

/// Adds partitions to a stream: the target stands in the config first, by the version read; then the new partitions are
/// made; then the config has the new count, again by the version read, which is the step that shows them all at once.
/// A growth that was cut short is finished by the next one, whatever its own target is.
class StreamGrowth {
 public:
  StreamGrowth(CatalogAccess access, StreamIdentifier id, std::int32_t target)
      : access_(access), id_(std::move(id)), target_(target) {}

  /// The number of partitions there are then, which is the target or more. Errors: indeterminate once a growth may stand
  /// in the config, because any other growth finishes it. not_found is said all the same where the growth was not seen
  /// before the stream was dropped.
  Task<Result<std::int32_t>> Run(OpContext context);

 private:
  Task<Result<std::int32_t>> Repeat(OpContext context);
  Task<Result<std::optional<std::int32_t>>> Attempt(OpContext context);
  Task<Result<std::optional<StoredConfig>>> Announce(OpContext context, StoredConfig config);
  Task<Result<SwapOutcome>> Show(OpContext context, StoredConfig config);

  CatalogAccess access_;
  const StreamIdentifier id_;
  const std::int32_t target_;
  bool begun_ = false;  ///< a growth may stand in the config
  bool lost_ = false;   ///< it may have been seen: the answer to its last step was lost
};

}  // namespace lakestream
