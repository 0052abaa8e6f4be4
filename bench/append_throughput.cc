#include <sched.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/try.h"
#include "bench/append_load.h"
#include "bench/benchmark.h"
#include "bench/disk_peer.h"
#include "bench/engine.h"
#include "bench/folder.h"
#include "bench/ledger.h"
#include "bench/null_object_store.h"
#include "bench/rounds.h"
#include "bench/surroundings.h"
#include "bench/wrappers.h"
#include "meta/memory/memory_metadata_store.h"
#include "runtime/thread_runtime.h"
#include "runtime/wait.h"

namespace lakestream::bench {
namespace {

constexpr std::size_t kPayloadBytes = 1024;
constexpr std::int64_t kLogs = 10;
// On one core more would only fall out of the processor's cache; on a disk they fill objects while others are synced.
constexpr std::int64_t kUnderWayOnOneCore = 8192;
constexpr std::int64_t kUnderWayOnDisk = 32'768;

double Seconds(Duration d) { return std::chrono::duration<double>(d).count(); }

/// This thread, and those that it starts, run on one processor for as long as this lives.
class OneProcessor {
 public:
  OneProcessor() {
    CPU_ZERO(&before_);
    if (sched_getaffinity(0, sizeof(before_), &before_) != 0) return;
    cpu_set_t one;
    CPU_ZERO(&one);
    int last = 0;
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (CPU_ISSET(cpu, &before_)) last = cpu;
    }
    CPU_SET(last, &one);
    held_ = sched_setaffinity(0, sizeof(one), &one) == 0;
  }
  OneProcessor(const OneProcessor&) = delete;
  OneProcessor& operator=(const OneProcessor&) = delete;
  ~OneProcessor() {
    if (held_) sched_setaffinity(0, sizeof(before_), &before_);
  }
  bool held() const { return held_; }

 private:
  cpu_set_t before_;
  bool held_ = false;
};

Status OnOneCore(const BenchOptions& options, BenchReport* report) {
  const OneProcessor pinned;
  if (!pinned.held()) return Unavailable("the process cannot be kept on one processor");
  ThreadRuntimeOptions one_thread;
  one_thread.executor_threads = 1;
  ThreadRuntime threads(one_thread);
  MemoryMetadataStore meta(threads.runtime());
  NullObjectStore objects;
  DamagingObjectStore damaging(objects, options.damage);
  LS_ASSIGN(const std::unique_ptr<Engine> engine,
            Engine::Start(threads.runtime(), meta, damaging, WriterOptions()));
  AppendLoad load(engine->writer(), LogRange(1, kLogs), kPayloadBytes, kUnderWayOnOneCore);
  const std::int64_t entries = Scaled(options, 400'000, 1000);
  LS_TRY(load.Run(entries / 4));
  std::vector<double> rates;
  std::vector<double> processor;
  for (int round = 0; round < kRounds; ++round) {
    LS_TRY(CheckStopped(options));
    const double used = ProcessorSeconds();
    const MonotonicTime before = threads.runtime().Now();
    LS_TRY(load.Run(entries));
    rates.push_back(static_cast<double>(entries) / Seconds(threads.runtime().Now() - before) / 1000);
    processor.push_back((ProcessorSeconds() - used) / static_cast<double>(entries) * 1e6);
  }
  LS_TRY(engine->Stop());
  LS_ASSIGN(const std::int64_t checked, CheckLedger(meta, objects, {&load}));
  report->Checked(checked);
  report->AtLeast("null objects, memory metadata, one core", MedianOf(rates), 400, "k entries/s");
  report->Add("  processor time of all threads for an entry", MedianOf(processor), "us");
  return OkStatus();
}

/// Both sides of the durable half.
class OnDisk {
 public:
  OnDisk(const BenchOptions& options, Runtime& runtime, std::string folder, Deployment& deployment, DiskPeer disk)
      : runtime_(runtime),
        entries_(Scaled(options, 131'072, 1000)),
        folder_(std::move(folder)),
        load_(deployment.writer(), LogRange(1000, kLogs), kPayloadBytes, kUnderWayOnDisk),
        disk_(std::move(disk)) {}

  Result<double> Append() {
    const MonotonicTime before = runtime_.Now();
    LS_TRY(load_.Run(entries_));
    const double seconds = Seconds(runtime_.Now() - before);
    sizes_.clear();
    for (const FoundFile& file : FilesBelow(folder_)) {
      if (seen_.insert(file.path).second) sizes_.push_back(file.bytes);
    }
    objects_ += static_cast<std::int64_t>(sizes_.size());
    return Rate(seconds);
  }

  Result<double> Peer() {
    const MonotonicTime before = runtime_.Now();
    for (const std::size_t bytes : sizes_) LS_TRY(disk_.WriteObject(bytes));
    return Rate(Seconds(runtime_.Now() - before));
  }

  double Rate(double seconds) const {
    std::size_t bytes = 0;
    for (const std::size_t one : sizes_) bytes += one;
    return static_cast<double>(bytes) / (1 << 20) / seconds;
  }
  const AppendLoad& load() const { return load_; }
  double MeanObject() const { return static_cast<double>(load_.total()) / static_cast<double>(objects_) / 1024; }

 private:
  Runtime& runtime_;
  const std::int64_t entries_;
  const std::string folder_;
  AppendLoad load_;
  DiskPeer disk_;
  std::set<std::string> seen_;
  std::vector<std::size_t> sizes_;
  std::int64_t objects_ = 0;
};

Status Durable(const BenchOptions& options, BenchReport* report) {
  ThreadRuntime threads{ThreadRuntimeOptions()};
  LS_ASSIGN(const Folder folder, Folder::Make(options.directory, "throughput"));
  LS_ASSIGN(const Folder peer_folder, Folder::Make(options.directory, "throughput-peer"));
  LS_ASSIGN(const std::unique_ptr<Embedded> embedded, Embedded::Open(threads.runtime(), folder.path()));
  LS_ASSIGN(DiskPeer disk, DiskPeer::Open(peer_folder.path()));
  const std::string wal = folder.path() + "/wal";
  OnDisk sides(options, threads.runtime(), wal, embedded->deployment(), std::move(disk));
  const Side ours = [&sides] { return sides.Append(); };
  const Side peer = [&sides] { return sides.Peer(); };
  LS_ASSIGN(const Compared compared, Compare(options, ours, peer));
  if (options.damage) LS_TRY(DamageFile(FilesBelow(wal).front().path));
  LS_ASSIGN(const std::int64_t checked, CheckByReading(embedded->deployment().reader(), sides.load()));
  report->Checked(checked);
  report->Add("embedded, durable", compared.ours, "MiB/s");
  report->Add("peer: one sequential writer, the same objects", compared.peer, "MiB/s");
  report->AtLeast("embedded / the disk alone", compared.ratio(), 0.8, "");
  report->Add("  mean size of an object", sides.MeanObject(), "MiB of payload");
  return embedded->Stop();
}

}  // namespace

Status RunAppendThroughput(const BenchOptions& options, BenchReport* report) {
  LS_TRY(OnOneCore(options, report));
  LS_TRY(Durable(options, report));
  report->Note("entries of 1 KiB to 10 logs, 8 192 under way on one core and 32 768 on the disk; the client is part of what is "
               "measured");
  return OkStatus();
}

}  // namespace lakestream::bench
