#pragma once

#include <lmdb.h>

#include <string_view>

#include "lakestream/status.h"
#include "meta/lmdb/stored_record.h"
#include "meta/metadata_store.h"

namespace lakestream {

/// What an LMDB call's failure means for a caller whose request was not done. Requires: rc != 0.
Status LmdbError(int rc, std::string_view sentence);

/// The only database of an environment; the handle needs no opening.
inline constexpr MDB_dbi kMainDbi = 1;

/// The calls on an open transaction that this folder uses. Owns nothing. Each gives LMDB's code.
class LmdbTxn {
 public:
  explicit LmdbTxn(MDB_txn* txn) : txn_(txn) {}
  MDB_txn* raw() const { return txn_; }

  /// The value stays valid until the transaction's next write or its end.
  int Get(std::string_view key, std::string_view* value) const;
  int Put(std::string_view key, std::string_view value);
  /// Fails with MDB_KEYEXIST where there is a record. `stored`, also then: the value that is there now.
  int Insert(std::string_view key, std::string_view header, std::string_view value, std::string_view* stored);
  /// MDB_NOTFOUND where there is none.
  int Delete(std::string_view key);

  struct Found {
    std::string_view key;
    std::string_view value;
  };
  /// The record of one shard that the comparison means; MDB_NOTFOUND where there is none.
  int Find(int shard, std::string_view key, KeyComparison comparison, Found* found) const;
  /// The greatest record of the shard strictly below the key.
  int FindBelow(int shard, std::string_view key, Found* found) const;

 private:
  MDB_txn* txn_;
};

class LmdbCursor {
 public:
  explicit LmdbCursor(const LmdbTxn& txn);
  ~LmdbCursor();
  LmdbCursor(const LmdbCursor&) = delete;
  LmdbCursor& operator=(const LmdbCursor&) = delete;

  /// The first record at or above the key.
  int Seek(std::string_view key, LmdbTxn::Found* found);
  int First(LmdbTxn::Found* found) { return Move(MDB_FIRST, found); }
  int Next(LmdbTxn::Found* found) { return Move(MDB_NEXT, found); }
  int Previous(LmdbTxn::Found* found) { return Move(MDB_PREV, found); }
  int Last(LmdbTxn::Found* found) { return Move(MDB_LAST, found); }
  int DeleteHere();

 private:
  int Move(MDB_cursor_op op, LmdbTxn::Found* found);

  MDB_cursor* cursor_ = nullptr;
  int opened_;
};

}  // namespace lakestream
