#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/report.h"
#include "lakestream/status.h"

namespace lakestream::bench {

struct BenchOptions {
  /// An existing folder for what a benchmark needs on a disk; each makes folders of its own in it.
  std::string directory;
  /// The lakestream command, for what takes several processes.
  std::string command = "/proc/self/exe";
  /// How much of the full work is done, above 0 and at most 1. Budgets are judged at 1 only.
  double scale = 1;
  /// Lose or damage one entry on the way: the check of what was written or read must then fail.
  bool damage = false;
  /// Of `gc`: so many objects and index records, whatever the scale; 0: as many as it usually takes.
  std::int64_t objects = 0;
  std::int64_t records = 0;
  /// Asked between rounds; true ends the benchmark with cancelled. May be empty.
  std::function<bool()> stopped;
};

/// `full` times the scale, but at least `least`.
std::int64_t Scaled(const BenchOptions& options, std::int64_t full, std::int64_t least);
/// cancelled where the run is to end.
Status CheckStopped(const BenchOptions& options);

/// One row of the budgets. Blocks until it is done. Any status but ok: the figures are worth nothing; corrupt means
/// that what was written or read is not what it should be.
struct Benchmark {
  const char* name;
  const char* what;  ///< one line
  Status (*run)(const BenchOptions& options, BenchReport* report);
};

/// All of them. `memory` comes first: it looks at a process that has done nothing yet.
const std::vector<Benchmark>& Benchmarks();
/// Null where there is none of this name.
const Benchmark* FindBenchmark(std::string_view name);

Status RunMemory(const BenchOptions& options, BenchReport* report);
Status RunCodec(const BenchOptions& options, BenchReport* report);
Status RunBatches(const BenchOptions& options, BenchReport* report);
Status RunAppendLatency(const BenchOptions& options, BenchReport* report);
Status RunAppendThroughput(const BenchOptions& options, BenchReport* report);
Status RunSequencedPuts(const BenchOptions& options, BenchReport* report);
Status RunLookup(const BenchOptions& options, BenchReport* report);
Status RunCatchUp(const BenchOptions& options, BenchReport* report);
Status RunCompactedReads(const BenchOptions& options, BenchReport* report);
Status RunCompaction(const BenchOptions& options, BenchReport* report);
Status RunPutRate(const BenchOptions& options, BenchReport* report);
Status RunFsckBench(const BenchOptions& options, BenchReport* report);
Status RunCollection(const BenchOptions& options, BenchReport* report);
Status RunProcesses(const BenchOptions& options, BenchReport* report);
Status RunCatalog(const BenchOptions& options, BenchReport* report);
Status RunTailWake(const BenchOptions& options, BenchReport* report);

}  // namespace lakestream::bench
