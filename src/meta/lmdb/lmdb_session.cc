#include "meta/lmdb/lmdb_session.h"

#include "base/try.h"

namespace lakestream {

bool LmdbSession::ProvablyAlive() const {
  if (over_.load()) return false;
  const std::shared_ptr<LmdbEnvironment> environment = environment_.lock();
  return environment && environment->CheckProcess().ok() && environment->locks().IsOwn(number_);
}

Task<Status> LmdbSession::Close(OpContext context) {
  if (closed_.load()) co_return OkStatus();
  LS_CO_TRY(context.Check(runtime_.Now()));
  over_ = true;
  const std::shared_ptr<LmdbEnvironment> environment = environment_.lock();
  if (!environment) co_return Unavailable("the session's metadata store is closed").With("session", id_);
  LS_CO_TRY(environment->CheckProcess());
  auto request = std::make_shared<WriteRequest>(runtime_.executor, context);
  WriteOp& op = request->ops.emplace_back();
  op.kind = WriteOp::Kind::kEndSession;
  op.session = number_;
  LS_CO_TRY(co_await environment->writer().Execute(std::move(context), request));
  LS_CO_TRY(op.status);
  closed_ = true;
  co_return OkStatus();
}

}  // namespace lakestream
