#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <vector>

#include "cli/wake_queue.h"
#include "lakestream/buffer.h"
#include "lakestream/status.h"
#include "log/writer/log_writer.h"
#include "runtime/root.h"
#include "runtime/runtime.h"

namespace lakestream {

/// One entry to append, and the lines that it was made of.
struct AppendPiece {
  int partition = 0;
  std::int64_t line = 0;  ///< the first of them, from 1
  std::int32_t records = 1;
  std::int64_t bytes = 0;  ///< of the lines
  Buffer payload;
};

/// An append that has ended, well or not.
struct EndedAppend {
  int partition = 0;
  std::int64_t line = 0;  ///< the first one, from 1
  std::int32_t records = 1;
  std::int64_t bytes = 0;  ///< of the lines
  Duration latency{};  ///< from the call to its answer
  Result<LogEntryHeader> result;
};

/// Many appends at once, in order per partition, as one caller. Used by one thread; the answers come from the
/// runtime's. Requires: idle() when it goes.
class AppendWindow {
 public:
  /// `logs` by partition.
  AppendWindow(Runtime& runtime, LogWriter& writer, std::vector<LogId> logs);
  ~AppendWindow();

  /// False while as much is under way as should be.
  bool HasRoom() const { return entries_ < kMaxEntries && bytes_ < kMaxBytes; }
  bool idle() const { return entries_ == 0; }
  void Start(AppendPiece piece);

  /// Hands over what has ended, in line order within each partition.
  void Collect(const std::function<void(const EndedAppend&)>& on_ended);
  /// Readable while Collect may have something.
  int fd() const { return landed_.fd(); }

 private:
  // Together under the writer's own bound, so that no append waits for a place in its queue. More entries
  // would only wait longer, and fall out of the processor's cache meanwhile.
  static constexpr std::int64_t kMaxEntries = 32'768;
  static constexpr std::int64_t kMaxBytes = std::int64_t{64} << 20;

  struct Slot {
    int partition = 0;
    std::int64_t line = 0;
    std::int32_t records = 1;
    std::int64_t bytes = 0;          // of the lines
    std::int64_t payload_bytes = 0;  // under way
    MonotonicTime started;
    MonotonicTime ended;
    std::optional<Result<LogEntryHeader>> result;
    std::optional<internal::Root> root;
    bool landed = false;  // the window's thread has seen the end
  };

  internal::Root AppendInto(AppendRequest request, Slot* slot);

  Runtime& runtime_;
  LogWriter& writer_;
  const std::vector<LogId> logs_;
  std::vector<std::deque<Slot>> slots_;  // by partition, in line order; addresses stay
  WakeQueue<Slot*> landed_;
  std::vector<Slot*> taken_;
  std::vector<std::size_t> touched_;
  std::int64_t entries_ = 0;
  std::int64_t bytes_ = 0;
};

}  // namespace lakestream
