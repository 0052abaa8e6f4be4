#pragma once

#include <memory>

#include "objstore/object_store.h"
#include "runtime/semaphore.h"

namespace lakestream {

/// Lets only so many requests run at once; the others wait in the order they came, for as long as their
/// context lasts. A part of an upload is a request, an open upload is none. Outlives the uploads it started.
/// Thread safety: any thread.
class LimitObjectStore final : public ForwardingObjectStore {
 public:
  /// `inner` outlives this. Requires: max_requests >= 1.
  LimitObjectStore(Runtime& runtime, ObjectStore& inner, int max_requests);
  ~LimitObjectStore() override;

  Task<Status> Put(OpContext context, std::string key, BufferChain bytes, PutMode mode) override;
  Task<Result<Buffer>> Get(OpContext context, std::string key, ByteRange range) override;
  Task<Result<ObjectInfo>> Head(OpContext context, std::string key) override;
  Task<Result<ListPage>> List(OpContext context, std::string prefix, std::string start_after, int limit) override;
  Task<Status> Delete(OpContext context, std::vector<std::string> keys) override;
  Task<Result<std::unique_ptr<ObjectUpload>>> StartUpload(OpContext context, std::string key, PutMode mode) override;

 private:
  class Upload;
  /// Runs the call, which has not started, once there is room.
  template <class R>
  Task<R> Run(OpContext context, Task<R> call);

  AsyncSemaphore permits_;
};

}  // namespace lakestream
