#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>

#include "base/histogram.h"
#include "objstore/object_store.h"
#include "objstore/wrap/object_op.h"
#include "runtime/runtime.h"

namespace lakestream {

inline constexpr std::size_t kStatusCodes = static_cast<std::size_t>(StatusCode::kInternal) + 1;

/// What one operation did so far.
struct ObjectOpMetrics {
  std::array<std::int64_t, kStatusCodes> answers{};  ///< by status code
  std::int64_t in_flight = 0;
  /// Payload bytes of calls that ended ok: written by put and append, read by get.
  std::int64_t bytes = 0;
  HistogramSnapshot latency;  ///< of every call that was answered

  std::int64_t count(StatusCode code) const { return answers[static_cast<std::size_t>(code)]; }
  std::int64_t calls() const { return latency.count(); }
};

struct ObjectStoreMetrics {
  std::array<ObjectOpMetrics, kObjectOps.size()> ops;
  const ObjectOpMetrics& of(ObjectOp op) const { return ops[static_cast<std::size_t>(op)]; }
};

/// Counts what passes. Outlives the uploads it started. Thread safety: any thread.
class MetricsObjectStore final : public ForwardingObjectStore {
 public:
  /// `inner` outlives this.
  MetricsObjectStore(Runtime& runtime, ObjectStore& inner);
  ~MetricsObjectStore() override;

  ObjectStoreMetrics Snapshot() const;

  Task<Status> Put(OpContext context, std::string key, BufferChain bytes, PutMode mode) override;
  Task<Result<Buffer>> Get(OpContext context, std::string key, ByteRange range) override;
  Task<Result<ObjectInfo>> Head(OpContext context, std::string key) override;
  Task<Result<ListPage>> List(OpContext context, std::string prefix, std::string start_after, int limit) override;
  Task<Status> Delete(OpContext context, std::vector<std::string> keys) override;
  Task<Result<std::unique_ptr<ObjectUpload>>> StartUpload(OpContext context, std::string key, PutMode mode) override;
  Task<Result<ObjectLeftovers>> RemoveLeftovers(OpContext context, WallTime before) override;

 private:
  class Upload;
  struct Counters {
    std::array<std::atomic<std::int64_t>, kStatusCodes> answers{};
    std::atomic<std::int64_t> in_flight{0};
    std::atomic<std::int64_t> bytes{0};
    Histogram latency;
  };
  /// A call that runs; one whose frame is destroyed leaves no answer and is no longer in flight.
  class Measure;
  template <class R>
  Task<R> Run(ObjectOp op, Task<R> call, std::size_t bytes_if_ok);

  Runtime& runtime_;
  std::array<Counters, kObjectOps.size()> counters_;
};

}  // namespace lakestream
