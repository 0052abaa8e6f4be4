#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <vector>

#include "lakestream/status.h"
#include "lakestream/task.h"
#include "lakestream/types.h"
#include "meta/metadata_store.h"
#include "runtime/runtime.h"
#include "runtime/semaphore.h"

namespace lakestream {

/// The session of a compactor and its claims. Thread safety: any thread.
class ClaimKeeper {
 public:
  using SessionPtr = std::shared_ptr<MetadataSession>;

  /// The stores outlive the keeper. `sessions`: where sessions are opened.
  ClaimKeeper(Runtime& runtime, MetadataStore& meta, MetadataStore& sessions, Duration session_timeout)
      : runtime_(runtime), meta_(meta), sessions_(sessions), session_timeout_(session_timeout), opening_(runtime) {}

  /// A session that is provably alive. Another one takes the place of one that is not; what that one owned can be
  /// taken over as soon as the store has ended it, so it is asked to, here and in later calls, until it has. Errors:
  /// unavailable, fenced (by `sessions`).
  Task<Result<SessionPtr>> Live(OpContext context);
  /// The store says that this session has ended.
  void Forget(const SessionPtr& ended);

  /// Makes the session's claim on the log unless it stands; the time of the store when it was made now, if that is known.
  /// Errors: fenced (the session has ended), unavailable.
  Task<Result<std::optional<std::int64_t>>> Claim(OpContext context, SessionPtr session, LogId log);
  /// Removes it. Requires: what docs/format/compaction-claim.md asks. A claim that stays goes with the session.
  Task<void> Release(OpContext context, SessionPtr session, LogId log);

  /// Ends the session, and with it all claims; and those that were to be ended before. Where the store cannot do it now,
  /// it is asked again until the context ends. Errors: of the store, whose own time ends the session then. May be
  /// repeated.
  Task<Status> Close(OpContext context);

 private:
  void Leave();
  /// Errors: of the store; what could not be closed is still leaving.
  Task<Status> CloseLeaving(OpContext context);

  Runtime& runtime_;
  MetadataStore& meta_;
  MetadataStore& sessions_;
  const Duration session_timeout_;
  AsyncMutex opening_;
  std::mutex mutex_;
  SessionPtr session_;
  std::vector<SessionPtr> leaving_;  ///< out of use; the store has not said yet that it has ended them
  std::set<LogId> claims_;  ///< of session_: those that stand, or may stand
};

}  // namespace lakestream
