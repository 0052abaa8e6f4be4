#include "meta/lmdb/change_page.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <ctime>

#include "runtime/posix/posix.h"

namespace lakestream {
namespace {

/// Not FUTEX_PRIVATE: those who wait are in other processes.
void FutexWait(std::atomic<std::uint32_t>& word, std::uint32_t seen, Duration limit) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(limit);
  timespec relative;
  relative.tv_sec = seconds.count();
  relative.tv_nsec = (limit - seconds).count();
  syscall(SYS_futex, &word, FUTEX_WAIT, seen, &relative, nullptr, 0);
}

void FutexWakeAll(std::atomic<std::uint32_t>& word) { syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0); }

}  // namespace

Result<std::shared_ptr<ChangePage>> ChangePage::Open(const std::string& directory) {
  const std::string path = directory + "/changes";
  const UniqueFd file = OpenAt(AT_FDCWD, path, O_RDWR | O_CREAT, 0666);
  if (!file.valid()) return ErrnoStatus(errno, "the page of changes cannot be opened", path);
  // Never shorter: a process that has it mapped would be ended by SIGBUS.
  struct stat about;
  if (fstat(file.get(), &about) != 0) return ErrnoStatus(errno, "the page of changes cannot be examined", path);
  const bool grow = about.st_size < static_cast<off_t>(sizeof(Shared));
  // With its blocks: a full disk shows here, and not as SIGBUS at the first touch.
  const int rc = grow ? posix_fallocate(file.get(), 0, sizeof(Shared)) : 0;
  if (rc != 0) return ErrnoStatus(rc, "the page of changes cannot be made", path);
  void* const mapped = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  if (mapped == MAP_FAILED) return ErrnoStatus(errno, "the page of changes cannot be mapped", path);
  return std::shared_ptr<ChangePage>(new ChangePage(static_cast<Shared*>(mapped)));
}

ChangePage::ChangePage(Shared* shared) : shared_(shared) { (void)Collect(); }

ChangePage::~ChangePage() { munmap(shared_, sizeof(Shared)); }

void ChangePage::Touch(const std::vector<int>& slots) {
  if (slots.empty()) return;
  {
    const std::lock_guard lock(mutex_);
    for (const int slot : slots) {
      const auto at = static_cast<std::size_t>(slot);
      shared_->slots[at].fetch_add(1);
      ++slots_[at];
    }
  }
  Wake();
}

void ChangePage::TouchAll() {
  {
    const std::lock_guard lock(mutex_);
    shared_->all.fetch_add(1);
    ++all_;
  }
  Wake();
}

void ChangePage::Wake() {
  shared_->touches.fetch_add(1);
  FutexWakeAll(shared_->touches);
}

ChangePage::Others ChangePage::Collect() {
  Others others;
  const std::lock_guard lock(mutex_);
  const std::uint32_t all = shared_->all.load();
  others.all = all != all_;
  all_ = all;
  for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
    const std::uint32_t now = shared_->slots[slot].load();
    if (now == slots_[slot]) continue;
    slots_[slot] = now;
    others.slots.push_back(static_cast<int>(slot));
  }
  return others;
}

ChangePage::Others ChangePage::AwaitOthers(Duration limit) {
  // Taken before the look: a touch that comes after it ends the wait.
  const std::uint32_t before = shared_->touches.load();
  Others others = Collect();
  if (others.all || !others.slots.empty() || closed()) return others;
  FutexWait(shared_->touches, before, limit);
  return Collect();
}

void ChangePage::Close() {
  closed_ = true;
  Wake();
}

}  // namespace lakestream
