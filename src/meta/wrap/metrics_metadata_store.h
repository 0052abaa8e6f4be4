#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "base/histogram.h"
#include "meta/metadata_store.h"
#include "meta/wrap/metadata_op.h"
#include "runtime/runtime.h"

namespace lakestream {

/// What one operation did so far.
struct MetadataOpMetrics {
  static constexpr std::size_t kCodes = static_cast<std::size_t>(StatusCode::kInternal) + 1;

  /// By status code; one for each request of a batch of sequenced puts, one for each other call.
  std::array<std::int64_t, kCodes> answers{};
  std::int64_t in_flight = 0;  ///< calls
  HistogramSnapshot latency;   ///< of every call that was answered

  std::int64_t count(StatusCode code) const { return answers[static_cast<std::size_t>(code)]; }
  std::int64_t calls() const { return latency.count(); }
};

/// Sessions opened through the store. Those that are neither closed nor alive were lost.
struct SessionMetrics {
  std::int64_t opened = 0;
  std::int64_t closed = 0;  ///< by a call that ended ok
  std::int64_t alive = 0;   ///< right now, provably
};

struct MetadataStoreMetrics {
  std::array<MetadataOpMetrics, kMetadataOps.size()> ops;
  SessionMetrics sessions;
  const MetadataOpMetrics& of(MetadataOp op) const { return ops[static_cast<std::size_t>(op)]; }
};

/// Counts what passes. Sessions may outlive it. Thread safety: any thread.
class MetricsMetadataStore final : public ForwardingMetadataStore {
 public:
  /// `inner` outlives this.
  MetricsMetadataStore(Runtime& runtime, MetadataStore& inner);
  ~MetricsMetadataStore() override;

  MetadataStoreMetrics Snapshot() const;

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
  Task<Status> AwaitChange(OpContext context, Partition partition, std::uint64_t seen) override;

 private:
  struct OpCounters {
    std::array<std::atomic<std::int64_t>, MetadataOpMetrics::kCodes> answers{};
    std::atomic<std::int64_t> in_flight{0};
    Histogram latency;
  };
  class Session;
  struct Sessions {
    std::mutex mutex;
    std::int64_t opened = 0;
    std::int64_t closed = 0;
    std::vector<std::weak_ptr<MetadataSession>> open;  ///< and some that were lost
  };
  struct Counters {
    std::array<OpCounters, kMetadataOps.size()> ops;
    Sessions sessions;
  };
  /// A call that runs; one whose frame is destroyed leaves no answer and is no longer in flight.
  class Measure;
  template <class R>
  static Task<R> Run(Runtime& runtime, std::shared_ptr<Counters> counters, MetadataOp op, Task<R> call);

  Runtime& runtime_;
  const std::shared_ptr<Counters> counters_;
};

}  // namespace lakestream
