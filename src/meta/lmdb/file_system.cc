#include "meta/lmdb/file_system.h"

#include <sys/vfs.h>

#include <atomic>
#include <cerrno>
#include <cstring>

#include "base/logging.h"

namespace lakestream {

FileSystemKind JudgeFileSystem(long type) {
  switch (static_cast<unsigned long>(type) & 0xffffffff) {
    case 0xEF53:
      return {"ext4", FileSystemVerdict::kGood};
    case 0x58465342:
      return {"xfs", FileSystemVerdict::kGood};
    case 0x9123683E:
      return {"btrfs", FileSystemVerdict::kGood};
    case 0x794C7630:
      return {"overlayfs", FileSystemVerdict::kGood};
    case 0x6969:
      return {"nfs", FileSystemVerdict::kRefused};
    case 0xFF534D42:
      return {"cifs", FileSystemVerdict::kRefused};
    case 0xFE534D42:
    case 0x517B:
      return {"smb", FileSystemVerdict::kRefused};
    case 0x01021997:
      return {"9p", FileSystemVerdict::kRefused};
    case 0x65735546:  // virtiofs has the number of FUSE
      return {"fuse or virtiofs", FileSystemVerdict::kRefused};
    case 0x01021994:
      return {"tmpfs", FileSystemVerdict::kDoubtful};
    default:
      return {"unknown", FileSystemVerdict::kDoubtful};
  }
}

Status CheckFileSystem(const std::string& directory) {
  struct statfs info;
  if (statfs(directory.c_str(), &info) != 0) {
    return Unavailable("the file system of the metadata store cannot be examined")
        .With("directory", directory)
        .With("error", std::strerror(errno));
  }
  const FileSystemKind kind = JudgeFileSystem(info.f_type);
  if (kind.verdict == FileSystemVerdict::kRefused) {
    return InvalidArgument("the metadata store needs a local file system with shared memory maps and locks")
        .With("file_system", kind.name)
        .With("directory", directory);
  }
  static std::atomic<bool> warned{false};
  if (kind.verdict == FileSystemVerdict::kDoubtful && !warned.exchange(true)) {
    Log(LogLevel::kWarning, "the metadata store is on a file system that may lose it in a crash",
        Unavailable("not one of ext4, xfs, btrfs, overlayfs")
            .With("file_system", kind.name)
            .With("type", info.f_type));
  }
  return OkStatus();
}

}  // namespace lakestream
