#include <utility>

#include "objstore/object_store.h"

namespace lakestream {

Task<Status> ForwardingObjectStore::Put(OpContext context, std::string key, BufferChain bytes, PutMode mode) {
  return inner_.Put(std::move(context), std::move(key), std::move(bytes), mode);
}
Task<Result<Buffer>> ForwardingObjectStore::Get(OpContext context, std::string key, ByteRange range) {
  return inner_.Get(std::move(context), std::move(key), range);
}
Task<Result<ObjectInfo>> ForwardingObjectStore::Head(OpContext context, std::string key) {
  return inner_.Head(std::move(context), std::move(key));
}
Task<Result<ListPage>> ForwardingObjectStore::List(OpContext context, std::string prefix, std::string start_after,
                                                   int limit) {
  return inner_.List(std::move(context), std::move(prefix), std::move(start_after), limit);
}
Task<Status> ForwardingObjectStore::Delete(OpContext context, std::vector<std::string> keys) {
  return inner_.Delete(std::move(context), std::move(keys));
}
Task<Result<std::unique_ptr<ObjectUpload>>> ForwardingObjectStore::StartUpload(OpContext context, std::string key,
                                                                               PutMode mode) {
  return inner_.StartUpload(std::move(context), std::move(key), mode);
}
Task<Result<ObjectLeftovers>> ForwardingObjectStore::RemoveLeftovers(OpContext context, WallTime before) {
  return inner_.RemoveLeftovers(std::move(context), before);
}
ObjectStoreCapabilities ForwardingObjectStore::capabilities() const { return inner_.capabilities(); }

}  // namespace lakestream
