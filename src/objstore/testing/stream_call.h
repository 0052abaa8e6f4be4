#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "objstore/object_store.h"

namespace lakestream {

enum class ObjectStreamOp { kPut, kGet, kHead, kList, kDelete, kStart, kAppend, kComplete, kAbort, kDrop };

enum class ObjectStreamContext { kUsual, kExpired, kCancelled };

/// A call of a stream. It stands alone: the upload that it goes on with is a slot that may be empty.
struct ObjectStreamCall {
  int id = 0;  ///< stands in the bytes that the call writes
  ObjectStreamOp op = ObjectStreamOp::kGet;
  ObjectStreamContext context = ObjectStreamContext::kUsual;
  std::string key = {};  ///< of List: the prefix
  PutMode mode = PutMode::kCreate;
  std::vector<std::size_t> part_bytes = {};  ///< what is written, in parts
  ByteRange range = {};
  std::string start_after = {};
  int limit = 0;
  int pages = 1;  ///< at most so many pages of a listing are read
  std::vector<std::string> keys = {};  ///< of Delete
  int upload = 0;
};

inline constexpr int kStreamUploads = 3;

/// The stream of a seed, for a store with these capabilities. Every good key begins with `prefix`, so that streams can
/// share a store.
std::vector<ObjectStreamCall> DrawObjectStream(std::uint64_t seed, const std::string& prefix,
                                               const ObjectStoreCapabilities& capabilities);

/// The call as one line.
std::string ToText(const ObjectStreamCall& call);

}  // namespace lakestream
