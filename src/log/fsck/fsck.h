#pragma once

#include <cstdint>
#include <functional>

#include "lakestream/status.h"
#include "lakestream/task.h"
#include "log/engine_options.h"
#include "log/fsck/finding.h"
#include "log/log_homes.h"
#include "meta/metadata_store.h"
#include "objstore/object_store.h"
#include "runtime/runtime.h"

namespace lakestream {

/// What was looked at.
struct FsckTotals {
  std::uint64_t records = 0;        ///< of the metadata store
  std::uint64_t index_records = 0;  ///< of these
  std::uint64_t logs = 0;           ///< that have index records
  std::uint64_t objects = 0;        ///< below the WAL root
  std::uint64_t sections = 0;       ///< log sections in them
  std::uint64_t compacted_objects = 0;  ///< below the compacted root: Parquet files and companions
  std::uint64_t bytes_read = 0;     ///< of objects, with `deep`
  std::uint64_t damage = 0;
  std::uint64_t notes = 0;
};

struct FsckOptions {
  bool deep = false;      ///< read every byte of every object
  DeploymentTimes times;  ///< the deployment's own
  /// Told every some thousand records or some objects how far the check has come, one call at a time; may be empty.
  std::function<void(const FsckTotals& so_far)> progress;
};

/// What is compared. All of it stays the caller's and must be usable until the check ends.
struct FsckStores {
  MetadataStore& meta;
  ObjectStore& wal;
  ObjectStore& compacted;
  LogHomes& homes;
};

/// Compares the metadata and the objects of a deployment, both ways, while others go on using it: what looks
/// wrong is read again, and told only where it still is. Changes nothing. Holds 16 bytes for each log section of an
/// object, up to three times that while it grows, and otherwise a page of records and 32 object headers; with
/// `deep` 1 MiB of each of 32 objects.
/// The stores stay the caller's and must be usable until this ends. Errors: as the stores'; damage is none.
Task<Result<FsckTotals>> CheckDeployment(Runtime& runtime, FsckStores stores, OpContext context, FsckOptions options,
                                         FindingSink sink);

}  // namespace lakestream
