#pragma once

#include <cstdint>

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

}  // namespace lakestream
