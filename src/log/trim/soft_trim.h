#pragma once

#include "lakestream/status.h"
#include "lakestream/task.h"
#include "log/lease/lease_keeper.h"
#include "meta/metadata_store.h"
#include "runtime/runtime.h"

namespace lakestream {

/// What a soft trim really did.
struct SoftTrimOutcome {
  Offset before;  ///< the trim marker found; 0 where there was none
  Offset after;   ///< the trim marker now; equal to `before` when there was nothing to do
  bool capped = false;  ///< `after` is lower than asked: the log's last record stays
};

/// Moves the trim marker so that every offset up to and including `through` is trimmed (specification,
/// "Soft trim"). Holds a write lease meanwhile. Errors: fenced, unavailable (others kept changing the
/// marker), indeterminate.
Task<Result<SoftTrimOutcome>> SoftTrim(Runtime& runtime, MetadataStore& meta, LeaseKeeper& leases, OpContext context,
                                       LogId log, Offset through);

}  // namespace lakestream
