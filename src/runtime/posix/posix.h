#pragma once

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>
#include <string_view>
#include <utility>

#include "base/time.h"
#include "lakestream/status.h"

namespace lakestream {

/// Owns a file descriptor.
class UniqueFd {
 public:
  UniqueFd() = default;
  explicit UniqueFd(int fd) : fd_(fd) {}
  UniqueFd(UniqueFd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept {
    if (this != &other) {
      Close();
      fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
  }
  ~UniqueFd() { Close(); }

  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }
  int Release() { return std::exchange(fd_, -1); }

 private:
  // Nothing depends on what close says: what has to be durable was synced before.
  void Close() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }
  int fd_ = -1;
};

/// Calls again while a signal interrupts.
template <class F>
auto Uninterrupted(F call) {
  while (true) {
    const auto result = call();
    if (result >= 0 || errno != EINTR) return result;
  }
}

/// What a failed system call means for a caller, with the path and the name of the error: resource_exhausted
/// for a full disk or no descriptors, invalid_argument for a name that is too long, unavailable otherwise.
Status ErrnoStatus(int error, std::string_view sentence, std::string_view path);

/// openat with O_CLOEXEC. The caller reads errno where the result is not valid.
UniqueFd OpenAt(int directory, const std::string& path, int flags, int mode = 0);

/// The kernel's name for this boot of the machine, which Clock::Boot counts from; empty where it has none.
std::string BootId();

/// The last change of the file's bytes.
WallTime ModifiedTime(const struct stat& about);

}  // namespace lakestream
