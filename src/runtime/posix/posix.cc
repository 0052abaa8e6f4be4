#include "runtime/posix/posix.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include <fstream>
#include <string>

namespace lakestream {

Status ErrnoStatus(int error, std::string_view sentence, std::string_view path) {
  StatusCode code = StatusCode::kUnavailable;
  std::string_view reason;
  switch (error) {
    case ENOSPC:
    case EDQUOT:
      code = StatusCode::kResourceExhausted;
      reason = ": the disk is full";
      break;
    case EMFILE:
    case ENFILE:
      code = StatusCode::kResourceExhausted;
      reason = ": no file descriptors are left";
      break;
    case ENOMEM: code = StatusCode::kResourceExhausted; break;
    case ENAMETOOLONG:
      code = StatusCode::kInvalidArgument;
      reason = ": a name is too long for the file system";
      break;
    case EROFS: reason = ": the file system is read-only"; break;
    case EACCES:
    case EPERM: reason = ": permission denied"; break;
    default: break;
  }
  const char* name = strerrorname_np(error);
  return Status(code, std::string(sentence).append(reason)).With("path", path).With("error", name ? name : "unknown");
}

UniqueFd OpenAt(int directory, const std::string& path, int flags, int mode) {
  return UniqueFd(Uninterrupted([&] { return ::openat(directory, path.c_str(), flags | O_CLOEXEC, mode); }));
}

std::string BootId() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string id;
  std::getline(file, id);
  return id;
}

WallTime ModifiedTime(const struct stat& about) {
  return WallTime(std::chrono::seconds(about.st_mtim.tv_sec) + std::chrono::nanoseconds(about.st_mtim.tv_nsec));
}

}  // namespace lakestream
