#pragma once

namespace lakestream {

/// SIGINT and SIGTERM as something to wait for: the first one asks the command to end in order, a second one
/// ends the process as usual. At most one object at a time.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  /// The signal that came, or 0.
  int received() const;
  /// Readable once one has come.
  int fd() const;
};

}  // namespace lakestream
