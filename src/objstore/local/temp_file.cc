#include "objstore/local/temp_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace lakestream {
namespace {

/// Steps over `bytes` that were written.
void Advance(std::vector<iovec>& parts, std::size_t& first, std::size_t bytes) {
  while (first < parts.size() && bytes >= parts[first].iov_len) bytes -= parts[first++].iov_len;
  if (bytes == 0) return;
  parts[first].iov_base = static_cast<char*>(parts[first].iov_base) + bytes;
  parts[first].iov_len -= bytes;
}

}  // namespace

Result<TempFile> TempFile::CreateUnnamed(int directory, const std::string& key) {
  UniqueFd fd = OpenAt(directory, ".", O_TMPFILE | O_WRONLY, 0666);
  if (fd.valid()) return TempFile(std::move(fd), -1, std::string(), key);
  const int error = errno;
  // ext4 says EPERM of a directory that was removed, others ENOENT.
  struct stat about;
  if (::fstat(directory, &about) == 0 && about.st_nlink == 0) {
    return NotFound("the directory was removed").With("key", key);
  }
  // What kernels say where the file system does not have it, or where they do not know the flag.
  if (error == EOPNOTSUPP || error == EISDIR || error == EINVAL) {
    return Unimplemented("the file system has no unnamed files").With("key", key);
  }
  return ErrnoStatus(error, "the temporary file could not be made", key);
}

Result<TempFile> TempFile::CreateNamed(int directory, std::string name, const std::string& key) {
  UniqueFd fd = OpenAt(directory, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0666);
  if (fd.valid()) return TempFile(std::move(fd), directory, std::move(name), key);
  return ErrnoStatus(errno, "the temporary file could not be made", key);
}

TempFile::TempFile(TempFile&& other) noexcept
    : fd_(std::move(other.fd_)),
      directory_(other.directory_),
      name_(std::exchange(other.name_, std::string())),
      key_(std::move(other.key_)),
      checksum_(std::move(other.checksum_)) {}

TempFile::~TempFile() {
  if (!name_.empty()) ::unlinkat(directory_, name_.c_str(), 0);
}

Status TempFile::Append(const BufferChain& bytes) {
  std::vector<iovec> parts;
  parts.reserve(bytes.parts().size());
  ChecksumBuilder checksum = checksum_;
  for (const Buffer& part : bytes.parts()) {
    parts.push_back(iovec{const_cast<std::uint8_t*>(part.data()), part.size()});
    checksum.Append(part.span());
  }
  std::uint64_t at = size();
  for (std::size_t first = 0; first < parts.size();) {
    const int count = static_cast<int>(std::min<std::size_t>(parts.size() - first, IOV_MAX));
    const ssize_t written = Uninterrupted(
        [&] { return ::pwritev(fd_.get(), parts.data() + first, count, static_cast<off_t>(at)); });
    if (written < 0) return ErrnoStatus(errno, "the object could not be written", key_);
    if (written == 0) return ErrnoStatus(ENOSPC, "the object could not be written", key_);
    at += static_cast<std::uint64_t>(written);
    Advance(parts, first, static_cast<std::size_t>(written));
  }
  checksum_ = std::move(checksum);
  return OkStatus();
}

Status TempFile::Touch() {
  // What a failed Append left beyond the end goes too.
  if (::ftruncate(fd_.get(), static_cast<off_t>(size())) != 0 || ::futimens(fd_.get(), nullptr) != 0) {
    return ErrnoStatus(errno, "the object could not be finished", key_);
  }
  return OkStatus();
}

Status TempFile::Sync() {
  if (::fsync(fd_.get()) == 0) return OkStatus();
  return ErrnoStatus(errno, "the object could not be synced", key_);
}

int TempFile::Link(int directory, const std::string& name) {
  int result = 0;
  if (name_.empty()) {
    const std::string self = fmt::format("/proc/self/fd/{}", fd_.get());
    result = ::linkat(AT_FDCWD, self.c_str(), directory, name.c_str(), AT_SYMLINK_FOLLOW);
  } else {
    result = ::linkat(directory_, name_.c_str(), directory, name.c_str(), 0);
  }
  return result == 0 ? 0 : errno;
}

Result<ino_t> TempFile::inode() const {
  struct stat about;
  if (::fstat(fd_.get(), &about) != 0) return ErrnoStatus(errno, "the object could not be examined", key_);
  return about.st_ino;
}

}  // namespace lakestream
