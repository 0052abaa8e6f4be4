#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "meta/lmdb/change_hub.h"
#include "meta/lmdb/change_page.h"
#include "meta/lmdb/lmdb_map.h"
#include "meta/lmdb/lmdb_options.h"
#include "meta/lmdb/lmdb_writer.h"
#include "meta/lmdb/session_locks.h"
#include "runtime/runtime.h"

namespace lakestream {

/// Everything that the stores of one directory share in one process: LMDB demands that a process opens an
/// environment once, and the locks of sessions are its own too. Thread safety: any thread.
class LmdbEnvironment : public std::enable_shared_from_this<LmdbEnvironment> {
 public:
  /// Opens the directory, or gives the environment that this process has open for it; makes or reads the
  /// store's header and ends sessions that died.
  static Task<Result<std::shared_ptr<LmdbEnvironment>>> Open(Runtime& runtime, OpContext context,
                                                             LmdbOptions options);
  ~LmdbEnvironment();
  LmdbEnvironment(const LmdbEnvironment&) = delete;
  LmdbEnvironment& operator=(const LmdbEnvironment&) = delete;

  /// One store less. True for the last: the environment takes no new ones, and goes when nobody holds it.
  bool Detach();

  Runtime& runtime() { return runtime_; }
  LmdbMap& map() { return *map_; }
  LmdbWriter& writer() { return *writer_; }
  SessionLocks& locks() { return locks_; }
  ChangeHub& hub() { return hub_; }
  int shards() const { return shards_; }
  LmdbStats stats() const;

  /// unavailable in a child of the process that opened it.
  Status CheckProcess() const;

  /// Ends the sessions that are dead.
  Task<Status> EndDeadSessions(OpContext context, std::vector<SessionNumber> sessions);
  /// Checks every record of one snapshot, as CheckStore; nothing, and 0, where there are more than `max_records`.
  Task<Result<std::uint64_t>> Verify(OpContext context, std::uint64_t max_records);
  /// As LmdbMetadataStore::CopyTo and ::ClaimCopy.
  Task<Status> CopyTo(OpContext context, std::string file);
  Task<Result<std::uint64_t>> ClaimCopy(OpContext context, std::int64_t least_version, std::int64_t skip);
  /// Has the writer follow a map that another process made larger.
  Task<Status> FollowMap(OpContext context);

  /// From now on the hub is told of other processes' changes. A thread of the blocking pool waits for them.
  void FollowOthers();

 private:
  struct Registry;
  static Registry& TheRegistry();
  struct Opened {
    std::shared_ptr<LmdbEnvironment> environment;
    bool closing = false;
  };
  /// Blocks.
  static Result<Opened> OpenOrShare(Runtime& runtime, const LmdbOptions& options);
  static Result<std::shared_ptr<LmdbEnvironment>> OpenNew(Runtime& runtime, const LmdbOptions& options);
  static Task<Status> MakeReady(std::shared_ptr<LmdbEnvironment> environment, OpContext context, LmdbOptions options);

  LmdbEnvironment(Runtime& runtime, const LmdbOptions& options, std::unique_ptr<LmdbMap> map,
                  std::shared_ptr<ChangePage> page);
  /// Sets shards_; not_found where there is no header yet.
  Status LoadHeader();
  /// Blocks. False where the map has to be followed first.
  Result<bool> CopySnapshot(const std::string& file);
  /// Blocks. The sessions of the newest snapshot, with their owners.
  Result<std::map<SessionNumber, SessionOwner>> LoadSessions();
  /// Blocks. Sessions whose process is gone; removes lock files that belong to no session.
  Result<std::vector<SessionNumber>> FindDeadSessions();
  /// Blocks. Nothing where the map has to be followed first.
  Result<std::optional<std::uint64_t>> VerifySnapshot(const OpContext& context, std::uint64_t max_records);
  Runtime& runtime_;
  const std::string directory_;
  const std::uint64_t generation_;
  std::unique_ptr<LmdbMap> map_;
  SessionLocks locks_;
  ChangeHub hub_;
  const std::shared_ptr<ChangePage> page_;
  std::shared_ptr<LmdbWriter> writer_;
  std::atomic<int> shards_{0};
  std::atomic<bool> verified_{false};
  std::atomic<bool> following_{false};
  bool registered_ = false;
};

}  // namespace lakestream
