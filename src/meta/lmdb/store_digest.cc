#include "meta/lmdb/store_digest.h"

#include <xxhash.h>

namespace lakestream {
namespace {

std::uint64_t HashOf(std::string_view key, std::string_view value) {
  return XXH64(key.data(), key.size(), XXH64(value.data(), value.size(), 0));
}

}  // namespace

void StoreDigest::Add(std::string_view stored_key, std::string_view stored_value) {
  ++records;
  sum += HashOf(stored_key, stored_value);
}

void StoreDigest::Remove(std::string_view stored_key, std::string_view stored_value) {
  --records;
  sum -= HashOf(stored_key, stored_value);
}

}  // namespace lakestream
