#pragma once

#include <cstdint>
#include <string>

#include "cli/output.h"

namespace lakestream {

struct BenchCommandOptions {
  std::string name;        ///< of a benchmark, or "all"
  std::string directory;   ///< empty: beside the deployment where there is one, else $TMPDIR
  double scale = 1;        ///< above 0, at most 1
  std::int64_t objects = 0;  ///< of gc; 0: as many as it usually takes
  std::int64_t records = 0;  ///< of gc; 0: as many as it usually takes
  bool damage = false;     ///< --break
  bool json = false;       ///< one JSON object on standard output instead of text
  std::string deployment;  ///< for the default of `directory`
  std::string command;     ///< the whole command line, for the report
};

/// Runs benchmarks in a temporary folder and removes it. A budget that is missed is no failure: 0 says that everything
/// that was measured was also checked, 5 that something written or read was not what it should be.
int RunBench(Output& out, const BenchCommandOptions& options);

}  // namespace lakestream
