#pragma once

#include <functional>
#include <memory>
#include <string>

#include "objstore/object_store.h"
#include "runtime/runtime.h"

namespace lakestream {

/// Objects in this process's memory: what the conformance suite holds other stores to, and the store of
/// the simulator. Every call lets other work run before and after it takes effect, as a real store does;
/// the effect itself is one step. `modified` is the runtime's wall clock. Thread safety: any thread.
class MemoryObjectStore final : public ObjectStore {
 public:
  explicit MemoryObjectStore(Runtime& runtime);
  /// Another process's view of the same objects: its calls resume on `runtime`; time stays the time of the
  /// view that was first.
  MemoryObjectStore(Runtime& runtime, const MemoryObjectStore& other);
  ~MemoryObjectStore() override;

  Task<Status> Put(OpContext context, std::string key, BufferChain bytes, PutMode mode) override;
  Task<Result<Buffer>> Get(OpContext context, std::string key, ByteRange range) override;
  Task<Result<ObjectInfo>> Head(OpContext context, std::string key) override;
  Task<Result<ListPage>> List(OpContext context, std::string prefix, std::string start_after, int limit) override;
  Task<Status> Delete(OpContext context, std::vector<std::string> keys) override;
  Task<Result<std::unique_ptr<ObjectUpload>>> StartUpload(OpContext context, std::string key, PutMode mode) override;
  Task<Result<ObjectLeftovers>> RemoveLeftovers(OpContext context, WallTime before) override;
  ObjectStoreCapabilities capabilities() const override;

  /// Flips a bit of the byte at `offset`, as a failing medium does: the checksum stays what it was.
  /// Errors: not_found; invalid_argument beyond the end.
  Status DamageByte(std::string_view key, std::uint64_t offset);
  /// Is told of every object that is written, with its bytes, or removed, with null, in the order in which that takes
  /// effect, by whatever view; from inside the step: it must not call the store.
  void Observe(std::function<void(const std::string& key, const Buffer* bytes)> observer);
  /// Bytes of all objects.
  std::uint64_t bytes() const;

 private:
  struct Objects;
  class Upload;

  Runtime& runtime_;
  std::shared_ptr<Objects> objects_;
};

}  // namespace lakestream
