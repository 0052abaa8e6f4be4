#pragma once

#include <functional>
#include <memory>

#include "objstore/object_store.h"
#include "runtime/runtime.h"

namespace lakestream {

struct RetryOptions {
  int max_attempts = 8;  ///< at least 1: the first one counts
  /// The wait before the n-th retry is drawn evenly from 0 to min(max_wait, first_wait * 2^(n-1)).
  Duration first_wait = std::chrono::milliseconds(50);
  Duration max_wait = std::chrono::seconds(5);
};

/// Repeats what the store could not do (unavailable), within the context's deadline and retry budget, and
/// finds out what became of a write whose answer was lost: the object is there with this write's size and
/// CRC-32C, so it is done; it is not there, so creating it is safe to repeat. Whatever else is found, and
/// where the store keeps no checksum, the write stays indeterminate.
///
/// Two writers that create the same key with the same bytes may therefore both be told ok. An object that
/// is to be written under a new name after a failure needs no retry here: use the store below.
/// Outlives the uploads it started. Thread safety: any thread.
class RetryObjectStore final : public ForwardingObjectStore {
 public:
  /// `inner` outlives this.
  RetryObjectStore(Runtime& runtime, ObjectStore& inner, RetryOptions options);
  ~RetryObjectStore() override;

  Task<Status> Put(OpContext context, std::string key, BufferChain bytes, PutMode mode) override;
  Task<Result<Buffer>> Get(OpContext context, std::string key, ByteRange range) override;
  Task<Result<ObjectInfo>> Head(OpContext context, std::string key) override;
  Task<Result<ListPage>> List(OpContext context, std::string prefix, std::string start_after, int limit) override;
  Task<Status> Delete(OpContext context, std::vector<std::string> keys) override;
  Task<Result<std::unique_ptr<ObjectUpload>>> StartUpload(OpContext context, std::string key, PutMode mode) override;

 private:
  class Upload;
  class Attempts;
  enum class Found { kOurs, kNothing, kUnknown };

  /// The CRC-32C of what was to be written; computed when an answer was lost, not before.
  using Sum = std::function<std::uint32_t()>;

  template <class R>
  Task<R> Retry(OpContext context, std::function<Task<R>(OpContext)> call);
  /// Repeats a write that makes one object visible.
  Task<Status> RetryWrite(OpContext context, std::string key, std::uint64_t size, Sum crc32c, PutMode mode,
                          std::function<Task<Status>(OpContext)> call);
  Task<Found> Look(OpContext context, std::string key, std::uint64_t size, Sum crc32c);

  Runtime& runtime_;
  const RetryOptions options_;
};

}  // namespace lakestream
