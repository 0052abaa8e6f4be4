#include "objstore/local/directory_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <string_view>
#include <utility>
#include <vector>

#include "base/invariant.h"
#include "base/try.h"

namespace lakestream {
namespace {

constexpr int kDirectoryFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;

std::string ParentOf(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string() : path.substr(0, slash);
}
std::string NameOf(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

Result<UniqueFd> MakeAndOpen(int parent, const std::string& path) {
  const std::string name = NameOf(path);
  if (::mkdirat(parent, name.c_str(), 0777) != 0 && errno != EEXIST) {
    if (errno == ENOENT) return NotFound("a directory was removed").With("path", path);
    return ErrnoStatus(errno, "the directory could not be made", path);
  }
  UniqueFd fd = OpenAt(parent, name, kDirectoryFlags);
  if (fd.valid()) return fd;
  if (errno == ENOTDIR || errno == ELOOP) {
    return InvalidArgument("a part of the key is no directory").With("path", path);
  }
  if (errno == ENOENT) return NotFound("a directory was removed").With("path", path);
  return ErrnoStatus(errno, "the directory could not be opened", path);
}

}  // namespace

DirectoryCache::DirectoryCache(UniqueFd root, std::size_t capacity)
    : root_(std::make_shared<const UniqueFd>(std::move(root))), capacity_(capacity) {
  LS_INVARIANT(capacity >= 1, "a cache holds something");
}

DirectoryCache::Directory DirectoryCache::Find(const std::string& path) {
  if (path.empty()) return root_;
  const std::lock_guard lock(mutex_);
  const auto found = by_path_.find(path);
  if (found == by_path_.end()) return nullptr;
  by_use_.splice(by_use_.begin(), by_use_, found->second);
  return found->second->directory;
}

void DirectoryCache::Insert(const std::string& path, Directory directory) {
  const std::lock_guard lock(mutex_);
  if (by_path_.contains(path)) return;
  by_use_.push_front(Entry{path, std::move(directory)});
  by_path_.emplace(path, by_use_.begin());
  if (by_use_.size() <= capacity_) return;
  by_path_.erase(by_use_.back().path);
  by_use_.pop_back();
}

void DirectoryCache::ForgetAll() {
  const std::lock_guard lock(mutex_);
  by_path_.clear();
  by_use_.clear();
}

Result<DirectoryCache::Directory> DirectoryCache::Ensure(const std::string& path) {
  // Upwards to the nearest directory that is known, then down again.
  std::vector<std::string> missing;
  std::string at = path;
  Directory known = Find(at);
  while (!known) {
    missing.push_back(at);
    at = ParentOf(at);
    known = Find(at);
  }
  std::vector<std::pair<std::string, Directory>> chain = {{at, known}};
  for (auto next = missing.rbegin(); next != missing.rend(); ++next) {
    LS_ASSIGN(UniqueFd made, MakeAndOpen(chain.back().second->get(), *next));
    chain.emplace_back(*next, std::make_shared<const UniqueFd>(std::move(made)));
  }
  // Bottom to top: a name is durable only below durable names.
  for (std::size_t i = chain.size(); i-- > 1;) {
    if (::fsync(chain[i - 1].second->get()) != 0) {
      return ErrnoStatus(errno, "the directory could not be synced", chain[i - 1].first);
    }
  }
  for (std::size_t i = 1; i < chain.size(); ++i) Insert(chain[i].first, chain[i].second);
  return chain.back().second;
}

}  // namespace lakestream
