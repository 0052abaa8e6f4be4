#pragma once

#include <string>

namespace lakestream::sim {

/// Judges the history of real processes in a file (sim/history_text.h) by every property that needs no more than it has,
/// and prints a line for each that does not hold, what was judged and what was not, and how the calls ended. Gives an
/// exit code: 0 where all hold, 1 where one does not, 2 where the file cannot be read.
int JudgeHistory(const std::string& path);

}  // namespace lakestream::sim
