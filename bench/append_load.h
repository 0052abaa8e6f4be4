#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <vector>

#include "bench/payloads.h"
#include "lakestream/status.h"
#include "log/writer/log_writer.h"
#include "runtime/root.h"

namespace lakestream::bench {

/// Appends to new logs, in turn, with so many entries under way at once. One caller; the entries of a log are numbered
/// from 0, and each acknowledgement must give its entry the offset of its number.
class AppendLoad {
 public:
  /// `payload_bytes`: a multiple of 8.
  AppendLoad(LogWriter& writer, std::vector<LogId> logs, std::size_t payload_bytes, std::int64_t under_way);

  /// Appends so many more entries and waits for them. Blocks; not for the runtime's threads. Errors: corrupt (a wrong
  /// offset or size), what an append gave.
  Status Run(std::int64_t entries);
  /// Appends for as long as `more` says so, and waits for all.
  Status RunWhile(const std::function<bool()>& more);

  const std::vector<LogId>& logs() const { return logs_; }
  std::size_t payload_bytes() const { return payload_bytes_; }
  std::int64_t total() const { return total_; }
  /// Entries of the log at this place, all acknowledged. Requires: the last run was ok.
  std::int64_t entries(std::size_t place) const { return numbers_[place]; }

 private:
  internal::Root One(AppendRequest request, std::int64_t number);
  void Start();
  void Judge(const Result<LogEntryHeader>& answer, LogId log, std::int64_t number);
  void Ended();

  LogWriter& writer_;
  const std::vector<LogId> logs_;
  const std::size_t payload_bytes_;
  const std::int64_t most_under_way_;
  PayloadSource source_;
  std::vector<std::int64_t> numbers_;
  std::size_t next_log_ = 0;
  std::int64_t total_ = 0;

  std::mutex mutex_;
  std::condition_variable room_;
  std::int64_t under_way_ = 0;
  std::int64_t wanted_ = 0;  ///< the driving thread sleeps until no more than this are under way
  Status failed_;
};

/// `count` log ids from `first` on.
std::vector<LogId> LogRange(std::int64_t first, std::int64_t count);

}  // namespace lakestream::bench
