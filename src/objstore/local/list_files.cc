#include "objstore/local/list_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "base/try.h"
#include "runtime/posix/posix.h"
#include "objstore/local/stored_checksum.h"

namespace lakestream {
namespace {

constexpr std::size_t kMinBatch = 1024;
constexpr std::size_t kMaxKey = 1024;

struct CloseDir {
  void operator()(DIR* directory) const { ::closedir(directory); }
};
using DirectoryStream = std::unique_ptr<DIR, CloseDir>;

class Walk {
 public:
  Walk(const std::string& prefix, const std::string& start_after, std::size_t want)
      : prefix_(prefix), start_after_(start_after), want_(want) {}

  /// Collects from the directory `name` of `parent`, whose path below the root is `path`: empty, or ending
  /// with "/".
  Status Visit(int parent, const std::string& name, const std::string& path) {
    UniqueFd fd = OpenAt(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    if (!fd.valid()) {
      // Removed meanwhile, or never a directory.
      if (errno == ENOENT || errno == ENOTDIR || errno == ELOOP || errno == ENAMETOOLONG) return OkStatus();
      return ErrnoStatus(errno, "the directory could not be opened", path);
    }
    const DirectoryStream stream(::fdopendir(fd.get()));
    if (!stream) return ErrnoStatus(errno, "the directory could not be read", path);
    fd.Release();
    std::string done;
    while (true) {
      bool cut = false;
      LS_ASSIGN(const std::set<std::string> batch, NextNames(stream.get(), path, done, cut));
      for (const std::string& entry : batch) {
        LS_TRY(Take(::dirfd(stream.get()), path, entry));
        if (found_.size() == want_) return OkStatus();
      }
      if (!cut) return OkStatus();
      done = *batch.rbegin();
    }
  }

  std::vector<ObjectInfo>& found() { return found_; }

 private:
  /// The smallest names after `done` that can be or hold objects of the page, folders with a "/" at their
  /// end, which is how their keys sort. Sets `cut` when there are more.
  Result<std::set<std::string>> NextNames(DIR* stream, const std::string& path, const std::string& done, bool& cut) {
    const std::size_t most = std::max(want_ - found_.size(), kMinBatch);
    std::set<std::string> names;
    ::rewinddir(stream);
    while (true) {
      errno = 0;
      const dirent* entry = ::readdir(stream);
      if (entry == nullptr) break;
      std::string name = entry->d_name;
      if (name == "." || name == "..") continue;
      if (IsDirectory(::dirfd(stream), *entry)) name.push_back('/');
      if (name <= done || !CanMatter(path, name)) continue;
      if (names.size() == most && name > *names.rbegin()) {
        cut = true;
        continue;
      }
      names.insert(std::move(name));
      if (names.size() > most) {
        cut = true;
        names.erase(std::prev(names.end()));
      }
    }
    if (errno != 0) return ErrnoStatus(errno, "the directory could not be read", path);
    return names;
  }

  static bool IsDirectory(int directory, const dirent& entry) {
    if (entry.d_type != DT_UNKNOWN) return entry.d_type == DT_DIR;
    struct stat about;
    return ::fstatat(directory, entry.d_name, &about, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(about.st_mode);
  }

  bool CanMatter(const std::string& path, const std::string& name) const {
    const std::string key = path + name;
    if (key.size() > kMaxKey) return false;
    if (!name.ends_with('/')) {
      return key.starts_with(prefix_) && key > start_after_ && !name.ends_with(kSideFileSuffix) &&
             CheckObjectKey(key).ok();
    }
    if (path.empty() && std::string_view(name).substr(0, name.size() - 1) == kTempFolder) return false;
    if (!key.starts_with(prefix_) && !prefix_.starts_with(key)) return false;
    return key > start_after_ || start_after_.starts_with(key);
  }

  Status Take(int directory, const std::string& path, const std::string& name) {
    if (name.ends_with('/')) return Visit(directory, name.substr(0, name.size() - 1), path + name);
    struct stat about;
    if (::fstatat(directory, name.c_str(), &about, AT_SYMLINK_NOFOLLOW) != 0) {
      if (errno == ENOENT) return OkStatus();
      return ErrnoStatus(errno, "the file could not be examined", path + name);
    }
    if (!S_ISREG(about.st_mode)) return OkStatus();
    ObjectInfo info;
    info.key = path + name;
    info.size = static_cast<std::uint64_t>(about.st_size);
    info.modified = ModifiedTime(about);
    found_.push_back(std::move(info));
    return OkStatus();
  }

  const std::string& prefix_;
  const std::string& start_after_;
  const std::size_t want_;
  std::vector<ObjectInfo> found_;
};

}  // namespace

Result<ListPage> ListFiles(int root, const std::string& prefix, const std::string& start_after, std::size_t limit) {
  ListPage page;
  Walk walk(prefix, start_after, limit + 1);
  const std::size_t slash = prefix.rfind('/');
  const std::string folder = slash == std::string::npos ? std::string() : prefix.substr(0, slash);
  // No key begins with a prefix whose folder is no key.
  if (slash != std::string::npos) {
    const bool own = folder == kTempFolder || folder.starts_with(std::string(kTempFolder) + "/");
    if (own || !CheckObjectKey(folder).ok()) return page;
  }
  LS_TRY(walk.Visit(root, folder.empty() ? "." : folder, folder.empty() ? folder : folder + "/"));
  page.objects = std::move(walk.found());
  if (page.objects.size() > limit) {
    page.objects.resize(limit);
    page.next = page.objects.back().key;
  }
  return page;
}

}  // namespace lakestream
