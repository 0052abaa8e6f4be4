#include "meta/lmdb/lmdb_map.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/invariant.h"
#include "meta/lmdb/process_identity.h"

namespace lakestream {
namespace {

constexpr unsigned kMaxReaders = 1024;
constexpr std::uint64_t kMapUnit = std::uint64_t{1} << 20;
constexpr std::uint64_t kMaxMapSize = std::uint64_t{1} << 46;

// LMDB 0.9 on 64-bit Linux: the write mutex is a robust pthread mutex in the second cache line of the lock file,
// and glibc keeps its owner's thread id in the third word. Only messages depend on it; a test holds it.
constexpr std::uint32_t kLockMagic = 0xBEEFC0DE;
constexpr off_t kWriteMutexOwner = 64 + 8;

}  // namespace

Result<std::unique_ptr<LmdbMap>> LmdbMap::Open(const std::string& directory, std::uint64_t map_size) {
  MDB_env* env = nullptr;
  int rc = mdb_env_create(&env);
  if (rc != 0) return LmdbError(rc, "the metadata store cannot be opened");
  std::unique_ptr<LmdbMap> map(new LmdbMap(env, directory + "/data.mdb"));
  map->map_size_ = std::max(map_size / kMapUnit * kMapUnit, kMapUnit);
  rc = mdb_env_set_mapsize(env, map->map_size_);
  if (rc == 0) rc = mdb_env_set_maxreaders(env, kMaxReaders);
  // Read transactions belong to no thread, so that they can be kept and used again by any.
  if (rc == 0) rc = mdb_env_open(env, directory.c_str(), MDB_NOTLS, 0640);
  if (rc != 0) return LmdbError(rc, "the metadata store cannot be opened").With("directory", directory);
  rc = map->OpenMainDatabase();
  if (rc != 0) return LmdbError(rc, "the metadata store cannot be opened").With("directory", directory);
  // Closing any descriptor of a file drops this process's POSIX locks on it, LMDB's own too: so this one is
  // opened once and closed after LMDB's.
  map->lock_file_ = open((directory + "/lock.mdb").c_str(), O_RDONLY | O_CLOEXEC);
  mdb_reader_check(env, nullptr);
  return map;
}

int LmdbMap::OpenMainDatabase() {
  MDB_txn* txn = nullptr;
  int rc = mdb_txn_begin(env_, nullptr, MDB_RDONLY, &txn);
  while (rc == MDB_MAP_RESIZED) {
    rc = mdb_env_set_mapsize(env_, 0);
    if (rc == 0) rc = mdb_txn_begin(env_, nullptr, MDB_RDONLY, &txn);
  }
  if (rc != 0) return rc;
  // Sets the comparison of keys; the handle itself is a constant.
  MDB_dbi dbi = 0;
  rc = mdb_dbi_open(txn, nullptr, 0, &dbi);
  mdb_txn_abort(txn);
  LS_INVARIANT(rc != 0 || dbi == kMainDbi, "LMDB gives its main database the handle 1");
  MDB_envinfo info;
  mdb_env_info(env_, &info);
  map_size_ = info.me_mapsize;
  return rc;
}

LmdbMap::~LmdbMap() {
  for (MDB_txn* const txn : idle_readers_) mdb_txn_abort(txn);
  mdb_env_close(env_);
  if (lock_file_ >= 0) close(lock_file_);
}

LmdbMap::ReadScope::ReadScope(LmdbMap& map) : map_(map) {
  {
    const std::lock_guard pass(map_.turnstile_);
    map_.gate_.lock_shared();
  }
  rc_ = map_.TakeReader(&txn_);
  if (rc_ == MDB_READERS_FULL) {
    mdb_reader_check(map_.env_, nullptr);
    rc_ = map_.TakeReader(&txn_);
  }
  if (rc_ != 0) map_.gate_.unlock_shared();
}

LmdbMap::ReadScope::~ReadScope() {
  if (rc_ != 0) return;
  mdb_txn_reset(txn_);
  {
    const std::lock_guard lock(map_.mutex_);
    map_.idle_readers_.push_back(txn_);
  }
  map_.gate_.unlock_shared();
}

int LmdbMap::TakeReader(MDB_txn** txn) {
  MDB_txn* kept = nullptr;
  {
    const std::lock_guard lock(mutex_);
    if (!idle_readers_.empty()) {
      kept = idle_readers_.back();
      idle_readers_.pop_back();
    }
  }
  if (kept == nullptr) return mdb_txn_begin(env_, nullptr, MDB_RDONLY, txn);
  const int rc = mdb_txn_renew(kept);
  if (rc != 0) {
    mdb_txn_abort(kept);
    return rc;
  }
  *txn = kept;
  return 0;
}

int LmdbMap::BeginWrite(MDB_txn** txn) {
  while (true) {
    const int rc = mdb_txn_begin(env_, nullptr, 0, txn);
    if (rc != MDB_MAP_RESIZED) return rc;
    const int resized = Resize(0);
    if (resized != 0) return resized;
  }
}

int LmdbMap::Grow() {
  const std::uint64_t size = map_size();
  return size >= kMaxMapSize ? MDB_MAP_FULL : Resize(size * 2);
}

int LmdbMap::Resize(std::size_t size) {
  const std::lock_guard pass(turnstile_);
  const std::lock_guard alone(gate_);
  const int rc = mdb_env_set_mapsize(env_, size);
  if (rc != 0) return rc;
  MDB_envinfo info;
  mdb_env_info(env_, &info);
  const std::lock_guard lock(mutex_);
  map_size_ = info.me_mapsize;
  ++changes_;
  return 0;
}

int LmdbMap::CopyTo(int fd) {
  {
    const std::lock_guard pass(turnstile_);
    gate_.lock_shared();
  }
  const int rc = mdb_env_copyfd2(env_, fd, MDB_CP_COMPACT);
  gate_.unlock_shared();
  return rc;
}

Status LmdbMap::CheckFile() const {
  mdb_filehandle_t fd = -1;
  struct stat opened;
  struct stat named;
  if (mdb_env_get_fd(env_, &fd) != 0 || fstat(fd, &opened) != 0) return OkStatus();
  const bool there = stat(data_file_.c_str(), &named) == 0;
  // One who may not look has not been shown another file.
  if (!there && errno != ENOENT && errno != ENOTDIR) return OkStatus();
  if (there && named.st_dev == opened.st_dev && named.st_ino == opened.st_ino) return OkStatus();
  return Fenced("the metadata was moved or replaced while this process had it open; start this process again")
      .With("file", data_file_);
}

bool LmdbMap::Poisoned() {
  const ReadScope scope(*this);
  return scope.rc() == MDB_PANIC;
}

void LmdbMap::CheckReaders() { mdb_reader_check(env_, nullptr); }

std::uint64_t LmdbMap::map_size() const {
  const std::lock_guard lock(mutex_);
  return map_size_;
}

std::uint64_t LmdbMap::changes() const {
  const std::lock_guard lock(mutex_);
  return changes_;
}

std::optional<LmdbMap::Holder> LmdbMap::WriteLockHolder() const {
  std::uint32_t magic = 0;
  std::int32_t thread = 0;
  if (lock_file_ < 0) return std::nullopt;
  if (pread(lock_file_, &magic, sizeof(magic), 0) != sizeof(magic) || magic != kLockMagic) return std::nullopt;
  if (pread(lock_file_, &thread, sizeof(thread), kWriteMutexOwner) != sizeof(thread)) return std::nullopt;
  if (thread <= 0) return std::nullopt;
  const ThreadState found = LookUpThread(thread);
  if (found.pid == 0) return std::nullopt;
  return Holder{found.pid, found.state, found.pid == getpid()};
}

}  // namespace lakestream
