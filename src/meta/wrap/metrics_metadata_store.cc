#include "meta/wrap/metrics_metadata_store.h"

#include <utility>

#include "base/try.h"

namespace lakestream {

class MetricsMetadataStore::Measure {
 public:
  Measure(const Clock& clock, OpCounters& counters)
      : clock_(clock), counters_(counters), start_(clock.Monotonic()) {
    ++counters_.in_flight;
  }
  Measure(const Measure&) = delete;
  Measure& operator=(const Measure&) = delete;
  ~Measure() { --counters_.in_flight; }

  template <class R>
  void Answered(const R& answer) {
    Count(answer);
    counters_.latency.Record(clock_.Monotonic() - start_);
  }

 private:
  void Count(const Status& status) { ++counters_.answers[static_cast<std::size_t>(status.code())]; }
  template <class T>
  void Count(const Result<T>& result) {
    Count(result.status());
  }
  template <class T>
  void Count(const std::vector<T>& results) {
    for (const T& result : results) Count(result);
  }

  const Clock& clock_;
  OpCounters& counters_;
  const MonotonicTime start_;
};

MetricsMetadataStore::MetricsMetadataStore(Runtime& runtime, MetadataStore& inner)
    : ForwardingMetadataStore(inner), runtime_(runtime), counters_(std::make_shared<Counters>()) {}
MetricsMetadataStore::~MetricsMetadataStore() = default;

MetadataStoreMetrics MetricsMetadataStore::Snapshot() const {
  MetadataStoreMetrics metrics;
  for (std::size_t i = 0; i < metrics.ops.size(); ++i) {
    const OpCounters& from = counters_->ops[i];
    MetadataOpMetrics& to = metrics.ops[i];
    for (std::size_t code = 0; code < to.answers.size(); ++code) to.answers[code] = from.answers[code].load();
    to.in_flight = from.in_flight.load();
    to.latency = from.latency.Snapshot();
  }
  Sessions& sessions = counters_->sessions;
  const std::lock_guard lock(sessions.mutex);
  metrics.sessions.opened = sessions.opened;
  metrics.sessions.closed = sessions.closed;
  for (const std::weak_ptr<MetadataSession>& one : sessions.open) {
    const std::shared_ptr<MetadataSession> session = one.lock();
    if (session != nullptr && session->ProvablyAlive()) ++metrics.sessions.alive;
  }
  return metrics;
}

template <class R>
Task<R> MetricsMetadataStore::Run(Runtime& runtime, std::shared_ptr<Counters> counters, MetadataOp op, Task<R> call) {
  Measure measure(runtime.clock, counters->ops[static_cast<std::size_t>(op)]);
  R answer = co_await call;
  measure.Answered(answer);
  co_return answer;
}

Task<Result<std::vector<ReadAnswer>>> MetricsMetadataStore::Read(OpContext context,
                                                                 std::vector<ReadRequest> requests) {
  return Run(runtime_, counters_, MetadataOp::kRead, inner().Read(std::move(context), std::move(requests)));
}

Task<Result<WriteAnswer>> MetricsMetadataStore::Put(OpContext context, Partition partition, std::string key,
                                                    Buffer value, WriteGuard guard) {
  return Run(runtime_, counters_, MetadataOp::kPut,
             inner().Put(std::move(context), std::move(partition), std::move(key), std::move(value),
                         std::move(guard)));
}

Task<Result<WriteAnswer>> MetricsMetadataStore::CreateIfAbsent(OpContext context, Partition partition,
                                                               std::string key, Buffer value, WriteGuard guard) {
  return Run(runtime_, counters_, MetadataOp::kCreateIfAbsent,
             inner().CreateIfAbsent(std::move(context), std::move(partition), std::move(key), std::move(value),
                                    std::move(guard)));
}

Task<Result<WriteAnswer>> MetricsMetadataStore::CreateEphemeral(OpContext context, Partition partition,
                                                                std::string key, Buffer value,
                                                                std::shared_ptr<MetadataSession> session) {
  return Run(runtime_, counters_, MetadataOp::kCreateEphemeral,
             inner().CreateEphemeral(std::move(context), std::move(partition), std::move(key), std::move(value),
                                     std::move(session)));
}

Task<Result<WriteAnswer>> MetricsMetadataStore::CompareAndSet(OpContext context, Partition partition, std::string key,
                                                              Buffer value, std::int64_t version, WriteGuard guard) {
  return Run(runtime_, counters_, MetadataOp::kCompareAndSet,
             inner().CompareAndSet(std::move(context), std::move(partition), std::move(key), std::move(value),
                                   version, std::move(guard)));
}

Task<Status> MetricsMetadataStore::Delete(OpContext context, Partition partition, std::string key, WriteGuard guard) {
  return Run(runtime_, counters_, MetadataOp::kDelete,
             inner().Delete(std::move(context), std::move(partition), std::move(key), std::move(guard)));
}

Task<Status> MetricsMetadataStore::DeleteRange(OpContext context, Partition partition, std::string from,
                                               std::string to, WriteGuard guard) {
  return Run(runtime_, counters_, MetadataOp::kDeleteRange,
             inner().DeleteRange(std::move(context), std::move(partition), std::move(from), std::move(to),
                                 std::move(guard)));
}

Task<Result<KeyPage>> MetricsMetadataStore::List(OpContext context, KeyRange range, std::string cursor, int limit) {
  return Run(runtime_, counters_, MetadataOp::kList,
             inner().List(std::move(context), std::move(range), std::move(cursor), limit));
}

Task<Result<ScanPage>> MetricsMetadataStore::Scan(OpContext context, KeyRange range, std::string cursor, int limit) {
  return Run(runtime_, counters_, MetadataOp::kScan,
             inner().Scan(std::move(context), std::move(range), std::move(cursor), limit));
}

Task<std::vector<Result<SequencedPutAnswer>>> MetricsMetadataStore::SequencedPut(
    OpContext context, std::vector<SequencedPutRequest> requests) {
  return Run(runtime_, counters_, MetadataOp::kSequencedPut,
             inner().SequencedPut(std::move(context), std::move(requests)));
}

Task<Status> MetricsMetadataStore::AwaitChange(OpContext context, Partition partition, std::uint64_t seen) {
  return Run(runtime_, counters_, MetadataOp::kAwaitChange,
             inner().AwaitChange(std::move(context), std::move(partition), seen));
}

class MetricsMetadataStore::Session final : public MetadataSession,
                                            public std::enable_shared_from_this<Session> {
 public:
  Session(Runtime& runtime, std::shared_ptr<Counters> counters, std::shared_ptr<MetadataSession> inner)
      : runtime_(runtime), counters_(std::move(counters)), inner_(std::move(inner)) {}

  const std::string& id() const override { return inner_->id(); }
  bool ProvablyAlive() const override { return inner_->ProvablyAlive(); }
  Task<Status> Close(OpContext context) override {
    Task<Status> close = Run(runtime_, counters_, MetadataOp::kCloseSession, inner_->Close(std::move(context)));
    return CountClosed(counters_, shared_from_this(), std::move(close));
  }

 private:
  /// Once, however often it is closed.
  static Task<Status> CountClosed(std::shared_ptr<Counters> counters, std::shared_ptr<Session> session,
                                  Task<Status> close) {
    const Status status = co_await close;
    Sessions& sessions = counters->sessions;
    const std::lock_guard lock(sessions.mutex);
    if (status.ok() && !std::exchange(session->closed_, true)) ++sessions.closed;
    co_return status;
  }

  Runtime& runtime_;
  const std::shared_ptr<Counters> counters_;
  const std::shared_ptr<MetadataSession> inner_;
  bool closed_ = false;  ///< guarded by the mutex of `counters_`
};

Task<Result<std::shared_ptr<MetadataSession>>> MetricsMetadataStore::OpenSession(OpContext context,
                                                                                 Duration timeout) {
  using Opened = Result<std::shared_ptr<MetadataSession>>;
  Task<Opened> open = inner().OpenSession(std::move(context), timeout);
  Task<Opened> run = Run<Opened>(runtime_, counters_, MetadataOp::kOpenSession, std::move(open));
  LS_CO_ASSIGN(std::shared_ptr<MetadataSession> session, co_await run);
  std::shared_ptr<MetadataSession> wrapped = std::make_shared<Session>(runtime_, counters_, std::move(session));
  Sessions& sessions = counters_->sessions;
  const std::lock_guard lock(sessions.mutex);
  ++sessions.opened;
  std::erase_if(sessions.open, [](const std::weak_ptr<MetadataSession>& one) { return one.expired(); });
  sessions.open.push_back(wrapped);
  co_return wrapped;
}

}  // namespace lakestream
