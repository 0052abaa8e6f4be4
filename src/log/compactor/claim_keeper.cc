#include "log/compactor/claim_keeper.h"

#include <string>
#include <utility>

#include "base/try.h"
#include "format/compaction_record.h"

namespace lakestream {

Task<Result<ClaimKeeper::SessionPtr>> ClaimKeeper::Live(OpContext context) {
  LS_CO_ASSIGN(const AsyncMutex::Lock one_at_a_time, co_await opening_.Acquire(context));
  {
    const std::lock_guard lock(mutex_);
    if (session_ != nullptr && !session_->ProvablyAlive()) leaving_.push_back(std::exchange(session_, nullptr));
  }
  Task<void> close = CloseLeaving(context);
  co_await close;
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
  if (session_ == ended) session_ = nullptr;
  leaving_.push_back(ended);
}

Task<void> ClaimKeeper::CloseLeaving(OpContext context) {
  std::vector<SessionPtr> leaving;
  {
    const std::lock_guard lock(mutex_);
    leaving.swap(leaving_);
  }
  for (SessionPtr& session : leaving) {
    const Status closed = co_await session->Close(context);
    if (closed.ok()) continue;
    const std::lock_guard lock(mutex_);
    leaving_.push_back(std::move(session));
  }
}

Task<Result<std::optional<std::int64_t>>> ClaimKeeper::Claim(OpContext context, SessionPtr session, LogId log) {
  {
    const std::lock_guard lock(mutex_);
    const auto claim = claims_.find(log);
    if (claim != claims_.end() && claim->second == session) co_return std::optional<std::int64_t>();
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
  claims_[log] = std::move(session);
  co_return made.ok() ? std::optional<std::int64_t>(made->created_ms) : std::nullopt;
}

Task<void> ClaimKeeper::Release(OpContext context, SessionPtr session, LogId log) {
  {
    const std::lock_guard lock(mutex_);
    const auto claim = claims_.find(log);
    if (claim == claims_.end() || claim->second != session) co_return;
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
  Task<void> close = CloseLeaving(std::move(context));
  co_await close;
}

Task<Status> ClaimKeeper::Close(OpContext context) {
  SessionPtr session;
  {
    const std::lock_guard lock(mutex_);
    session = std::exchange(session_, nullptr);
    claims_.clear();
  }
  Task<void> close = CloseLeaving(context);
  co_await close;
  if (session == nullptr) co_return OkStatus();
  co_return co_await session->Close(std::move(context));
}

}  // namespace lakestream
