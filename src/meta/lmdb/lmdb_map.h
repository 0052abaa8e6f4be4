#pragma once

#include <lmdb.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <utility>
#include <vector>

#include "lakestream/status.h"
#include "meta/lmdb/lmdb_txn.h"

namespace lakestream {

/// One open LMDB environment: its map, its read transactions, its size. Only in the durable mode of LMDB.
/// Thread safety: reads from any thread; what is marked so from the one thread that writes.
class LmdbMap {
 public:
  /// Blocks. Takes no write lock.
  static Result<std::unique_ptr<LmdbMap>> Open(const std::string& directory, std::uint64_t map_size);
  ~LmdbMap();
  LmdbMap(const LmdbMap&) = delete;
  LmdbMap& operator=(const LmdbMap&) = delete;

  /// A read transaction for as long as the scope lasts, which must be short: never over a co_await.
  class ReadScope {
   public:
    explicit ReadScope(LmdbMap& map);
    ~ReadScope();
    ReadScope(const ReadScope&) = delete;
    ReadScope& operator=(const ReadScope&) = delete;
    /// 0, or why there is no transaction. MDB_MAP_RESIZED: another process made the map larger, and the
    /// writer has to follow before anyone here can read.
    int rc() const { return rc_; }
    LmdbTxn txn() const { return LmdbTxn(txn_); }

   private:
    LmdbMap& map_;
    MDB_txn* txn_ = nullptr;
    int rc_;
  };

  /// Writing thread only. Waits for the write lock, as long as it takes.
  int BeginWrite(MDB_txn** txn);
  /// Writing thread only, without a transaction: doubles the map.
  int Grow();

  /// Writes the newest snapshot to a file that is open for writing, without the pages that are free. Blocks; takes no
  /// write lock. The map does not change here meanwhile. MDB_MAP_RESIZED as ReadScope::rc.
  int CopyTo(int fd);
  /// fenced where the data file is no longer the one that was opened: it was moved, removed or replaced, as a restore
  /// does, and what is written would be lost.
  Status CheckFile() const;

  /// True when LMDB itself refuses to go on after a failed write of its root page.
  bool Poisoned();
  /// Frees what readers of dead processes still hold.
  void CheckReaders();
  std::uint64_t map_size() const;
  std::uint64_t changes() const;

  struct Holder {
    std::int64_t pid = 0;
    std::string state;
    bool self = false;
  };
  /// Who has the write lock, where the lock file tells.
  std::optional<Holder> WriteLockHolder() const;

 private:
  LmdbMap(MDB_env* env, std::string data_file) : env_(env), data_file_(std::move(data_file)) {}
  int OpenMainDatabase();
  int Resize(std::size_t size);
  int TakeReader(MDB_txn** txn);

  MDB_env* env_;
  const std::string data_file_;
  int lock_file_ = -1;

  // Readers pass the turnstile and hold the gate shared; one who changes the map stands in the turnstile, so that
  // it is not starved, and holds the gate alone.
  std::mutex turnstile_;
  std::shared_mutex gate_;

  mutable std::mutex mutex_;
  std::vector<MDB_txn*> idle_readers_;
  std::uint64_t map_size_ = 0;
  std::uint64_t changes_ = 0;
};

}  // namespace lakestream
