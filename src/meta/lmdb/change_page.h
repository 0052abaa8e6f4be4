#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/time.h"
#include "lakestream/status.h"
#include "meta/lmdb/change_hub.h"

namespace lakestream {

/// Memory that all processes of a store share, in DIR/changes: counters of changes, and a futex for those who wait for
/// one. A hint, no more: a process that dies between its commit and its count is not seen here, and what stands in the
/// file after a crash of the machine means nothing. Thread safety: any thread.
class ChangePage {
 public:
  /// Makes the file where it is missing. Errors: as ErrnoStatus.
  static Result<std::shared_ptr<ChangePage>> Open(const std::string& directory);
  ~ChangePage();
  ChangePage(const ChangePage&) = delete;
  ChangePage& operator=(const ChangePage&) = delete;

  /// Tells the other processes that these slots of ChangeHub have changed, and wakes those who wait.
  void Touch(const std::vector<int>& slots);
  void TouchAll();

  struct Others {
    bool all = false;
    std::vector<int> slots;
  };
  /// Blocks until another process has touched something since the last call (since Open at first), until Close, or
  /// for so long at most, and gives what it was.
  Others AwaitOthers(Duration limit);
  /// AwaitOthers returns at once, now and from now on.
  void Close();
  bool closed() const { return closed_.load(); }

 private:
  /// What the file holds, in the machine's byte order. All zero is a page that nobody has touched.
  struct Shared {
    std::atomic<std::uint32_t> touches;  ///< the futex: changes with every touch, and when somebody closes
    std::atomic<std::uint32_t> all;      ///< times that everything was touched
    std::array<std::atomic<std::uint32_t>, 14> unused;
    std::array<std::atomic<std::uint32_t>, ChangeHub::kSlots> slots;
  };
  static_assert(std::atomic<std::uint32_t>::is_always_lock_free && sizeof(std::atomic<std::uint32_t>) == 4);

  explicit ChangePage(Shared* shared);
  void Wake();
  Others Collect();

  Shared* const shared_;
  std::atomic<bool> closed_{false};
  std::mutex mutex_;
  // What was seen of each counter, or done to it here.
  std::uint32_t all_ = 0;
  std::array<std::uint32_t, ChangeHub::kSlots> slots_{};
};

}  // namespace lakestream
