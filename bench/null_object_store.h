#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "objstore/object_store.h"

namespace lakestream::bench {

/// Takes objects at once and keeps of each only its header, its size and a checksum of its payload region: enough to
/// show later that every acknowledged entry was in it (ledger.h). Nothing can be read back. Thread safety: any thread.
class NullObjectStore final : public ObjectStore {
 public:
  struct Taken {
    Buffer header;  ///< the bytes before the payload region
    std::uint64_t payload_bytes = 0;
    std::uint32_t payload_crc32c = 0;
  };

  /// Requires: `bytes` is a WAL object whose first part is its header.
  Task<Status> Put(OpContext context, std::string key, BufferChain bytes, PutMode mode) override;
  Task<Result<Buffer>> Get(OpContext context, std::string key, ByteRange range) override;
  Task<Result<ObjectInfo>> Head(OpContext context, std::string key) override;
  Task<Result<ListPage>> List(OpContext context, std::string prefix, std::string start_after, int limit) override;
  Task<Status> Delete(OpContext context, std::vector<std::string> keys) override;
  Task<Result<std::unique_ptr<ObjectUpload>>> StartUpload(OpContext context, std::string key, PutMode mode) override;
  Task<Result<ObjectLeftovers>> RemoveLeftovers(OpContext context, WallTime before) override;
  ObjectStoreCapabilities capabilities() const override;

  /// What it has taken, by name.
  std::map<std::string, Taken> objects() const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, Taken> objects_;
};

}  // namespace lakestream::bench
