#include <algorithm>
#include <memory>
#include <optional>
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
#include "bench/wrappers.h"
#include "format/index_key.h"
#include "log/plain_log_homes.h"
#include "meta/memory/memory_metadata_store.h"
#include "objstore/memory/memory_object_store.h"
#include "runtime/thread_runtime.h"
#include "runtime/wait.h"

namespace lakestream::bench {
namespace {

// 50 a second: a quarter of the PUT budget, so that no append waits for a token.
constexpr Duration kPace = std::chrono::milliseconds(20);
constexpr std::size_t kPayloadBytes = 1024;
const LogId kLog(1);
const LogId kPeerLog(2);

double Micros(Duration d) { return std::chrono::duration<double, std::micro>(d).count(); }

struct Samples {
  std::vector<double> append;  ///< all in microseconds
  std::vector<double> put;
  std::vector<double> above;
  std::vector<double> index_put;
  std::vector<double> peer_put;
  std::vector<double> peer_commit;
};

/// One pair of stores.
class Setting {
 public:
  /// The writer puts to `wal`; the peer writes files to `disk`, or, where that is null, puts to `peer_wal`.
  Setting(Runtime& runtime, MetadataStore& meta, ObjectStore& wal, ObjectStore& peer_wal, DiskPeer* disk, bool damage)
      : runtime_(runtime),
        meta_(meta),
        disk_(disk),
        peer_wal_(peer_wal),
        timed_meta_(runtime, meta),
        timed_wal_(runtime, wal),
        damaging_(timed_wal_, damage) {}

  /// Appends, one at a time, and a peer's PUT and commit halfway to the next one.
  Status Run(const BenchOptions& options, std::int64_t appends) {
    LS_ASSIGN(engine_, Engine::Start(runtime_, timed_meta_, damaging_, WriterOptions()));
    load_.emplace(engine_->writer(), std::vector<LogId>(1, kLog), kPayloadBytes, 1);
    // The first append takes the lease and makes the directories: not what is measured.
    LS_TRY(load_->Run(1));
    LS_TRY(PeerOnce(nullptr));
    MonotonicTime next = runtime_.Now() + kPace;
    for (std::int64_t i = 0; i < appends; ++i) {
      LS_TRY(CheckStopped(options));
      LS_TRY(Wait(SleepUntil(runtime_, OpContext(), next)));
      LS_TRY(AppendOnce());
      LS_TRY(Wait(SleepUntil(runtime_, OpContext(), next + kPace / 2)));
      LS_TRY(PeerOnce(&samples_));
      next = std::max(next + kPace, runtime_.Now());
    }
    return engine_->Stop();
  }

  void Report(const std::string& name, BenchReport* report) const {
    const auto both = [&](const std::string& what, const std::vector<double>& values) {
      report->Add(name + what + ", p50", MedianOf(values), "us");
      report->Add(name + what + ", p99", QuantileOf(values, 0.99), "us");
    };
    both("append", samples_.append);
    both("of it the store's PUT", samples_.put);
    both("of it the index put", samples_.index_put);
    report->AtMost(name + "append above its own PUT, p50", MedianOf(samples_.above), 1000, "us");
    report->AtMost(name + "append above its own PUT, p99", QuantileOf(samples_.above, 0.99), 3000, "us");
    both(disk_ != nullptr ? "peer: the same file without the store" : "peer: a PUT of the store alone",
         samples_.peer_put);
    both("peer: an index put of the store alone", samples_.peer_commit);
  }

  const AppendLoad& load() const { return *load_; }

 private:
  Status AppendOnce() {
    const MonotonicTime before = runtime_.Now();
    LS_TRY(load_->Run(1));
    const Duration took = runtime_.Now() - before;
    const Duration put = timed_wal_.puts().back().took;
    samples_.append.push_back(Micros(took));
    samples_.put.push_back(Micros(put));
    samples_.above.push_back(Micros(took - put));
    samples_.index_put.push_back(Micros(timed_meta_.puts().back()));
    return OkStatus();
  }

  Status PeerOnce(Samples* samples) {
    const std::size_t bytes = timed_wal_.puts().back().bytes;
    const MonotonicTime before = runtime_.Now();
    if (disk_ != nullptr) {
      LS_TRY(disk_->WriteObject(bytes));
    } else {
      const std::string key = "peer/" + std::to_string(peer_puts_++);
      LS_TRY(Wait(peer_wal_.Put(OpContext(), key, PeerObject(bytes), PutMode::kCreate)));
    }
    const MonotonicTime between = runtime_.Now();
    std::vector<SequencedPutRequest> requests;
    Buffer value(std::string(80, 'v'));
    requests.push_back({Partition::OfLog(kPeerLog), IndexKeyPrefix(kPeerLog), 1, 1024, std::move(value), {}, nullptr});
    const auto answers = Wait(meta_.SequencedPut(OpContext(), std::move(requests)));
    LS_TRY(answers.front().status());
    if (samples == nullptr) return OkStatus();
    samples->peer_put.push_back(Micros(between - before));
    samples->peer_commit.push_back(Micros(runtime_.Now() - between));
    return OkStatus();
  }

  static BufferChain PeerObject(std::size_t bytes) {
    BufferChain object(Buffer(std::string(bytes - kPayloadBytes, 'h')));
    object.Append(Buffer(std::string(kPayloadBytes, 'p')));
    return object;
  }

  Runtime& runtime_;
  MetadataStore& meta_;
  DiskPeer* const disk_;
  ObjectStore& peer_wal_;
  TimedMetadataStore timed_meta_;
  TimedObjectStore timed_wal_;
  DamagingObjectStore damaging_;
  std::unique_ptr<Engine> engine_;
  std::optional<AppendLoad> load_;
  Samples samples_;
  std::int64_t peer_puts_ = 0;
};

Status OnNull(const BenchOptions& options, BenchReport* report, Runtime& runtime, std::int64_t appends) {
  MemoryMetadataStore meta(runtime);
  NullObjectStore objects;
  NullObjectStore peer_objects;
  Setting setting(runtime, meta, objects, peer_objects, nullptr, options.damage);
  LS_TRY(setting.Run(options, appends));
  LS_ASSIGN(const std::int64_t checked, CheckLedger(meta, objects, {&setting.load()}));
  report->Checked(checked);
  setting.Report("null: ", report);
  return OkStatus();
}

Status OnMemory(const BenchOptions& options, BenchReport* report, Runtime& runtime, std::int64_t appends) {
  MemoryMetadataStore meta(runtime);
  MemoryObjectStore objects(runtime);
  MemoryObjectStore peer_objects(runtime);
  Setting setting(runtime, meta, objects, peer_objects, nullptr, options.damage);
  LS_TRY(setting.Run(options, appends));
  PlainLogHomes homes;
  LogReader reader(runtime, meta, objects, objects, homes, ReaderOptions());
  LS_ASSIGN(const std::int64_t checked, CheckByReading(reader, setting.load()));
  report->Checked(checked);
  setting.Report("memory: ", report);
  return OkStatus();
}

Status OnLocal(const BenchOptions& options, BenchReport* report, Runtime& runtime, std::int64_t appends) {
  LS_ASSIGN(const Folder meta_folder, Folder::Make(options.directory, "latency-meta"));
  LS_ASSIGN(const Folder wal_folder, Folder::Make(options.directory, "latency-wal"));
  LS_ASSIGN(const Folder peer_folder, Folder::Make(options.directory, "latency-peer"));
  LS_ASSIGN(const std::unique_ptr<LmdbMetadataStore> meta, OpenLmdb(runtime, meta_folder.path()));
  LS_ASSIGN(const std::unique_ptr<LocalObjectStore> objects, OpenLocal(runtime, wal_folder.path()));
  LS_ASSIGN(DiskPeer disk, DiskPeer::Open(peer_folder.path()));
  Setting setting(runtime, *meta, *objects, *objects, &disk, options.damage);
  LS_TRY(setting.Run(options, appends));
  PlainLogHomes homes;
  LogReader reader(runtime, *meta, *objects, *objects, homes, ReaderOptions());
  LS_ASSIGN(const std::int64_t checked, CheckByReading(reader, setting.load()));
  report->Checked(checked);
  setting.Report("local: ", report);
  return Wait(meta->Stop(OpContext()));
}

}  // namespace

Status RunAppendLatency(const BenchOptions& options, BenchReport* report) {
  ThreadRuntime threads{ThreadRuntimeOptions()};
  const std::int64_t appends = Scaled(options, 250, 4);
  LS_TRY(OnNull(options, report, threads.runtime(), appends));
  LS_TRY(OnMemory(options, report, threads.runtime(), appends));
  LS_TRY(OnLocal(options, report, threads.runtime(), appends));
  report->Note("50 appends of 1 KiB a second, one at a time, and the peer between two of them; local: LMDB and files, "
               "null and memory: metadata in memory");
  return OkStatus();
}

}  // namespace lakestream::bench
