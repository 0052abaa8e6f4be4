#include "runtime/posix/directories.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/try.h"
#include "runtime/posix/posix.h"

namespace lakestream {
namespace {

/// "." above a plain name, "/" above a name below the root; the path itself where nothing is above it.
std::string Above(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return path == "." ? path : ".";
  const std::size_t last = path.find_last_not_of('/', slash);
  return last == std::string::npos ? "/" : path.substr(0, last + 1);
}

bool CannotBeSynced(int error) { return error == EACCES || error == EPERM || error == EROFS || error == EINVAL; }

}  // namespace

Status SyncDirectory(const std::string& path) {
  const UniqueFd directory = OpenAt(AT_FDCWD, path, O_RDONLY | O_DIRECTORY);
  if (directory.valid() && ::fsync(directory.get()) == 0) return OkStatus();
  return ErrnoStatus(errno, "the directory could not be synced", path);
}

Status MakeDirectories(const std::string& path) {
  const std::size_t last = path.find_last_not_of('/');
  if (last == std::string::npos) return OkStatus();
  const std::string trimmed = path.substr(0, last + 1);
  const std::string above = Above(trimmed);
  if (above == trimmed) return OkStatus();
  LS_TRY(MakeDirectories(above));
  if (::mkdir(trimmed.c_str(), 0777) != 0 && errno != EEXIST) {
    struct stat about;
    // An automounter's or another file system's directory may be there and refuse to be made all the same.
    const int error = errno;
    if (::stat(trimmed.c_str(), &about) != 0) {
      return ErrnoStatus(error, "the directory could not be made", trimmed);
    }
  }
  const UniqueFd directory = OpenAt(AT_FDCWD, above, O_RDONLY | O_DIRECTORY);
  // One who may not read the directory above, or write to it, has not made this one in it.
  if (directory.valid() ? ::fsync(directory.get()) == 0 : CannotBeSynced(errno)) return OkStatus();
  if (CannotBeSynced(errno)) return OkStatus();
  return ErrnoStatus(errno, "the directory could not be synced", above);
}

}  // namespace lakestream
