#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "format/log_records.h"
#include "lakestream/status.h"
#include "lakestream/task.h"
#include "meta/metadata_store.h"

namespace lakestream {

/// Goes through all records that name objects: first the compaction records, then the index records, of every shard and
/// of whatever log. A file that a compactor is about to install goes from the one to the other, never back. One page of
/// records in memory. Thread safety: none; the store outlives it.
class NameScan {
 public:
  /// Told of each name (object_names.h) and the key of the record that has it.
  using Sink = std::function<void(std::uint64_t reference, const std::string& record_key)>;

  NameScan(MetadataStore& meta, OpContext context, Sink sink)
      : meta_(meta), context_(std::move(context)), sink_(std::move(sink)), shards_(meta.ShardPartitions()) {}

  /// Writes the number of the pass to every shard: what is written there before is seen by the scans, and a scan that does
  /// not come to the mark is an error. Without marks the scans are not checked.
  Task<Status> Mark(std::int64_t pass);
  /// Errors: corrupt (a record that cannot be read may name anything), unavailable (the scan was cut short).
  Task<Status> ReadWork();
  Task<Status> ScanIndex();

  std::int64_t work_records() const { return work_records_; }
  std::int64_t index_records() const { return index_records_; }

 private:
  struct Marks {
    std::int64_t work = 0;
    std::int64_t index = 0;
  };
  using Taker = Status (NameScan::*)(const MetadataRecord&);

  Task<Result<std::int64_t>> PutMark(Partition shard, std::string key, std::int64_t pass);
  Task<Status> ScanShards(KeyBounds bounds, std::string mark_key, std::int64_t Marks::*mark, Taker take);
  Task<Status> ScanShard(Partition shard, KeyBounds bounds, std::string mark_key, std::int64_t version, Taker take);
  Task<Result<bool>> IsRegistered(std::string index_key);
  Status TakeWork(const MetadataRecord& record);
  Status TakeIndex(const MetadataRecord& record);

  MetadataStore& meta_;
  const OpContext context_;
  const Sink sink_;
  const std::vector<Partition> shards_;
  std::vector<Marks> marks_;  ///< the version of each shard's marks; none before Mark
  std::int64_t work_records_ = 0;
  std::int64_t index_records_ = 0;
};

}  // namespace lakestream
