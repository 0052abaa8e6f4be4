#include "meta/lmdb/write_txn.h"

#include <algorithm>
#include <limits>

#include "meta/lmdb/process_identity.h"
#include "meta/sequence.h"

namespace lakestream {

WriteTxn::~WriteTxn() {
  if (committed_) return;
  for (const SessionNumber session : opened_) {
    locks_.Release(session);
    locks_.Remove(session);
  }
}

int WriteTxn::Begin(Status* status) {
  std::string_view bytes;
  const int rc = txn_.Get(CountersKey(), &bytes);
  if (rc == MDB_NOTFOUND) return 0;
  if (rc != 0) return rc;
  const Result<StoreCounters> counters = DecodeCounters(bytes);
  *status = counters.status();
  if (counters.ok()) counters_ = *counters;
  has_store_ = true;
  return 0;
}

int WriteTxn::Finish() {
  if (!changed_) return 0;
  counters_.transaction = mdb_txn_id(txn_.raw());
  return txn_.Put(CountersKey(), EncodeCounters(counters_));
}

void WriteTxn::Committed() {
  committed_ = true;
  for (const SessionNumber session : ended_) {
    locks_.Release(session);
    locks_.Remove(session);
  }
}

int WriteTxn::Apply(WriteOp& op) {
  op.status = OkStatus();
  if (op.kind == WriteOp::Kind::kCreateStore) return CreateStore(op);
  if (op.kind == WriteOp::Kind::kNothing) return 0;
  if (!has_store_) {
    op.status = Corrupt("the metadata store has lost its counters");
    return 0;
  }
  if (op.guard) {
    bool exists = false;
    if (const int rc = SessionExists(*op.guard, &exists); rc != 0) return rc;
    if (!exists) {
      op.status = Fenced("the session of a write has ended").With("session", SessionId(*op.guard));
      return 0;
    }
  }
  switch (op.kind) {
    case WriteOp::Kind::kPut:
    case WriteOp::Kind::kCreate:
    case WriteOp::Kind::kCompareAndSet:
      return Write(op);
    case WriteOp::Kind::kDelete:
      return Delete(op);
    case WriteOp::Kind::kDeleteRange:
      return DeleteRange(op);
    case WriteOp::Kind::kSequencedPut:
      return SequencedPut(op);
    case WriteOp::Kind::kOpenSession:
      return OpenSession(op);
    case WriteOp::Kind::kEndSession:
      return EndSession(op);
    case WriteOp::Kind::kRaiseVersions:
      return RaiseVersions(op);
    case WriteOp::Kind::kCreateStore:
    case WriteOp::Kind::kNothing:
      break;
  }
  return 0;
}

int WriteTxn::CreateStore(WriteOp& op) {
  // Another process was faster: its store is as good.
  if (has_store_) return 0;
  MDB_stat stat;
  if (const int rc = mdb_stat(txn_.raw(), kMainDbi, &stat); rc != 0) return rc;
  if (stat.ms_entries != 0) {
    op.status = InvalidArgument("the LMDB file holds records of another program");
    return 0;
  }
  StoreHeader header;
  header.shards = op.shard;
  if (const int rc = txn_.Put(StoreHeaderKey(), EncodeStoreHeader(header)); rc != 0) return rc;
  has_store_ = changed_ = true;
  return 0;
}

int WriteTxn::Write(WriteOp& op) {
  const std::string stored_key = StoredKey(op.shard, op.key);
  std::optional<StoredRecord> before;
  if (const int rc = LoadLive(stored_key, &before, &op.status); rc != 0 || !op.status.ok()) return rc;
  if (op.kind == WriteOp::Kind::kCreate && before) {
    op.status = AlreadyExists("the record exists").With("key", op.key);
    return 0;
  }
  if (op.kind == WriteOp::Kind::kCompareAndSet && !before) {
    op.status = PreconditionFailed("the record is absent").With("key", op.key);
    return 0;
  }
  if (op.kind == WriteOp::Kind::kCompareAndSet && before->version != op.version) {
    op.status = PreconditionFailed("the record has another version")
                    .With("key", op.key)
                    .With("expected", op.version)
                    .With("version", before->version);
    return 0;
  }
  if (before && before->session != 0) {
    if (const int rc = DropEphemeral(*before); rc != 0) return rc;
  }
  return Store(op, stored_key, before);
}

int WriteTxn::Store(WriteOp& op, std::string_view stored_key, const std::optional<StoredRecord>& before) {
  StoredRecord record;
  record.version = counters_.next_version++;
  record.created_ms = before ? before->created_ms : NextCreationTime();
  record.session = op.session;
  record.value = op.value.text();
  if (const int rc = PutRecord(stored_key, EncodeRecordHeader(stored_key, record), record.value); rc != 0) return rc;
  if (record.session != 0) {
    const std::string entry = EphemeralKey(record.session, record.version);
    if (const int rc = PutRecord(entry, EncodeEphemeralEntry(entry, stored_key)); rc != 0) return rc;
  }
  op.answer = WriteAnswer{record.version, record.created_ms};
  Touch(op);
  return 0;
}

int WriteTxn::Delete(WriteOp& op) {
  const std::string stored_key = StoredKey(op.shard, op.key);
  std::optional<StoredRecord> before;
  if (const int rc = LoadLive(stored_key, &before, &op.status); rc != 0 || !op.status.ok()) return rc;
  if (!before) return 0;
  if (before->session != 0) {
    if (const int rc = DropEphemeral(*before); rc != 0) return rc;
  }
  Touch(op);
  return DeleteRecord(stored_key);
}

int WriteTxn::DeleteRange(WriteOp& op) {
  const std::string from = StoredKey(op.shard, op.key);
  const std::string to = StoredKey(op.shard, op.to);
  std::vector<StoredRecord> ephemerals;
  {
    LmdbCursor cursor(txn_);
    LmdbTxn::Found found;
    // Looked for anew after each deletion: the cursor's place is LMDB's own matter then.
    int rc = cursor.Seek(from, &found);
    for (; rc == 0 && found.key < to; rc = cursor.Seek(from, &found)) {
      const Result<StoredRecord> record = DecodeRecord(found.key, found.value);
      if (record.ok() && record->session != 0) ephemerals.push_back(*record);
      counters_.digest.Remove(found.key, found.value);
      changed_ = true;
      if (const int deleted = cursor.DeleteHere(); deleted != 0) return deleted;
    }
    if (rc != 0 && rc != MDB_NOTFOUND) return rc;
  }
  for (const StoredRecord& record : ephemerals) {
    if (const int rc = DropEphemeral(record); rc != 0) return rc;
  }
  if (changed_) Touch(op);
  return 0;
}

int WriteTxn::SequencedPut(WriteOp& op) {
  LmdbTxn::Found found;
  const int rc = txn_.FindBelow(op.shard, SequenceUpperBound(op.key), &found);
  if (rc != 0 && rc != MDB_NOTFOUND) return rc;
  std::optional<std::string_view> greatest;
  if (rc == 0) {
    // The next offsets follow from this key, so it must be the one that was written.
    op.status = DecodeRecord(found.key, found.value).status();
    if (!op.status.ok()) return 0;
    greatest = PlainKey(found.key);
  }
  Result<std::string> key = NextSequencedKey(op.key, greatest, op.first_delta, op.second_delta);
  if (!key.ok()) {
    op.status = key.status();
    return 0;
  }
  if (op.admit && !op.admitted) op.admitted = op.admit();
  if (op.admitted && !op.admitted->ok()) {
    op.status = *op.admitted;
    return 0;
  }
  op.made_key = *std::move(key);
  return Store(op, StoredKey(op.shard, op.made_key), std::nullopt);
}

int WriteTxn::OpenSession(WriteOp& op) {
  const SessionNumber session = static_cast<SessionNumber>(counters_.next_version);
  // Locked before anyone can read of it.
  op.status = locks_.Acquire(session);
  if (!op.status.ok()) return 0;
  ++counters_.next_version;
  opened_.push_back(session);
  op.made_session = session;
  return PutRecord(SessionKey(session), EncodeSessionOwner(session, ThisProcess()));
}

int WriteTxn::EndSession(WriteOp& op) {
  std::optional<SessionOwner> owner;
  if (const int rc = LoadOwner(op.session, &owner, &op.status); rc != 0 || !op.status.ok()) return rc;
  if (op.only_if_dead) {
    if (!owner) return 0;
    const Result<bool> alive = locks_.IsAlive(op.session, *owner);
    op.status = alive.status();
    if (!alive.ok() || *alive) return 0;
    ++dead_sessions_;
  }
  return RemoveSession(op.session, &op.status);
}

int WriteTxn::RaiseVersions(WriteOp& op) {
  const std::int64_t above = std::max(counters_.next_version - 1, op.version);
  if (above > std::numeric_limits<std::int64_t>::max() - op.first_delta - 1) {
    op.status = ResourceExhausted("the metadata store has no more versions").With("version", above);
    return 0;
  }
  counters_.next_version = above + op.first_delta + 1;
  changed_ = true;
  return 0;
}

int WriteTxn::LoadLive(std::string_view stored_key, std::optional<StoredRecord>* record, Status* status) {
  std::string_view bytes;
  const int rc = txn_.Get(stored_key, &bytes);
  if (rc == MDB_NOTFOUND) return 0;
  if (rc != 0) return rc;
  const Result<StoredRecord> decoded = DecodeRecord(stored_key, bytes);
  *status = decoded.status();
  if (!decoded.ok()) return 0;
  if (decoded->session != 0 && !locks_.IsOwn(decoded->session)) {
    std::optional<SessionOwner> owner;
    if (const int loaded = LoadOwner(decoded->session, &owner, status); loaded != 0 || !status->ok()) return loaded;
    const Result<bool> alive = owner ? locks_.IsAlive(decoded->session, *owner) : Result<bool>(false);
    *status = alive.status();
    if (!alive.ok()) return 0;
    if (!*alive) {
      ++dead_sessions_;
      return RemoveSession(decoded->session, status);
    }
  }
  *record = *decoded;
  return 0;
}

int WriteTxn::LoadOwner(SessionNumber session, std::optional<SessionOwner>* owner, Status* status) {
  std::string_view bytes;
  const int rc = txn_.Get(SessionKey(session), &bytes);
  if (rc == MDB_NOTFOUND) return 0;
  if (rc != 0) return rc;
  Result<SessionOwner> decoded = DecodeSessionOwner(session, bytes);
  *status = decoded.status();
  if (decoded.ok()) *owner = *std::move(decoded);
  return 0;
}

int WriteTxn::SessionExists(SessionNumber session, bool* exists) {
  std::string_view bytes;
  const int rc = txn_.Get(SessionKey(session), &bytes);
  *exists = rc == 0;
  return rc == MDB_NOTFOUND ? 0 : rc;
}

int WriteTxn::RemoveSession(SessionNumber session, Status* status) {
  const std::string prefix = EphemeralPrefix(session);
  std::vector<std::pair<std::string, std::string>> entries;
  {
    LmdbCursor cursor(txn_);
    LmdbTxn::Found found;
    int rc = cursor.Seek(prefix, &found);
    for (; rc == 0 && found.key.starts_with(prefix); rc = cursor.Next(&found)) {
      const Result<std::string_view> record = DecodeEphemeralEntry(found.key, found.value);
      *status = record.status();
      // Nothing is deleted yet, and the session stays: what it would take to end it is not known.
      if (!record.ok()) return 0;
      entries.emplace_back(found.key, *record);
    }
    if (rc != 0 && rc != MDB_NOTFOUND) return rc;
  }
  for (const auto& [entry, record] : entries) {
    if (const int rc = DeleteRecord(record); rc != 0 && rc != MDB_NOTFOUND) return rc;
    if (const int rc = DeleteRecord(entry); rc != 0) return rc;
    touched_all_ = true;
  }
  const int rc = DeleteRecord(SessionKey(session));
  if (rc != 0 && rc != MDB_NOTFOUND) return rc;
  ended_.push_back(session);
  return 0;
}

int WriteTxn::DropEphemeral(const StoredRecord& record) {
  const int rc = DeleteRecord(EphemeralKey(record.session, record.version));
  return rc == MDB_NOTFOUND ? 0 : rc;
}

int WriteTxn::PutRecord(std::string_view key, std::string_view header, std::string_view value) {
  changed_ = true;
  std::string_view stored;
  int rc = txn_.Insert(key, header, value, &stored);
  if (rc == MDB_KEYEXIST) {
    counters_.digest.Remove(key, stored);
    rc = txn_.Delete(key);
    if (rc == 0) rc = txn_.Insert(key, header, value, &stored);
  }
  if (rc == 0) counters_.digest.Add(key, stored);
  return rc;
}

int WriteTxn::DeleteRecord(std::string_view key) {
  std::string_view stored;
  if (const int rc = txn_.Get(key, &stored); rc != 0) return rc;
  changed_ = true;
  counters_.digest.Remove(key, stored);
  return txn_.Delete(key);
}

std::int64_t WriteTxn::NextCreationTime() {
  counters_.last_created_ms = std::max(counters_.last_created_ms, wall_ms_);
  return counters_.last_created_ms;
}

void WriteTxn::Touch(const WriteOp& op) {
  if (op.slot >= 0) touched_.push_back(op.slot);
}

}  // namespace lakestream
