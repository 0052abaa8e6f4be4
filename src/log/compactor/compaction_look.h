#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "format/compaction_record.h"
#include "lakestream/status.h"
#include "lakestream/task.h"
#include "meta/metadata_store.h"
#include "model/compaction_state.h"

namespace lakestream {

/// What the store says of a log's compaction.
struct CompactionLook {
  CompactionRecord record;              ///< idle{0} where there is none
  std::string value;                    ///< its bytes
  std::optional<std::int64_t> version;  ///< none: there is no record
  std::string owner;                    ///< the session that it names; empty where it names none
  bool owner_lives = false;             ///< its claim stands, or the owner is the asker
  Offset trim_marker;                   ///< B, in the same snapshot
  bool fenced = false;

  model::CompactionState state() const;
};

/// Reads the record first and then, where it has another owner than `own_session`, that one's claim
/// (docs/format/compaction-claim.md). Errors: corrupt, unavailable.
Task<Result<CompactionLook>> LookAtCompaction(MetadataStore& meta, OpContext context, LogId log,
                                              std::string own_session);

/// Creates the record where the look found none, else swaps it on the version that the look found. Errors: already_exists
/// and precondition_failed (it has changed), fenced (the session has ended), unavailable, indeterminate,
/// invalid_argument (no such record).
Task<Status> SwapCompaction(MetadataStore& meta, OpContext context, LogId log, CompactionRecord record,
                            std::optional<std::int64_t> version, std::shared_ptr<MetadataSession> session);

}  // namespace lakestream
