#pragma once

#include <string>
#include <string_view>

#include "meta/metadata_store.h"

namespace lakestream {

/// Where a page of List or Scan begins, in a store with numbered shards.
struct PagePosition {
  int shard = 0;
  std::string key;         ///< the next key is at or above it
  bool exclusive = false;  ///< above it
};

/// The cursor of the page that continues after `last_key` of the shard.
std::string EncodePageCursor(int shard, std::string_view last_key);

/// Where the page begins; an empty cursor begins the range. `only_shard` is the shard of the range's partition,
/// or -1 for all shards. Errors: invalid_argument where the cursor is not of this range.
Result<PagePosition> DecodePageCursor(const KeyRange& range, int only_shard, int shards, std::string_view cursor);

}  // namespace lakestream
