#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "lakestream/status.h"
#include "sim/run.h"

namespace lakestream::sim {

/// What the command line asks for.
struct Arguments {
  std::string scenario;       ///< empty: all
  std::uint64_t first = 1;    ///< seeds, both inclusive
  std::uint64_t last = 100;
  std::optional<int> minutes; ///< of real time, instead of a last seed
  std::string trace;          ///< a file for what happened in the first seed
  std::string space;          ///< a file for the bytes stored and live over the first seed's day
  bool list = false;
  bool mutants = false;
  std::string mutant;         ///< only this one of them
  bool twice = false;         ///< every seed is run a second time, which must give the same trace
  bool hashes = false;        ///< prints the trace hash of each seed
  bool require_probes = false;
  std::string judge;          ///< a history of real processes to be judged, and nothing to be run
  RunOptions run;
};

/// Errors: invalid_argument, with all that is to be said in the message; ok without a value means that help was asked
/// for and printed.
Result<std::optional<Arguments>> ParseArguments(int argc, const char* const* argv);

/// "kills,cuts" for a mask.
std::string TroubleNames(unsigned troubles);

}  // namespace lakestream::sim
