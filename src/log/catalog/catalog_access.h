#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "format/catalog_records.h"
#include "lakestream/status.h"
#include "lakestream/task.h"
#include "log/catalog/stream_catalog.h"
#include "meta/metadata_store.h"
#include "runtime/runtime.h"

namespace lakestream {

/// Conflicts before a change of the catalog gives up.
inline constexpr int kMaxCatalogAttempts = 10;
/// Partitions of one stream that are worked on side by side.
inline constexpr std::int32_t kPartitionsAtOnce = 64;

/// Where a record of the catalog lives that no log's partition holds.
inline Partition CatalogPartition(const std::string& key) { return Partition::OfKey(key); }
/// Where log id mappings live.
inline Partition MappingPartition() { return Partition::Named(kLogIdGeneratorKey); }

/// Sleeps 10 ms before the second attempt (`attempt` 1), doubling to 640 ms; returns at once for the first.
Task<Status> PauseBefore(Runtime& runtime, OpContext context, int attempt);

/// Makes a call that may be made again until its answer is known. Errors: indeterminate where one was lost and none came
/// later, whatever kept it from coming.
Task<Status> UntilAnswered(Runtime& runtime, OpContext context, std::function<Task<Status>()> call);

/// What a change of several steps answers where one of them failed after an earlier one was done, or may have been:
/// indeterminate, with the code of the failure as `cause`. ok stays ok.
Status HalfDone(const Status& status);

struct StoredConfig {
  StreamConfigRecord record;
  std::int64_t version = 0;
};

/// How a CompareAndSet ended whose lost answers were looked into.
enum class SwapOutcome {
  kDone,      ///< the record has the new value, by this call or by one that writes the same
  kConflict,  ///< not done: the record is another one
  kUnknown,   ///< an answer was lost and the record has been changed since
};

/// Records of the catalog, read and written so that every step may be repeated. Thread safety: any thread.
class CatalogAccess {
 public:
  CatalogAccess(Runtime& runtime, MetadataStore& meta) : runtime_(runtime), meta_(meta) {}

  Runtime& runtime() const { return runtime_; }
  MetadataStore& meta() const { return meta_; }

  /// Creates the record, or finds what is there already. A lost answer is resolved by reading and by trying again with
  /// the same bytes.
  Task<Result<std::string>> CreateOrRead(OpContext context, Partition partition, std::string key, std::string value);
  /// Repeats the swap after a lost answer: with the same version it can be done only once. Errors: indeterminate where
  /// answers were lost again and again.
  Task<Result<SwapOutcome>> Swap(OpContext context, Partition partition, std::string key, std::string value,
                                 std::int64_t version);
  /// Removes it, whatever became of the answer. Only for records that nobody makes again.
  Task<Status> Remove(OpContext context, Partition partition, std::string key);

  Task<Result<std::optional<StoredConfig>>> ReadConfig(OpContext context, StreamIdentifier id);
  Task<Result<SwapOutcome>> SwapConfig(OpContext context, StreamIdentifier id, StreamConfigRecord record,
                                       std::int64_t version);
  Task<Result<bool>> Tombstoned(OpContext context, StreamIdentifier id);
  /// So that listings find the streams of the namespace.
  Task<Status> EnsureNamespace(OpContext context, std::string ns);

 private:
  Runtime& runtime_;
  MetadataStore& meta_;
};

}  // namespace lakestream
