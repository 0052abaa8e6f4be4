#pragma once

#include <cstddef>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "runtime/posix/posix.h"

namespace lakestream {

/// Open directories below a root whose own names are durable. Bounded: the one that was not used for the
/// longest time goes first. Thread safety: any thread; blocks.
class DirectoryCache {
 public:
  using Directory = std::shared_ptr<const UniqueFd>;

  /// Requires: capacity >= 1.
  DirectoryCache(UniqueFd root, std::size_t capacity);

  int root() const { return root_->get(); }

  /// The directory with this path below the root ("" is the root), made where it is missing. On ok its name
  /// and those of the directories above it are durable. That is made sure once for each cached directory,
  /// also where it existed: whoever made it may have ended before it synced.
  /// Errors: invalid_argument where a part of the path is no directory; not_found where a directory above was
  /// removed; as ErrnoStatus.
  Result<Directory> Ensure(const std::string& path);

  /// For whoever finds that a directory was removed: those above and below it may be gone too.
  void ForgetAll();

 private:
  struct Entry {
    std::string path;
    Directory directory;
  };
  Directory Find(const std::string& path);
  void Insert(const std::string& path, Directory directory);

  const Directory root_;
  const std::size_t capacity_;
  std::mutex mutex_;
  std::list<Entry> by_use_;  // the latest first
  std::map<std::string, std::list<Entry>::iterator, std::less<>> by_path_;
};

}  // namespace lakestream
