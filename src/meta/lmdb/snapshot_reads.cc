#include "meta/lmdb/snapshot_reads.h"

#include <map>

#include "base/try.h"
#include "meta/page_cursor.h"
#include "meta/shard.h"

namespace lakestream {
namespace {

constexpr std::size_t kMaxPageBytes = std::size_t{8} << 20;

Status ReadFailure(int rc) {
  // LMDB refuses reads too after it failed to write its root page.
  if (rc == MDB_PANIC) return Unavailable("the metadata store is closed after an I/O error until it is opened again");
  return LmdbError(rc, "the metadata store cannot be read");
}

/// Turns stored records into answers within one transaction.
class RecordReader {
 public:
  RecordReader(const LmdbTxn& txn, const SessionLocks& locks, ReadObstacles* obstacles)
      : txn_(txn), locks_(locks), obstacles_(obstacles) {}

  Result<MetadataRecord> Read(const LmdbTxn::Found& found, bool values) {
    LS_ASSIGN(const StoredRecord stored, DecodeRecord(found.key, found.value));
    MetadataRecord record;
    if (stored.session != 0) {
      LS_ASSIGN(record.process, CheckOwner(stored.session));
      record.session = SessionId(stored.session);
    }
    record.key = std::string(PlainKey(found.key));
    record.version = stored.version;
    record.created_ms = stored.created_ms;
    record.ephemeral = stored.session != 0;
    if (values) record.value = Buffer::CopyOf(stored.value);
    return record;
  }

 private:
  /// The process of a session; notes the session where it is dead.
  Result<std::int64_t> CheckOwner(SessionNumber session) {
    const auto known = processes_.find(session);
    if (known != processes_.end()) return known->second;
    std::string_view bytes;
    const int rc = txn_.Get(SessionKey(session), &bytes);
    if (rc == MDB_NOTFOUND) return Corrupt("an ephemeral record has no session").With("session", SessionId(session));
    if (rc != 0) return ReadFailure(rc);
    LS_ASSIGN(const SessionOwner owner, DecodeSessionOwner(session, bytes));
    LS_ASSIGN(const bool alive, locks_.IsAlive(session, owner));
    if (!alive) obstacles_->dead.push_back(session);
    processes_.emplace(session, owner.pid);
    return owner.pid;
  }

  const LmdbTxn& txn_;
  const SessionLocks& locks_;
  ReadObstacles* obstacles_;
  std::map<SessionNumber, std::int64_t> processes_;
};

struct PageSoFar {
  ScanPage page;
  int last_shard = 0;  ///< of the last record
  std::size_t bytes = 0;
};

/// Adds the records of one shard to the page; true when the page is full, with its cursor set.
Result<bool> ScanShard(const LmdbTxn& txn, RecordReader& reader, const PagePosition& from, const std::string& to,
                       int limit, bool values, PageSoFar* so_far) {
  const int shard = from.shard;
  ScanPage& page = so_far->page;
  const std::string first = StoredKey(shard, from.key);
  const std::string end = StoredKey(shard, to);
  LmdbCursor cursor(txn);
  LmdbTxn::Found found;
  int rc = cursor.Seek(first, &found);
  if (rc == 0 && from.exclusive && found.key == first) rc = cursor.Next(&found);
  for (; rc == 0 && found.key < end; rc = cursor.Next(&found)) {
    if (page.records.size() >= static_cast<std::size_t>(limit) || so_far->bytes >= kMaxPageBytes) {
      page.next = EncodePageCursor(so_far->last_shard, page.records.back().key);
      return true;
    }
    LS_ASSIGN(MetadataRecord record, reader.Read(found, values));
    so_far->bytes += record.key.size() + record.value.size();
    so_far->last_shard = shard;
    page.records.push_back(std::move(record));
  }
  if (rc != 0 && rc != MDB_NOTFOUND) return ReadFailure(rc);
  return false;
}

}  // namespace

Result<std::vector<ReadAnswer>> ReadSnapshot(LmdbMap& map, const SessionLocks& locks, int shards,
                                             const std::vector<ReadRequest>& requests, ReadObstacles* obstacles) {
  std::vector<ReadAnswer> answers;
  const LmdbMap::ReadScope scope(map);
  if (scope.rc() == MDB_MAP_RESIZED) {
    obstacles->map_changed = true;
    return answers;
  }
  if (scope.rc() != 0) return ReadFailure(scope.rc());
  const LmdbTxn txn = scope.txn();
  RecordReader reader(txn, locks, obstacles);
  answers.reserve(requests.size());
  for (const ReadRequest& request : requests) {
    LmdbTxn::Found found;
    const int rc = txn.Find(ShardOf(request.partition, shards), request.key, request.comparison, &found);
    if (rc == MDB_NOTFOUND) {
      answers.emplace_back();
      continue;
    }
    if (rc != 0) return ReadFailure(rc);
    LS_ASSIGN(MetadataRecord record, reader.Read(found, true));
    answers.emplace_back(std::move(record));
  }
  return answers;
}

Result<ScanPage> ScanSnapshot(LmdbMap& map, const SessionLocks& locks, int shards, const KeyRange& range,
                              std::string_view cursor, int limit, bool values, ReadObstacles* obstacles) {
  PageSoFar so_far;
  const int only = range.partition ? ShardOf(*range.partition, shards) : -1;
  LS_ASSIGN(PagePosition position, DecodePageCursor(range, only, shards, cursor));
  if (!MetadataKeyLess(range.from, range.to)) return so_far.page;
  const LmdbMap::ReadScope scope(map);
  if (scope.rc() == MDB_MAP_RESIZED) {
    obstacles->map_changed = true;
    return so_far.page;
  }
  if (scope.rc() != 0) return ReadFailure(scope.rc());
  const LmdbTxn txn = scope.txn();
  RecordReader reader(txn, locks, obstacles);
  const int last = only < 0 ? shards - 1 : only;
  for (; position.shard <= last; position = PagePosition{position.shard + 1, range.from, false}) {
    LS_ASSIGN(const bool full, ScanShard(txn, reader, position, range.to, limit, values, &so_far));
    if (full) break;
  }
  return std::move(so_far.page);
}

}  // namespace lakestream
