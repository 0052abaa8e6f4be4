#pragma once

#include <cstdint>

#include "cli/environment.h"
#include "log/fsck/fsck.h"

namespace lakestream {

/// How far a long command has come, as one line on a terminal that is written anew; nothing anywhere else.
/// Thread safety: none.
class Progress {
 public:
  /// `writes_output`: the command writes its data to standard output, so the line is not shown where that is a
  /// terminal too.
  Progress(Environment& environment, bool writes_output);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  bool shown() const { return shown_; }
  /// At most every kEvery, the first time that long after the command began; as ShowCheck.
  void Show(std::int64_t records, std::int64_t bytes);
  void ShowCheck(const FsckTotals& so_far);
  /// Takes the line away, for what is written to standard output next.
  void Clear();

  static constexpr Duration kEvery = std::chrono::milliseconds(200);

 private:
  bool IsDue();

  Environment& environment_;
  const bool shown_;
  MonotonicTime last_;
};

}  // namespace lakestream
