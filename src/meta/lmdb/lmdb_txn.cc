#include "meta/lmdb/lmdb_txn.h"

#include <cerrno>
#include <cstring>

namespace lakestream {
namespace {

MDB_val ToVal(std::string_view bytes) { return MDB_val{bytes.size(), const_cast<char*>(bytes.data())}; }
std::string_view FromVal(const MDB_val& val) {
  return std::string_view(static_cast<const char*>(val.mv_data), val.mv_size);
}

bool InShard(int shard, std::string_view stored) {
  return !stored.empty() && static_cast<std::uint8_t>(stored[0]) == shard;
}

StatusCode CodeOf(int rc) {
  switch (rc) {
    case MDB_CORRUPTED:
    case MDB_PAGE_NOTFOUND:
    case MDB_INVALID:
      return StatusCode::kCorrupt;
    case MDB_VERSION_MISMATCH:
    case ENOENT:
    case ENOTDIR:
      return StatusCode::kInvalidArgument;
    case ENOSPC:
    case EDQUOT:
    case ENOMEM:
    case EMFILE:
    case ENFILE:
    case MDB_TXN_FULL:
    case MDB_MAP_FULL:
    case MDB_READERS_FULL:
      return StatusCode::kResourceExhausted;
    default:
      return StatusCode::kUnavailable;
  }
}

}  // namespace

Status LmdbError(int rc, std::string_view sentence) {
  return Status(CodeOf(rc), std::string(sentence)).With("lmdb", mdb_strerror(rc));
}

int LmdbTxn::Get(std::string_view key, std::string_view* value) const {
  MDB_val k = ToVal(key);
  MDB_val v{};
  const int rc = mdb_get(txn_, kMainDbi, &k, &v);
  if (rc == 0) *value = FromVal(v);
  return rc;
}

int LmdbTxn::Put(std::string_view key, std::string_view value) {
  MDB_val k = ToVal(key);
  MDB_val v = ToVal(value);
  return mdb_put(txn_, kMainDbi, &k, &v, 0);
}

int LmdbTxn::Insert(std::string_view key, std::string_view header, std::string_view value, std::string_view* stored) {
  MDB_val k = ToVal(key);
  MDB_val v{header.size() + value.size(), nullptr};
  const int rc = mdb_put(txn_, kMainDbi, &k, &v, MDB_RESERVE | MDB_NOOVERWRITE);
  if (rc == 0 && !header.empty()) std::memcpy(v.mv_data, header.data(), header.size());
  if (rc == 0 && !value.empty()) {
    std::memcpy(static_cast<char*>(v.mv_data) + header.size(), value.data(), value.size());
  }
  if (rc == 0 || rc == MDB_KEYEXIST) *stored = FromVal(v);
  return rc;
}

int LmdbTxn::Delete(std::string_view key) {
  MDB_val k = ToVal(key);
  return mdb_del(txn_, kMainDbi, &k, nullptr);
}

int LmdbTxn::Find(int shard, std::string_view key, KeyComparison comparison, Found* found) const {
  const std::string stored = StoredKey(shard, key);
  LmdbCursor cursor(*this);
  int rc = cursor.Seek(stored, found);
  const bool equal = rc == 0 && found->key == stored;
  switch (comparison) {
    case KeyComparison::kEqual:
      return rc == 0 && !equal ? MDB_NOTFOUND : rc;
    case KeyComparison::kCeiling:
      break;
    case KeyComparison::kHigher:
      if (equal) rc = cursor.Next(found);
      break;
    case KeyComparison::kFloor:
      if (equal) return 0;
      if (rc != 0 && rc != MDB_NOTFOUND) return rc;
      rc = rc == 0 ? cursor.Previous(found) : cursor.Last(found);
      break;
  }
  if (rc != 0) return rc;
  return InShard(shard, found->key) ? 0 : MDB_NOTFOUND;
}

int LmdbTxn::FindBelow(int shard, std::string_view key, Found* found) const {
  LmdbCursor cursor(*this);
  int rc = cursor.Seek(StoredKey(shard, key), found);
  if (rc != 0 && rc != MDB_NOTFOUND) return rc;
  rc = rc == 0 ? cursor.Previous(found) : cursor.Last(found);
  if (rc != 0) return rc;
  return InShard(shard, found->key) ? 0 : MDB_NOTFOUND;
}

LmdbCursor::LmdbCursor(const LmdbTxn& txn) : opened_(mdb_cursor_open(txn.raw(), kMainDbi, &cursor_)) {}

LmdbCursor::~LmdbCursor() {
  if (opened_ == 0) mdb_cursor_close(cursor_);
}

int LmdbCursor::Seek(std::string_view key, LmdbTxn::Found* found) {
  if (opened_ != 0) return opened_;
  MDB_val k = ToVal(key);
  MDB_val v{};
  const int rc = mdb_cursor_get(cursor_, &k, &v, MDB_SET_RANGE);
  if (rc == 0) *found = LmdbTxn::Found{FromVal(k), FromVal(v)};
  return rc;
}

int LmdbCursor::Move(MDB_cursor_op op, LmdbTxn::Found* found) {
  if (opened_ != 0) return opened_;
  MDB_val k{};
  MDB_val v{};
  const int rc = mdb_cursor_get(cursor_, &k, &v, op);
  if (rc == 0) *found = LmdbTxn::Found{FromVal(k), FromVal(v)};
  return rc;
}

int LmdbCursor::DeleteHere() { return opened_ != 0 ? opened_ : mdb_cursor_del(cursor_, 0); }

}  // namespace lakestream
