#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "meta/metadata_store.h"

namespace lakestream {

/// The virtual shard of a partition, from 0 to shards - 1. FNV-1a with 64 bits, the halves folded together, so
/// that it is the same on every machine and for ever: stored keys depend on it. Requires: shards > 0.
inline int ShardOf(const Partition& partition, int shards) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : partition.name()) {
    hash ^= static_cast<std::uint8_t>(c);
    hash *= 0x100000001b3;
  }
  hash ^= hash >> 32;
  return static_cast<int>((hash & 0xffffffff) % static_cast<std::uint64_t>(shards));
}

/// A partition of each shard, from 0 to shards - 1. Requires: shards from 1 to 256.
inline std::vector<Partition> PartitionOfEachShard(int shards) {
  std::vector<std::optional<Partition>> found(static_cast<std::size_t>(shards));
  std::vector<Partition> partitions;
  for (int left = shards, i = 0; left > 0; ++i) {
    Partition partition = Partition::Named("shard-" + std::to_string(i));
    std::optional<Partition>& place = found[static_cast<std::size_t>(ShardOf(partition, shards))];
    if (place) continue;
    place = std::move(partition);
    --left;
  }
  partitions.reserve(found.size());
  for (std::optional<Partition>& partition : found) partitions.push_back(*std::move(partition));
  return partitions;
}

}  // namespace lakestream
