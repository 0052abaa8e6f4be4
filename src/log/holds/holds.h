#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lakestream/status.h"
#include "lakestream/task.h"
#include "meta/metadata_store.h"

namespace lakestream {

/// While a deployment has a hold, nobody deletes its objects.
struct HoldListing {
  std::string name;
  std::string reason;  ///< empty where the record cannot be read; it holds all the same
  std::int64_t created_ms = 0;
};

/// Every hold of the deployment, by name.
Task<Result<std::vector<HoldListing>>> ListHolds(MetadataStore& meta, OpContext context);
/// Errors: already_exists, invalid_argument (CheckHoldName, no reason).
Task<Status> AddHold(MetadataStore& meta, OpContext context, std::string name, std::string reason);
/// Errors: not_found, invalid_argument.
Task<Status> ReleaseHold(MetadataStore& meta, OpContext context, std::string name);

}  // namespace lakestream
