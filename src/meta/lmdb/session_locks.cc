#include "meta/lmdb/session_locks.h"

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <mutex>

#include "base/try.h"
#include "meta/lmdb/process_identity.h"

namespace lakestream {
namespace {

constexpr std::string_view kNamespacePrefix = "pidns-";

/// The lock files of this process, so that a child can close them all.
struct Tracked {
  std::mutex mutex;
  std::vector<LockFile> files;
  std::atomic<std::uint64_t> generation{0};
};

Tracked& TheTracked() {
  static Tracked* const tracked = [] {
    Tracked* const made = new Tracked;
    pthread_atfork([] { TheTracked().mutex.lock(); }, [] { TheTracked().mutex.unlock(); },
                   [] {
                     Tracked& mine = TheTracked();
                     for (const LockFile file : mine.files) close(file);
                     mine.files.clear();
                     ++mine.generation;
                     mine.mutex.unlock();
                   });
    return made;
  }();
  return *tracked;
}

LockFile OpenTracked(const std::string& path, int flags) {
  Tracked& tracked = TheTracked();
  // Under the lock, so that no fork falls between opening the file and knowing about it.
  const std::lock_guard lock(tracked.mutex);
  const int file = open(path.c_str(), flags | O_CLOEXEC, 0640);
  if (file >= 0) tracked.files.push_back(file);
  return file;
}

bool SetLock(int file, short type) {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  return fcntl(file, F_OFD_SETLK, &lock) == 0;
}

/// The kind of lock that somebody has on the file; F_UNLCK for none.
Result<short> LockOf(int file, const std::string& path) {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  if (fcntl(file, F_OFD_GETLK, &lock) != 0) {
    return Unavailable("a lock file cannot be examined").With("file", path).With("error", std::strerror(errno));
  }
  return lock.l_type;
}

Status FileError(std::string_view sentence, const std::string& path) {
  const int error = errno;
  const Status status = error == ENOSPC || error == EDQUOT || error == EMFILE || error == ENFILE
                            ? ResourceExhausted(sentence)
                            : Unavailable(sentence);
  return status.With("file", path).With("error", std::strerror(error));
}

bool StillNamed(int file) {
  struct stat info;
  return fstat(file, &info) == 0 && info.st_nlink > 0;
}

Result<LockFile> MakeLocked(const std::string& path, short type) {
  constexpr int kTries = 10;
  for (int i = 0; i < kTries; ++i) {
    const LockFile file = OpenTracked(path, O_RDWR | O_CREAT);
    if (file < 0) return FileError("a lock file cannot be made", path);
    // One who removes stray files may have taken the name away before the lock was there.
    if (SetLock(file, type) && StillNamed(file)) return file;
    CloseLockFile(file);
  }
  return Unavailable("a lock file cannot be locked").With("file", path);
}

void RemoveUnlocked(const std::string& path) {
  const LockFile file = OpenTracked(path, O_RDWR);
  if (file < 0) return;
  // Held while the name goes, so that one who makes the file at this moment does not get the lock.
  if (SetLock(file, F_WRLCK) && StillNamed(file)) unlink(path.c_str());
  CloseLockFile(file);
}

}  // namespace

std::uint64_t ForkGeneration() { return TheTracked().generation.load(); }

void CloseLockFile(LockFile file) {
  Tracked& tracked = TheTracked();
  const std::lock_guard lock(tracked.mutex);
  // Not ours any more in a child, where the number may name another file.
  if (std::erase(tracked.files, file) > 0) close(file);
}

SessionLocks::~SessionLocks() {
  if (namespace_file_ >= 0) CloseLockFile(namespace_file_);
  for (const auto& [session, file] : own_) CloseLockFile(file);
}

std::string SessionLocks::PathOf(SessionNumber session) const { return directory_ + "/" + SessionId(session); }

Status SessionLocks::Prepare() {
  if (mkdir(directory_.c_str(), 0750) != 0 && errno != EEXIST) {
    return FileError("the directory of session locks cannot be made", directory_);
  }
  return HoldNamespace();
}

Status SessionLocks::HoldNamespace() {
  const std::string own = std::string(kNamespacePrefix) + std::to_string(PidNamespace());
  LS_ASSIGN(namespace_file_, MakeLocked(directory_ + "/" + own, F_RDLCK));
  DIR* const listing = opendir(directory_.c_str());
  if (listing == nullptr) return FileError("the directory of session locks cannot be read", directory_);
  Status clash;
  while (const dirent* entry = readdir(listing)) {
    const std::string name = entry->d_name;
    if (!name.starts_with(kNamespacePrefix) || name == own) continue;
    const std::string path = directory_ + "/" + name;
    const LockFile other = OpenTracked(path, O_RDWR);
    if (other < 0) continue;
    const Result<short> lock = LockOf(other, path);
    // A write lock is that of one who is removing a stray file.
    if (lock.ok() && *lock == F_RDLCK) {
      clash = InvalidArgument("processes of another PID namespace use this metadata store")
                  .With("other", name)
                  .With("own", own)
                  .With("directory", directory_);
    }
    CloseLockFile(other);
    if (lock.ok() && *lock == F_UNLCK) RemoveUnlocked(path);
  }
  closedir(listing);
  return clash;
}

Status SessionLocks::Acquire(SessionNumber session) {
  LS_ASSIGN(const LockFile file, MakeLocked(PathOf(session), F_WRLCK));
  const std::lock_guard lock(mutex_);
  own_.emplace(session, file);
  return OkStatus();
}

void SessionLocks::Release(SessionNumber session) {
  const std::lock_guard lock(mutex_);
  const auto found = own_.find(session);
  if (found == own_.end()) return;
  CloseLockFile(found->second);
  own_.erase(found);
}

bool SessionLocks::IsOwn(SessionNumber session) const {
  const std::lock_guard lock(mutex_);
  return own_.contains(session);
}

Result<bool> SessionLocks::IsAlive(SessionNumber session, const SessionOwner& owner) const {
  if (IsOwn(session)) return true;
  const std::string path = PathOf(session);
  const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) {
    if (errno == ENOENT) return MayStillRun(owner);
    return FileError("a session's lock file cannot be opened", path);
  }
  const Result<short> lock = LockOf(file, path);
  close(file);
  LS_TRY(lock.status());
  return *lock != F_UNLCK;
}

void SessionLocks::Remove(SessionNumber session) { unlink(PathOf(session).c_str()); }

void SessionLocks::RemoveIfFree(SessionNumber session) { RemoveUnlocked(PathOf(session)); }

Result<std::vector<SessionNumber>> SessionLocks::List() const {
  DIR* const listing = opendir(directory_.c_str());
  if (listing == nullptr) return FileError("the directory of session locks cannot be read", directory_);
  std::vector<SessionNumber> sessions;
  while (const dirent* entry = readdir(listing)) {
    const SessionNumber session = ParseSessionId(entry->d_name);
    if (session != 0) sessions.push_back(session);
  }
  closedir(listing);
  std::sort(sessions.begin(), sessions.end());
  return sessions;
}

}  // namespace lakestream
