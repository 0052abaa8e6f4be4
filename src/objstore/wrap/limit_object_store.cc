#include "objstore/wrap/limit_object_store.h"

#include <utility>

#include "base/invariant.h"
#include "base/try.h"

namespace lakestream {
namespace {

class Permit {
 public:
  explicit Permit(AsyncSemaphore& from) : from_(from) {}
  Permit(const Permit&) = delete;
  Permit& operator=(const Permit&) = delete;
  ~Permit() { from_.Release(1); }

 private:
  AsyncSemaphore& from_;
};

}  // namespace

LimitObjectStore::LimitObjectStore(Runtime& runtime, ObjectStore& inner, int max_requests)
    : ForwardingObjectStore(inner), permits_(runtime, max_requests) {
  LS_INVARIANT(max_requests >= 1, "a limit of no requests would stop everything");
}
LimitObjectStore::~LimitObjectStore() = default;

template <class R>
Task<R> LimitObjectStore::Run(OpContext context, Task<R> call) {
  LS_CO_TRY(co_await permits_.Acquire(std::move(context), 1));
  const Permit permit(permits_);
  co_return co_await call;
}

Task<Status> LimitObjectStore::Put(OpContext context, std::string key, BufferChain bytes, PutMode mode) {
  return Run<Status>(context, inner().Put(context, std::move(key), std::move(bytes), mode));
}
Task<Result<Buffer>> LimitObjectStore::Get(OpContext context, std::string key, ByteRange range) {
  return Run<Result<Buffer>>(context, inner().Get(context, std::move(key), range));
}
Task<Result<ObjectInfo>> LimitObjectStore::Head(OpContext context, std::string key) {
  return Run<Result<ObjectInfo>>(context, inner().Head(context, std::move(key)));
}
Task<Result<ListPage>> LimitObjectStore::List(OpContext context, std::string prefix, std::string start_after,
                                              int limit) {
  return Run<Result<ListPage>>(context, inner().List(context, std::move(prefix), std::move(start_after), limit));
}
Task<Status> LimitObjectStore::Delete(OpContext context, std::vector<std::string> keys) {
  return Run<Status>(context, inner().Delete(context, std::move(keys)));
}

class LimitObjectStore::Upload final : public ObjectUpload {
 public:
  Upload(LimitObjectStore& store, std::unique_ptr<ObjectUpload> inner) : store_(store), inner_(std::move(inner)) {}

  Task<Status> Append(OpContext context, BufferChain bytes) override {
    return store_.Run<Status>(context, inner_->Append(context, std::move(bytes)));
  }
  Task<Status> Complete(OpContext context) override {
    return store_.Run<Status>(context, inner_->Complete(context));
  }
  Task<Status> Abort(OpContext context) override { return store_.Run<Status>(context, inner_->Abort(context)); }

 private:
  LimitObjectStore& store_;
  const std::unique_ptr<ObjectUpload> inner_;
};

Task<Result<std::unique_ptr<ObjectUpload>>> LimitObjectStore::StartUpload(OpContext context, std::string key,
                                                                          PutMode mode) {
  using Started = Result<std::unique_ptr<ObjectUpload>>;
  Task<Started> call = inner().StartUpload(context, std::move(key), mode);
  Task<Started> run = Run<Started>(context, std::move(call));
  LS_CO_ASSIGN(std::unique_ptr<ObjectUpload> upload, co_await run);
  std::unique_ptr<ObjectUpload> wrapped = std::make_unique<Upload>(*this, std::move(upload));
  co_return wrapped;
}

}  // namespace lakestream
