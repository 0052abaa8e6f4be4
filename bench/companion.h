#pragma once

#include "bench/benchmark.h"
#include "lakestream/status.h"
#include "runtime/runtime.h"

namespace lakestream::bench {

/// Companion files, written and read, each beside gzip alone on the same bytes. A part of the benchmark "codec".
Status BenchCompanion(const BenchOptions& options, BenchReport* report, Runtime& runtime);

}  // namespace lakestream::bench
