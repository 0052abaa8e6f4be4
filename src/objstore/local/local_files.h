#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "objstore/local/directory_cache.h"
#include "objstore/local/temp_file.h"
#include "objstore/object_store.h"

namespace lakestream {

struct LocalObjectStoreOptions {
  std::string directory;
  bool create = false;  ///< make the directory, and those above it, where they are missing
  /// Write under temporary names even where the file system can write files that have none yet.
  bool named_temp_files = false;
};

struct LocalObjectStoreCounters {
  std::int64_t without_checksum = 0;  ///< readings of objects that have none: they went unchecked
  std::int64_t corrupt = 0;           ///< readings that found the object damaged
  std::int64_t side_files = 0;        ///< objects whose checksum went into a file beside them
};

/// ok when the call is still wanted.
using StillWanted = std::function<Status()>;

/// The blocking half of LocalObjectStore: one directory as an object store. Thread safety: any thread.
class LocalFiles {
 public:
  /// A file on its way to become an object.
  struct Draft {
    DirectoryCache::Directory directory;
    TempFile file;
  };

  /// Errors: not_found, invalid_argument (no directory); as ErrnoStatus.
  static Result<std::shared_ptr<LocalFiles>> Open(const LocalObjectStoreOptions& options, WallTime now);

  /// `temp_name` is a name that nobody else uses; it is needed where files cannot be unnamed.
  Result<Draft> Begin(const std::string& key, const std::string& temp_name);
  Status Append(Draft& draft, const BufferChain& bytes);
  /// Makes the file the object, whole and durable. Asks `wanted` at the last moment before it can be seen.
  /// After any status but already_exists, cancelled and deadline_exceeded the file is lost: the kernel
  /// reports a failed sync only once, so that a second one would say ok of bytes that are gone.
  Status Publish(Draft& draft, const std::string& key, const StillWanted& wanted);

  Result<Buffer> Get(const std::string& key, ByteRange range);
  Result<ObjectInfo> Head(const std::string& key);
  Result<ListPage> List(const std::string& prefix, const std::string& start_after, int limit);
  Status Delete(const std::vector<std::string>& keys);
  /// Removes temporary files that were last written before.
  Result<ObjectLeftovers> RemoveLeftovers(WallTime before);

  LocalObjectStoreCounters counters() const;

  /// True for the store's own names: no object has them.
  static bool IsReserved(const std::string& key);

 private:
  struct OpenObject {
    UniqueFd fd;
    std::uint64_t size = 0;
    ino_t inode = 0;
    WallTime modified{};
  };

  LocalFiles(const LocalObjectStoreOptions& options, UniqueFd root);
  Result<OpenObject> OpenForRead(const std::string& key);
  Result<Draft> TryBegin(const std::string& key, const std::string& temp_name);
  Result<int> TempDirectory();
  Status StoreChecksum(const Draft& draft, const std::string& key);
  Status LinkFailed(int error, const Draft& draft, const std::string& key);
  /// Names the directory and, for a full disk, the space that is free.
  Status Explain(const Status& status) const;

  const std::string path_;
  DirectoryCache directories_;
  std::atomic<bool> named_temp_files_;
  std::mutex mutex_;
  UniqueFd temp_directory_;
  std::atomic<std::int64_t> without_checksum_{0};
  std::atomic<std::int64_t> corrupt_{0};
  std::atomic<std::int64_t> side_files_{0};
};

}  // namespace lakestream
