#pragma once

#include <functional>
#include <memory>
#include <string>

#include "objstore/local/local_files.h"
#include "objstore/object_store.h"
#include "runtime/runtime.h"

namespace lakestream {

/// A directory as an object store, `file:///dir`. Several processes of a machine may share it.
///
/// Create-only: a file is written without a name (or under one in `.tmp`), gets its checksum, is synced,
/// linked under its key without replacing anything, and its directory is synced; then Put returns ok. A
/// crash leaves the whole object or none. A Put costs one sync of the file and one of its directory; the
/// first Put to a directory in this process also syncs the directories above it.
///
/// Get gives only what it has compared with the object's checksums, which are kept of blocks, so that a part is
/// checked without reading the rest; see ObjectChecksum. An object without checksum is read unchecked and counted.
/// A key cannot be a folder of other keys; see ObjectStoreCapabilities::keys_are_paths. Reserved names:
/// the folder `.tmp`, and names that end in `.crc32c`. Empty folders stay.
///
/// A call that is running when its context ends is finished all the same. Thread safety: any thread.
class LocalObjectStore final : public ObjectStore {
 public:
  /// Blocks. Removes temporary files that are older than a day.
  /// Errors: not_found (no directory, and `create` is off), invalid_argument, unavailable.
  static Result<std::unique_ptr<LocalObjectStore>> Open(Runtime& runtime, LocalObjectStoreOptions options);
  ~LocalObjectStore() override;

  Task<Status> Put(OpContext context, std::string key, BufferChain bytes, PutMode mode) override;
  Task<Result<Buffer>> Get(OpContext context, std::string key, ByteRange range) override;
  Task<Result<ObjectInfo>> Head(OpContext context, std::string key) override;
  Task<Result<ListPage>> List(OpContext context, std::string prefix, std::string start_after, int limit) override;
  Task<Status> Delete(OpContext context, std::vector<std::string> keys) override;
  Task<Result<std::unique_ptr<ObjectUpload>>> StartUpload(OpContext context, std::string key, PutMode mode) override;
  Task<Result<ObjectLeftovers>> RemoveLeftovers(OpContext context, WallTime before) override;
  ObjectStoreCapabilities capabilities() const override;

  LocalObjectStoreCounters counters() const { return files_->counters(); }

 private:
  class Upload;

  LocalObjectStore(Runtime& runtime, std::shared_ptr<LocalFiles> files);

  Runtime& runtime_;
  const std::shared_ptr<LocalFiles> files_;
};

}  // namespace lakestream
