#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "lakestream/status.h"
#include "meta/lmdb/stored_record.h"

namespace lakestream {

/// Changes in a child process after fork. What was opened under another value belongs to the parent.
std::uint64_t ForkGeneration();

/// A descriptor that carries a lock of the open file description: the kernel drops the lock when the last copy
/// is closed, so a child closes its copy right after fork. Closed in this process by CloseLockFile.
using LockFile = int;
void CloseLockFile(LockFile file);

/// The files that show, by a lock which only the kernel can drop early, that a session's process still holds
/// it. Thread safety: any thread.
class SessionLocks {
 public:
  explicit SessionLocks(std::string directory) : directory_(std::move(directory)) {}

  /// Makes the directory, and refuses where processes of another PID namespace use the store now.
  Status Prepare();
  ~SessionLocks();
  SessionLocks(const SessionLocks&) = delete;
  SessionLocks& operator=(const SessionLocks&) = delete;

  /// Makes and locks the file of a session that nobody knows yet; it is this process's until Release.
  Status Acquire(SessionNumber session);
  void Release(SessionNumber session);
  bool IsOwn(SessionNumber session) const;
  /// False once the kernel has dropped the session's lock, and then for ever. Where the file is gone, by a hand
  /// or a restore, the owner's process decides.
  Result<bool> IsAlive(SessionNumber session, const SessionOwner& owner) const;

  /// Removes the file of a session that has ended. A file that cannot be removed does no harm.
  void Remove(SessionNumber session);
  /// Removes the file unless some process holds it or is just making it.
  void RemoveIfFree(SessionNumber session);
  /// The sessions that have a file.
  Result<std::vector<SessionNumber>> List() const;

 private:
  std::string PathOf(SessionNumber session) const;
  Status HoldNamespace();

  std::string directory_;
  LockFile namespace_file_ = -1;
  mutable std::mutex mutex_;
  std::map<SessionNumber, LockFile> own_;
};

}  // namespace lakestream
