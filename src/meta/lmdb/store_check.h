#pragma once

#include <cstdint>
#include <functional>

#include "meta/lmdb/lmdb_txn.h"

namespace lakestream {

/// Walks every record of the transaction's snapshot and compares it with what was written: header, checksums, forms and
/// order of the keys, their number and digest, and that each page of records is reached by its keys. Costs less than
/// half a microsecond a record from the page cache. A changed bit that LMDB cannot live with may crash the process.
/// Gives their number. Asks `go_on` now and then, and ends where it is not ok. Errors: corrupt; LMDB's.
Result<std::uint64_t> CheckStore(const LmdbTxn& txn, const std::function<Status()>& go_on);

/// Reads the counters, and whether this snapshot is the one that its last transaction left.
Result<StoreCounters> LoadCounters(const LmdbTxn& txn);

}  // namespace lakestream
