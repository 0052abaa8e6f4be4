#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "format/catalog_records.h"
#include "lakestream/status.h"
#include "lakestream/task.h"
#include "lakestream/types.h"
#include "log/catalog/stream_catalog.h"
#include "meta/metadata_store.h"
#include "runtime/runtime.h"

namespace lakestream {

/// One call of CreateStream. Every step can be repeated, and a step that finds itself done goes on, so that a
/// creation that was cut short anywhere is finished by the next one of the same definition:
///
///   config PROVISIONING, if absent; then the tombstone is read, so that a drop that puts the tombstone first
///   and reads the config after sees this creation, or this creation sees the drop; then for each partition
///   its log id, bound to the partition's name, the log's registration, and the partition record; last the
///   config ACTIVE, by the version read, which is the step that makes the stream.
///
/// With a tombstone the creation is undone: the owner in the config is changed first, so that no other
/// creation can make the stream any more; then the logs go, the config last.
class StreamCreation {
 public:
  /// `properties` is ordered by name. The parts outlive this.
  StreamCreation(Runtime& runtime, MetadataStore& meta, StreamIdentifier id, int partitions, StringMap properties);

  Task<Result<StreamMetadata>> Run(OpContext context);

 private:
  struct Config {
    StreamConfigRecord record;
    std::int64_t version = 0;
  };
  enum class Step { kDone, kAgain };  ///< kAgain: somebody else was faster, look at everything again

  Task<Result<std::optional<StreamMetadata>>> Attempt(OpContext context);
  Task<Result<std::optional<Config>>> ReadConfig(OpContext context);
  Task<Result<bool>> Tombstoned(OpContext context);
  Task<Result<std::optional<Config>>> PutConfig(OpContext context);
  Status CheckResumable(const StreamConfigRecord& record) const;

  Task<Result<std::vector<LogId>>> ProvisionAll(OpContext context, LogRegistrant registrant);
  Task<Result<LogId>> Provision(OpContext context, LogRegistrant registrant, std::int32_t partition);
  Task<Result<LogId>> BindLogId(OpContext context, LogRegistrant registrant, std::string mapping_name);
  Task<Result<LogId>> NewLogId(OpContext context);
  Task<Result<Step>> Activate(OpContext context, Config config);

  Task<Result<Step>> Undo(OpContext context, Config config);
  Task<Status> UndoPartition(OpContext context, std::int32_t partition);
  Task<Status> DeleteUnusedLog(OpContext context, LogId log);

  /// Creates the record, or finds what is there already. A lost answer is resolved by reading and by trying
  /// again with the same bytes.
  Task<Result<std::string>> CreateOrRead(OpContext context, Partition partition, std::string key, std::string value);

  Runtime& runtime_;
  MetadataStore& meta_;
  const StreamIdentifier id_;
  const std::int32_t partitions_;
  const StringMap properties_;
};

}  // namespace lakestream
