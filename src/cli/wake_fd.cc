#include "cli/wake_fd.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>

#include "base/invariant.h"

namespace lakestream {

WakeFd::WakeFd() : fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  LS_INVARIANT(fd_ >= 0, "the process has a descriptor left");
}

WakeFd::~WakeFd() { close(fd_); }

void WakeFd::Signal() const {
  const int saved = errno;
  const std::uint64_t one = 1;
  // Fails only where the counter is full, and then it is readable anyway.
  [[maybe_unused]] const ssize_t written = write(fd_, &one, sizeof(one));
  errno = saved;
}

void WakeFd::Clear() const {
  std::uint64_t count = 0;
  [[maybe_unused]] const ssize_t got = read(fd_, &count, sizeof(count));
}

}  // namespace lakestream
