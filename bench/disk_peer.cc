#include "bench/disk_peer.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>
#include <utility>

namespace lakestream::bench {

Result<DiskPeer> DiskPeer::Open(const std::string& directory) {
  UniqueFd fd = OpenAt(AT_FDCWD, directory, O_RDONLY | O_DIRECTORY);
  if (!fd.valid()) return ErrnoStatus(errno, "the peer's directory cannot be opened", directory);
  return DiskPeer(std::move(fd));
}

Status DiskPeer::WriteObject(std::size_t bytes) {
  for (std::size_t i = content_.size(); i < bytes; ++i) content_.push_back(static_cast<char>(i * 31 + i / 251));
  const std::string name = fmt::format("{:08}", files_++);
  const UniqueFd file = OpenAt(directory_.get(), ".", O_TMPFILE | O_WRONLY, 0666);
  if (!file.valid()) return Unimplemented("the peer needs a file system with unnamed files");
  for (std::size_t done = 0; done < bytes;) {
    const ssize_t wrote = Uninterrupted([&] { return ::write(file.get(), content_.data() + done, bytes - done); });
    if (wrote <= 0) return ErrnoStatus(errno, "the peer cannot write", name);
    done += static_cast<std::size_t>(wrote);
  }
  if (::fsync(file.get()) != 0) return ErrnoStatus(errno, "the peer cannot sync", name);
  const std::string self = fmt::format("/proc/self/fd/{}", file.get());
  if (::linkat(AT_FDCWD, self.c_str(), directory_.get(), name.c_str(), AT_SYMLINK_FOLLOW) != 0) {
    return ErrnoStatus(errno, "the peer cannot link", name);
  }
  if (::fsync(directory_.get()) != 0) return ErrnoStatus(errno, "the peer cannot sync its directory", name);
  return OkStatus();
}

}  // namespace lakestream::bench
