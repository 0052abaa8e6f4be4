#include "bench/null_object_store.h"

#include <utility>

#include "codec/crc32c.h"

namespace lakestream::bench {
namespace {

Status KeepsNothing() { return Unimplemented("the null object store gives nothing back"); }

}  // namespace

Task<Status> NullObjectStore::Put(OpContext, std::string key, BufferChain bytes, PutMode) {
  Taken taken;
  bool header = true;
  for (const Buffer& part : bytes.parts()) {
    if (std::exchange(header, false)) {
      taken.header = part;
      continue;
    }
    taken.payload_bytes += part.size();
    taken.payload_crc32c = Crc32c(part.span(), taken.payload_crc32c);
  }
  const std::lock_guard lock(mutex_);
  const bool added = objects_.emplace(std::move(key), std::move(taken)).second;
  co_return added ? OkStatus() : AlreadyExists("the key has an object");
}

Task<Result<Buffer>> NullObjectStore::Get(OpContext, std::string, ByteRange) { co_return KeepsNothing(); }
Task<Result<ObjectInfo>> NullObjectStore::Head(OpContext, std::string) { co_return KeepsNothing(); }
Task<Result<ListPage>> NullObjectStore::List(OpContext, std::string, std::string, int) { co_return KeepsNothing(); }
Task<Status> NullObjectStore::Delete(OpContext, std::vector<std::string>) { co_return KeepsNothing(); }
Task<Result<std::unique_ptr<ObjectUpload>>> NullObjectStore::StartUpload(OpContext, std::string, PutMode) {
  co_return KeepsNothing();
}
Task<Result<ObjectLeftovers>> NullObjectStore::RemoveLeftovers(OpContext, WallTime) { co_return KeepsNothing(); }
ObjectStoreCapabilities NullObjectStore::capabilities() const { return ObjectStoreCapabilities(); }

std::map<std::string, NullObjectStore::Taken> NullObjectStore::objects() const {
  const std::lock_guard lock(mutex_);
  return objects_;
}

}  // namespace lakestream::bench
