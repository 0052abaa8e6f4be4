#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "meta/lmdb/lmdb_options.h"
#include "meta/metadata_store.h"
#include "runtime/runtime.h"

namespace lakestream {

class LmdbEnvironment;

/// The embedded store: DIR/data.mdb and DIR/lock.mdb are LMDB's, DIR/sessions/ holds a lock file per session.
/// Any number of processes of one kernel and one PID namespace may have it open. Stores of one directory in one
/// process share everything but their sessions.
///
/// Durable: a write is answered after the commit that holds it, with an fsync; writes that wait together share
/// one. Every answer is definite, save that of a commit which failed with an I/O error: that one is
/// indeterminate, and every later call is unavailable until the last store of the directory in this process is
/// gone and it is opened again.
///
/// Sessions live as long as their process, whatever `timeout` says: only the kernel, which drops the lock of a
/// process that is gone, lets others end one. Whoever meets a record of a dead session ends that session first.
/// A stopped process keeps its sessions, and if it stopped inside a write transaction, everyone's writes wait:
/// each is unavailable at its deadline, with the process named.
///
/// Reads of a few records run on the calling thread (they take microseconds from the page cache); larger ones on
/// the blocking pool. Writes run on one thread of that pool at a time.
///
/// Must not be used in a child after fork. Thread safety: any thread.
class LmdbMetadataStore final : public MetadataStore {
 public:
  /// Errors: not_found (no directory or no store there, and `create` is false), invalid_argument (options, a
  /// file system or a PID namespace that will not do, another program's files, a newer layout, already open
  /// here with another runtime), unavailable. Takes no write lock where the store exists and no session died.
  static Task<Result<std::unique_ptr<LmdbMetadataStore>>> Open(Runtime& runtime, OpContext context,
                                                               LmdbOptions options);
  /// Ends as Stop does, but without waiting. Requires: every call has ended.
  ~LmdbMetadataStore() override;

  /// Refuses calls from now on and lets the store's open sessions be lost. The last store of a directory waits for
  /// the writing thread. unavailable where that one is stuck behind another process's write lock when the
  /// context ends: it is left behind, and since it never returns by itself, the process has to end by _exit.
  Task<Status> Stop(OpContext context);

  /// Checks every record of one snapshot, however many there are, on the blocking pool, and gives their number.
  /// Writes of all processes go on meanwhile, but free no space. Errors: corrupt, with what differs; see CheckStore.
  Task<Result<std::uint64_t>> Verify(OpContext context);

  /// Writes one snapshot into a new file (one that is there is replaced), synced, while writes of all processes go on;
  /// they free no space meanwhile. Takes no write lock. VerifyLmdbCopy checks it. Errors: fenced (the store was moved
  /// away, so that others may write elsewhere), unavailable, resource_exhausted.
  Task<Status> CopyTo(OpContext context, std::string file);
  /// Of a copy that nobody else has open: ends every session, whoever held it in the original, and lets the next
  /// version be greater than all that were used, than `least_version`, and by `skip` more. One transaction. Gives the
  /// number of sessions. Requires: 0 or more of both.
  Task<Result<std::uint64_t>> ClaimCopy(OpContext context, std::int64_t least_version, std::int64_t skip);

  int shards() const;
  /// Of all stores of this directory in this process.
  LmdbStats stats() const;

  Task<Result<std::vector<ReadAnswer>>> Read(OpContext context, std::vector<ReadRequest> requests) override;
  Task<Result<WriteAnswer>> Put(OpContext context, Partition partition, std::string key, Buffer value,
                                WriteGuard guard) override;
  Task<Result<WriteAnswer>> CreateIfAbsent(OpContext context, Partition partition, std::string key, Buffer value,
                                           WriteGuard guard) override;
  Task<Result<WriteAnswer>> CreateEphemeral(OpContext context, Partition partition, std::string key, Buffer value,
                                            std::shared_ptr<MetadataSession> session) override;
  Task<Result<WriteAnswer>> CompareAndSet(OpContext context, Partition partition, std::string key, Buffer value,
                                          std::int64_t version, WriteGuard guard) override;
  Task<Status> Delete(OpContext context, Partition partition, std::string key, WriteGuard guard) override;
  Task<Status> DeleteRange(OpContext context, Partition partition, std::string from, std::string to,
                           WriteGuard guard) override;
  Task<Result<KeyPage>> List(OpContext context, KeyRange range, std::string cursor, int limit) override;
  Task<Result<ScanPage>> Scan(OpContext context, KeyRange range, std::string cursor, int limit) override;
  Task<std::vector<Result<SequencedPutAnswer>>> SequencedPut(OpContext context,
                                                             std::vector<SequencedPutRequest> requests) override;
  Task<Result<std::shared_ptr<MetadataSession>>> OpenSession(OpContext context, Duration timeout) override;
  std::uint64_t ChangeHint(const Partition& partition) override;
  Task<Status> AwaitChange(OpContext context, Partition partition, std::uint64_t seen) override;
  std::vector<Partition> ShardPartitions() const override;
  MetadataCapabilities capabilities() const override;

 private:
  LmdbMetadataStore(Runtime& runtime, std::shared_ptr<LmdbEnvironment> environment);
  /// ok while calls may begin.
  Status Enter(const OpContext& context) const;
  /// Marks the store as stopped; true for the last one of its environment.
  bool Leave();
  Task<Result<ScanPage>> ReadPage(OpContext context, KeyRange range, std::string cursor, int limit, bool values);

  Runtime& runtime_;
  std::shared_ptr<LmdbEnvironment> environment_;
  std::atomic<bool> stopped_{false};
  std::mutex mutex_;
  std::vector<std::uint64_t> sessions_;
};

}  // namespace lakestream
