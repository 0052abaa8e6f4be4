#include "log/compactor/claim_keeper.h"

#include <string>
#include <utility>

#include "base/try.h"
#include "format/compaction_record.h"
#include "log/lease/until_closed.h"

namespace lakestream {

Task<Result<ClaimKeeper::SessionPtr>> ClaimKeeper::Live(OpContext context) {
  LS_CO_ASSIGN(const AsyncMutex::Lock one_at_a_time, co_await opening_.Acquire(context));
  {
    const std::lock_guard lock(mutex_);
    if (session_ != nullptr && !session_->ProvablyAlive()) Leave();
  }
  Task<Status> close = CloseLeaving(context);
  // Where it cannot be done now, it is done later.
  (void)co_await close;
  {
    const std::lock_guard lock(mutex_);
    if (session_ != nullptr) co_return session_;
  }
  LS_CO_ASSIGN(SessionPtr opened, co_await sessions_.OpenSession(context, session_timeout_));
  {
    const std::lock_guard lock(mutex_);
    session_ = opened;
  }
  co_return opened;
}

void ClaimKeeper::Forget(const SessionPtr& ended) {
  const std::lock_guard lock(mutex_);
  if (session_ == ended) Leave();
}

/// Requires: mutex_ is held.
void ClaimKeeper::Leave() {
  if (session_ != nullptr) leaving_.push_back(std::exchange(session_, nullptr));
  claims_.clear();
}

Task<Status> ClaimKeeper::CloseLeaving(OpContext context) {
  std::vector<SessionPtr> leaving;
  {
    const std::lock_guard lock(mutex_);
    leaving.swap(leaving_);
  }
  Status last;
  for (SessionPtr& session : leaving) {
    const Status closed = co_await session->Close(context);
    if (closed.ok()) continue;
    last = closed;
    const std::lock_guard lock(mutex_);
    leaving_.push_back(std::move(session));
  }
  co_return last;
}

Task<Result<std::optional<std::int64_t>>> ClaimKeeper::Claim(OpContext context, SessionPtr session, LogId log) {
  {
    const std::lock_guard lock(mutex_);
    if (session_ == session && claims_.contains(log)) co_return std::optional<std::int64_t>();
  }
  const Partition partition = Partition::OfLog(log);
  const std::string key = CompactionClaimKey(log, session->id());
  const Buffer value = Buffer::CopyOf(session->id());
  const Result<WriteAnswer> made = co_await meta_.CreateEphemeral(std::move(context), partition, key, value, session);
  const StatusCode code = made.status().code();
  // What is there has this session's name: an answer was lost before.
  if (!made.ok() && code != StatusCode::kAlreadyExists) {
    co_return (code == StatusCode::kIndeterminate ? made.status().As(StatusCode::kUnavailable) : made.status())
        .With("log", log.value());
  }
  const std::lock_guard lock(mutex_);
  if (session_ == session) claims_.insert(log);
  co_return made.ok() ? std::optional<std::int64_t>(made->created_ms) : std::nullopt;
}

Task<void> ClaimKeeper::Release(OpContext context, SessionPtr session, LogId log) {
  {
    const std::lock_guard lock(mutex_);
    if (session_ != session || !claims_.contains(log)) co_return;
  }
  const WriteGuard guard(session);
  const Status deleted =
      co_await meta_.Delete(context, Partition::OfLog(log), CompactionClaimKey(log, session->id()), guard);
  if (deleted.ok()) {
    const std::lock_guard lock(mutex_);
    claims_.erase(log);
  }
  if (deleted.code() != StatusCode::kIndeterminate) co_return;
  // Done late, it would remove the next claim of this session.
  Forget(session);
  Task<Status> close = CloseLeaving(std::move(context));
  (void)co_await close;
}

Task<Status> ClaimKeeper::Close(OpContext context) {
  {
    const std::lock_guard lock(mutex_);
    Leave();
  }
  auto close = [this](OpContext c) { return CloseLeaving(std::move(c)); };
  Task<Status> closing = UntilClosed(runtime_, std::move(context), std::move(close));
  co_return co_await closing;
}

}  // namespace lakestream
