#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "meta/lmdb/lmdb_txn.h"
#include "meta/lmdb/session_locks.h"
#include "meta/metadata_store.h"

namespace lakestream {

/// One write and its answer.
struct WriteOp {
  enum class Kind {
    kCreateStore,
    kPut,
    kCreate,
    kCompareAndSet,
    kDelete,
    kDeleteRange,
    kSequencedPut,
    kOpenSession,
    kEndSession,
    kRaiseVersions,
    kNothing,  ///< only to make the writer pass by, which follows a changed map
  };
  Kind kind = Kind::kNothing;
  int shard = 0;  ///< kCreateStore: how many
  int slot = -1;  ///< of the change hints
  std::string key;
  std::string to;  ///< kDeleteRange: exclusive
  Buffer value;
  std::int64_t version = 0;            ///< kCompareAndSet: expected; kRaiseVersions: the least that was used
  std::optional<SessionNumber> guard;  ///< fenced where it has ended
  SessionNumber session = 0;           ///< kCreate: the owner, 0 for none; kEndSession: the one
  bool only_if_dead = false;           ///< kEndSession
  std::int64_t first_delta = 0;        ///< kRaiseVersions: how many are skipped
  std::int64_t second_delta = 0;
  std::function<Status()> admit;
  std::optional<Status> admitted;  ///< what `admit` said, kept where the batch is computed again

  Status status;  ///< ok: done once the batch is committed
  WriteAnswer answer;
  std::string made_key;            ///< kSequencedPut
  SessionNumber made_session = 0;  ///< kOpenSession
};

/// Applies writes inside one write transaction. Nothing outside it changes before Committed, save for lock files
/// of new sessions, which the destructor takes back.
class WriteTxn {
 public:
  WriteTxn(MDB_txn* txn, SessionLocks& locks, std::int64_t wall_ms) : txn_(txn), locks_(locks), wall_ms_(wall_ms) {}
  ~WriteTxn();
  WriteTxn(const WriteTxn&) = delete;
  WriteTxn& operator=(const WriteTxn&) = delete;

  // Each gives an LMDB code: anything but 0 and the whole transaction must be aborted.

  /// First: reads the counters. A status other than ok fails every request.
  int Begin(Status* status);
  /// Does one write; what only concerns it is in op.status.
  int Apply(WriteOp& op);
  /// Last: stores the counters.
  int Finish();

  /// The transaction is committed: what Apply did is true.
  void Committed();

  bool changed() const { return changed_; }
  const std::vector<int>& touched() const { return touched_; }
  bool touched_all() const { return touched_all_; }
  std::uint64_t dead_sessions() const { return dead_sessions_; }
  /// How far the clock is behind the newest creation time; at most 0 where it is not.
  std::int64_t clock_behind_ms() const { return counters_.last_created_ms - wall_ms_; }

 private:
  int CreateStore(WriteOp& op);
  int Write(WriteOp& op);
  int Store(WriteOp& op, std::string_view stored_key, const std::optional<StoredRecord>& before);
  int Delete(WriteOp& op);
  int DeleteRange(WriteOp& op);
  int SequencedPut(WriteOp& op);
  int OpenSession(WriteOp& op);
  int EndSession(WriteOp& op);
  int RaiseVersions(WriteOp& op);

  /// The record under the key; one whose session is dead is gone first, with all of that session's.
  int LoadLive(std::string_view stored_key, std::optional<StoredRecord>* record, Status* status);
  int RemoveSession(SessionNumber session, Status* status);
  int SessionExists(SessionNumber session, bool* exists);
  /// `owner` of a session without a record is nobody.
  int LoadOwner(SessionNumber session, std::optional<SessionOwner>* owner, Status* status);
  int DropEphemeral(const StoredRecord& record);
  // All changes of records go through these two, which keep the digest.
  int PutRecord(std::string_view key, std::string_view header, std::string_view value = std::string_view());
  /// MDB_NOTFOUND where there is none.
  int DeleteRecord(std::string_view key);
  std::int64_t NextCreationTime();
  void Touch(const WriteOp& op);

  LmdbTxn txn_;
  SessionLocks& locks_;
  const std::int64_t wall_ms_;
  StoreCounters counters_;
  bool has_store_ = false;
  bool changed_ = false;
  bool committed_ = false;
  bool touched_all_ = false;
  std::uint64_t dead_sessions_ = 0;
  std::vector<int> touched_;
  std::vector<SessionNumber> opened_;
  std::vector<SessionNumber> ended_;
};

}  // namespace lakestream
