#pragma once

#include <string>
#include <string_view>

#include "lakestream/status.h"

namespace lakestream {

/// Where a store is. Paths stand in URLs as they are, without escapes.
struct StoreUrl {
  enum class Kind { kMemory, kLmdb, kFile };
  Kind kind = Kind::kMemory;
  std::string path;  ///< absolute and without "." and ".."; empty for kMemory

  /// "memory:", "lmdb:///dir" or "file:///dir". Errors: invalid_argument, naming the URL.
  static Result<StoreUrl> Parse(std::string_view url);
};

/// How a deployment's record tells an object root: relative to the folder that holds the metadata's directory
/// where the root lies in that folder, so that the folder can be moved as a whole; otherwise as a URL.
std::string RecordedRoot(const StoreUrl& metadata, const StoreUrl& root);

/// invalid_argument where one root lies in the other, or the metadata in one of them.
Status CheckApart(const StoreUrl& metadata, const StoreUrl& wal, const StoreUrl& compacted);

}  // namespace lakestream
