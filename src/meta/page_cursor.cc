#include "meta/page_cursor.h"

#include <charconv>

namespace lakestream {

std::string EncodePageCursor(int shard, std::string_view last_key) {
  std::string cursor = std::to_string(shard);
  cursor += ':';
  cursor += last_key;
  return cursor;
}

Result<PagePosition> DecodePageCursor(const KeyRange& range, int only_shard, int shards, std::string_view cursor) {
  PagePosition position;
  if (cursor.empty()) {
    position.shard = only_shard < 0 ? 0 : only_shard;
    position.key = range.from;
    return position;
  }
  const Status foreign = InvalidArgument("a cursor does not belong to this range").With("cursor", cursor);
  const auto [end, error] = std::from_chars(cursor.data(), cursor.data() + cursor.size(), position.shard);
  if (error != std::errc() || end == cursor.data() + cursor.size() || *end != ':') return foreign;
  position.key = std::string(cursor.substr(static_cast<std::size_t>(end - cursor.data()) + 1));
  position.exclusive = true;
  if (position.shard < 0 || position.shard >= shards) return foreign;
  if (only_shard >= 0 && position.shard != only_shard) return foreign;
  if (MetadataKeyLess(position.key, range.from) || !MetadataKeyLess(position.key, range.to)) return foreign;
  return position;
}

}  // namespace lakestream
