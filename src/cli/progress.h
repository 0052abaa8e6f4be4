#pragma once

#include <cstdint>

#include "cli/environment.h"

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
  /// At most every kEvery.
  void Show(std::int64_t entries, std::int64_t bytes);

  static constexpr Duration kEvery = std::chrono::milliseconds(200);

 private:
  Environment& environment_;
  const bool shown_;
  MonotonicTime last_;
};

}  // namespace lakestream
