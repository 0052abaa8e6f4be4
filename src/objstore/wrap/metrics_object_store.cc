#include "objstore/wrap/metrics_object_store.h"

#include <utility>

#include "base/try.h"

namespace lakestream {
namespace {

StatusCode CodeOf(const Status& status) { return status.code(); }
template <class T>
StatusCode CodeOf(const Result<T>& result) {
  return result.ok() ? StatusCode::kOk : result.status().code();
}

}  // namespace

class MetricsObjectStore::Measure {
 public:
  Measure(const Clock& clock, Counters& counters) : clock_(clock), counters_(counters), start_(clock.Monotonic()) {
    ++counters_.in_flight;
  }
  Measure(const Measure&) = delete;
  Measure& operator=(const Measure&) = delete;
  ~Measure() { --counters_.in_flight; }

  void Answered(StatusCode code, std::size_t bytes) {
    ++counters_.answers[static_cast<std::size_t>(code)];
    if (code == StatusCode::kOk) counters_.bytes += static_cast<std::int64_t>(bytes);
    counters_.latency.Record(clock_.Monotonic() - start_);
  }

 private:
  const Clock& clock_;
  Counters& counters_;
  const MonotonicTime start_;
};

MetricsObjectStore::MetricsObjectStore(Runtime& runtime, ObjectStore& inner)
    : ForwardingObjectStore(inner), runtime_(runtime) {}
MetricsObjectStore::~MetricsObjectStore() = default;

ObjectStoreMetrics MetricsObjectStore::Snapshot() const {
  ObjectStoreMetrics metrics;
  for (std::size_t i = 0; i < counters_.size(); ++i) {
    const Counters& from = counters_[i];
    ObjectOpMetrics& to = metrics.ops[i];
    for (std::size_t code = 0; code < kStatusCodes; ++code) to.answers[code] = from.answers[code].load();
    to.in_flight = from.in_flight.load();
    to.bytes = from.bytes.load();
    to.latency = from.latency.Snapshot();
  }
  return metrics;
}

template <class R>
Task<R> MetricsObjectStore::Run(ObjectOp op, Task<R> call, std::size_t bytes_if_ok) {
  Measure measure(runtime_.clock, counters_[static_cast<std::size_t>(op)]);
  R answer = co_await call;
  measure.Answered(CodeOf(answer), bytes_if_ok);
  co_return answer;
}

Task<Status> MetricsObjectStore::Put(OpContext context, std::string key, BufferChain bytes, PutMode mode) {
  const std::size_t size = bytes.size();
  Task<Status> call = inner().Put(std::move(context), std::move(key), std::move(bytes), mode);
  return Run<Status>(ObjectOp::kPut, std::move(call), size);
}

Task<Result<Buffer>> MetricsObjectStore::Get(OpContext context, std::string key, ByteRange range) {
  Measure measure(runtime_.clock, counters_[static_cast<std::size_t>(ObjectOp::kGet)]);
  Result<Buffer> answer = co_await inner().Get(std::move(context), std::move(key), range);
  measure.Answered(CodeOf(answer), answer.ok() ? answer->size() : 0);
  co_return answer;
}

Task<Result<ObjectInfo>> MetricsObjectStore::Head(OpContext context, std::string key) {
  return Run<Result<ObjectInfo>>(ObjectOp::kHead, inner().Head(std::move(context), std::move(key)), 0);
}

Task<Result<ListPage>> MetricsObjectStore::List(OpContext context, std::string prefix, std::string start_after,
                                                int limit) {
  Task<Result<ListPage>> call = inner().List(std::move(context), std::move(prefix), std::move(start_after), limit);
  return Run<Result<ListPage>>(ObjectOp::kList, std::move(call), 0);
}

Task<Status> MetricsObjectStore::Delete(OpContext context, std::vector<std::string> keys) {
  return Run<Status>(ObjectOp::kDelete, inner().Delete(std::move(context), std::move(keys)), 0);
}

Task<Result<ObjectLeftovers>> MetricsObjectStore::RemoveLeftovers(OpContext context, WallTime before) {
  return Run<Result<ObjectLeftovers>>(ObjectOp::kRemoveLeftovers, inner().RemoveLeftovers(std::move(context), before), 0);
}

class MetricsObjectStore::Upload final : public ObjectUpload {
 public:
  Upload(MetricsObjectStore& store, std::unique_ptr<ObjectUpload> inner)
      : store_(store), inner_(std::move(inner)) {}

  Task<Status> Append(OpContext context, BufferChain bytes) override {
    const std::size_t size = bytes.size();
    return store_.Run<Status>(ObjectOp::kAppend, inner_->Append(std::move(context), std::move(bytes)), size);
  }
  Task<Status> Complete(OpContext context) override {
    return store_.Run<Status>(ObjectOp::kComplete, inner_->Complete(std::move(context)), 0);
  }
  Task<Status> Abort(OpContext context) override {
    return store_.Run<Status>(ObjectOp::kAbort, inner_->Abort(std::move(context)), 0);
  }

 private:
  MetricsObjectStore& store_;
  const std::unique_ptr<ObjectUpload> inner_;
};

Task<Result<std::unique_ptr<ObjectUpload>>> MetricsObjectStore::StartUpload(OpContext context, std::string key,
                                                                            PutMode mode) {
  using Started = Result<std::unique_ptr<ObjectUpload>>;
  Task<Started> call = inner().StartUpload(std::move(context), std::move(key), mode);
  Task<Started> run = Run<Started>(ObjectOp::kStartUpload, std::move(call), 0);
  LS_CO_ASSIGN(std::unique_ptr<ObjectUpload> upload, co_await run);
  std::unique_ptr<ObjectUpload> wrapped = std::make_unique<Upload>(*this, std::move(upload));
  co_return wrapped;
}

}  // namespace lakestream
