#pragma once

#include <string>
#include <vector>

#include "format/collection_holds.h"
#include "lakestream/status.h"
#include "lakestream/task.h"
#include "meta/metadata_store.h"
#include "runtime/runtime.h"

namespace lakestream {

/// Every hold of the deployment, by name: while there is one, nobody deletes its objects. One that was added before the
/// call is among them. Errors: corrupt (nobody knows what is held).
Task<Result<std::vector<CollectionHold>>> ListHolds(MetadataStore& meta, OpContext context);
/// Errors: already_exists, invalid_argument (CheckHoldName, CheckHoldReason), resource_exhausted (there are
/// kMaxCollectionHolds), corrupt, unavailable, indeterminate.
Task<Status> AddHold(Runtime& runtime, MetadataStore& meta, OpContext context, std::string name, std::string reason);
/// Errors: not_found, invalid_argument, corrupt, unavailable, indeterminate.
Task<Status> ReleaseHold(MetadataStore& meta, OpContext context, std::string name);

}  // namespace lakestream
