#include "meta/lmdb/lmdb_copy.h"

#include <lmdb.h>

#include <memory>

#include "base/try.h"
#include "meta/lmdb/lmdb_txn.h"
#include "meta/lmdb/store_check.h"

namespace lakestream {
namespace {

struct CloseEnv {
  void operator()(MDB_env* env) const { mdb_env_close(env); }
};
struct AbortTxn {
  void operator()(MDB_txn* txn) const { mdb_txn_abort(txn); }
};

Result<std::uint64_t> Verify(const std::string& file) {
  MDB_env* env = nullptr;
  int rc = mdb_env_create(&env);
  if (rc != 0) return LmdbError(rc, "a copy of the metadata cannot be opened");
  const std::unique_ptr<MDB_env, CloseEnv> owned(env);
  rc = mdb_env_open(env, file.c_str(), MDB_RDONLY | MDB_NOSUBDIR | MDB_NOLOCK, 0);
  if (rc == ENOENT) return NotFound("there is no copy of the metadata");
  MDB_txn* txn = nullptr;
  if (rc == 0) rc = mdb_txn_begin(env, nullptr, MDB_RDONLY, &txn);
  if (rc != 0) return LmdbError(rc, "a copy of the metadata cannot be opened");
  const std::unique_ptr<MDB_txn, AbortTxn> read(txn);
  MDB_dbi dbi = 0;
  rc = mdb_dbi_open(txn, nullptr, 0, &dbi);
  if (rc != 0) return LmdbError(rc, "a copy of the metadata cannot be read");
  return CheckStore(LmdbTxn(txn), [] { return OkStatus(); });
}

}  // namespace

Result<std::uint64_t> VerifyLmdbCopy(const std::string& file) {
  const Result<std::uint64_t> records = Verify(file);
  if (!records.ok()) return records.status().With("file", file);
  return records;
}

}  // namespace lakestream
