#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "base/histogram.h"
#include "lakestream/buffer.h"
#include "lakestream/status.h"
#include "lakestream/task.h"
#include "log/engine_options.h"
#include "log/lease/lease_keeper.h"
#include "log/log_entry.h"
#include "meta/metadata_store.h"
#include "model/section_state.h"
#include "objstore/object_store.h"
#include "runtime/runtime.h"

namespace lakestream {

/// Names those who append one after another and want what they queued behind a failed entry of the same
/// log to fail too. 0 is nobody: such entries stand alone.
using CallerId = std::uint64_t;

struct AppendRequest {
  LogId log;
  std::int32_t records = 1;  ///< 1 or more
  Buffer payload;
  CallerId caller = 0;
};

struct WriterStats {
  std::int64_t entries = 0;        ///< acknowledged
  std::int64_t bytes = 0;          ///< their payload
  std::int64_t failed_entries = 0; ///< of flushes, that were not acknowledged
  std::int64_t objects = 0;        ///< WAL objects written
  std::int64_t object_bytes = 0;   ///< their bytes
  std::int64_t object_retries = 0; ///< tries beyond the first of an object
  std::int64_t index_puts = 0;     ///< index records committed
  std::int64_t rewritten_sections = 0;  ///< moved to a new object because the old one grew too old
  std::int64_t unknown_sections = 0;
  std::int64_t damaged_sections = 0;  ///< answered later than grace/2: never acknowledged
  std::int64_t parked_logs = 0;       ///< right now
  std::int64_t queued_bytes = 0;      ///< right now; in flight, too
  std::int64_t puts_in_flight = 0;    ///< right now
  /// How often each cell of model::NextSection was taken: [state][event].
  std::array<std::array<std::int64_t, model::kSectionEvents>, model::kSectionStates> cells{};
};

/// Where appends spend their time. What is recorded is a flush, or a log's part of one: never an entry, which would cost
/// the path of every one of them. The oldest entry of a flush stands for it, so no other one took longer; a section that
/// needs a new object begins anew with that.
struct WriterLatency {
  HistogramSnapshot queue;  ///< from the oldest append to the start of the flush; one for each object
  HistogramSnapshot put;    ///< from there to the durable object, leases and retries included; one for each object
  HistogramSnapshot index;  ///< from there to the acknowledgement; one for each log of the object
  HistogramSnapshot total;  ///< from the oldest append to the acknowledgement; one for each log of the object
};

/// Appends entries of any number of logs by steps A1 to A4 of the specification, "Appending": all logs of
/// a flush share one WAL object. Thread safety: any thread.
class LogWriter {
 public:
  /// The parts outlive the writer. Errors: invalid_argument (options that contradict each other).
  static Result<std::unique_ptr<LogWriter>> Open(Runtime& runtime, MetadataStore& meta, ObjectStore& wal,
                                                 LeaseKeeper& leases, WriterOptions options);
  ~LogWriter();

  void Start();
  /// Refuses new appends, writes out what is queued, and waits for everything in flight; at the context's
  /// deadline what is queued fails as not done and what is in flight is answered indeterminate.
  Task<Status> Stop(OpContext context);

  /// Appends one entry; ok means durable and ordered. Entries of one log that one thread appends get
  /// offsets in the order of these calls: the entry takes its place when the returned task is first awaited, also
  /// where it has to wait for max_queued_bytes.
  ///
  /// Errors: invalid_argument, fenced (the log is being deleted; see also indeterminate), resource_exhausted, unavailable,
  /// cancelled and deadline_exceeded: not appended. indeterminate: appended or not, perhaps later; appending
  /// it again may store it twice. A cancelled append that is already on its way is waited for.
  Task<Result<LogEntryHeader>> Append(OpContext context, AppendRequest request);

  WriterStats stats() const;
  WriterLatency latency() const;

 private:
  struct Parts;
  explicit LogWriter(std::shared_ptr<Parts> parts);
  std::shared_ptr<Parts> parts_;
};

}  // namespace lakestream
