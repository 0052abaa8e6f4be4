#include "log/deployment/epoch_guard.h"

#include <utility>

#include "base/logging.h"
#include "base/try.h"

namespace lakestream {

Task<Result<std::shared_ptr<MetadataSession>>> EpochGuard::OpenSession(OpContext context, Duration timeout) {
  LS_CO_ASSIGN(std::shared_ptr<MetadataSession> session, co_await inner().OpenSession(context, timeout));
  // Read after the session began: a restore ends the sessions that it finds.
  Task<Status> check = CheckEpoch(context);
  const Status same = co_await check;
  if (same.ok()) co_return session;
  const Status closed = co_await session->Close(std::move(context));
  if (!closed.ok()) Log(LogLevel::kWarning, "a session that is not used was not ended", closed);
  co_return same;
}

Task<Status> EpochGuard::CheckEpoch(OpContext context) {
  const std::string key(kDeploymentKey);
  LS_CO_ASSIGN(const ReadAnswer answer, co_await inner().Get(std::move(context), Partition::OfKey(key), key));
  if (!answer) co_return Fenced("the deployment's record is gone; this process must not go on").With("key", key);
  LS_CO_ASSIGN(const DeploymentRecord now, DecodeDeploymentRecord(answer->value.text()));
  if (now.deployment_id == deployment_id_ && now.epoch == epoch_) co_return OkStatus();
  co_return Fenced("the deployment was restored from a backup; start this process again")
      .With("epoch", now.epoch)
      .With("opened_with_epoch", epoch_);
}

}  // namespace lakestream
