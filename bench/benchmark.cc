#include "bench/benchmark.h"

#include <algorithm>

namespace lakestream::bench {

std::int64_t Scaled(const BenchOptions& options, std::int64_t full, std::int64_t least) {
  return std::max(least, static_cast<std::int64_t>(static_cast<double>(full) * options.scale));
}

Status CheckStopped(const BenchOptions& options) {
  if (options.stopped && options.stopped()) return Cancelled("the benchmark was ended early");
  return OkStatus();
}

const std::vector<Benchmark>& Benchmarks() {
  static const std::vector<Benchmark> all = {
      {"memory", "resident memory of an idle process, and of one with 100 000 open logs", RunMemory},
      {"codec", "WAL encode and decode against memcpy; FastPFOR words", RunCodec},
      {"batches", "Kafka record batches: build, check and walk, with each codec against the codec alone", RunBatches},
      {"append-latency", "one append at a time: what it takes above the store's own PUT", RunAppendLatency},
      {"append-throughput", "1 KiB entries a second on one core; and durable, against the disk alone",
       RunAppendThroughput},
      {"sequenced-puts", "index records a second in LMDB, over 100 and 10 000 logs", RunSequencedPuts},
      {"lookup", "finding an index record, cached and in LMDB", RunLookup},
      {"catch-up", "reading a log from its start, against reading the same files", RunCatchUp},
      {"compacted-reads", "one entry and all of a compacted log, beside RAW records; a time among a million entries",
       RunCompactedReads},
      {"compaction", "turning WAL objects into Parquet, against Arrow alone; GETs and memory", RunCompaction},
      {"put-rate", "PUTs a second of a busy writer with 1, 100 and 10 000 logs", RunPutRate},
      {"catalog", "streams created, listed and loaded, up to a million of them", RunCatalog},
      {"fsck", "checking a deployment of a million index records", RunFsckBench},
      {"gc", "collecting the garbage of a deployment of a million index records", RunCollection},
      {"processes", "lines a second that 1, 2 and 4 processes append to one deployment", RunProcesses},
      {"tail", "how soon a tail sees an entry that another process appended; 10 000 tails", RunTailWake},
  };
  return all;
}

const Benchmark* FindBenchmark(std::string_view name) {
  for (const Benchmark& benchmark : Benchmarks()) {
    if (name == benchmark.name) return &benchmark;
  }
  return nullptr;
}

}  // namespace lakestream::bench
