#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/try.h"
#include "bench/append_load.h"
#include "bench/benchmark.h"
#include "bench/command_process.h"
#include "bench/engine.h"
#include "bench/folder.h"
#include "bench/ledger.h"
#include "bench/payloads.h"
#include "bench/rounds.h"
#include "bench/surroundings.h"
#include "bench/wrappers.h"
#include "log/compactor/compacted_file_writer.h"
#include "log/compactor/compactor.h"
#include "log/plain_log_homes.h"
#include "meta/memory/memory_metadata_store.h"
#include "objstore/memory/memory_object_store.h"
#include "parquet/plain_arrow/plain_arrow.h"
#include "runtime/thread_runtime.h"
#include "runtime/wait.h"
#include "runtime/when_all.h"

namespace lakestream::bench {
namespace {

constexpr std::size_t kPayloadBytes = 1024;
/// Of each payload; the rest is text, so that compression finds something: about 60 % stay.
constexpr std::size_t kRandomBytes = 616;
constexpr std::size_t kFileBytes = std::size_t{64} << 20;
constexpr std::int64_t kAppendsAtOnce = 4096;

/// Entry `number` of the log.
Buffer RowOf(LogId log, std::int64_t number) {
  std::string bytes(kPayloadBytes, ' ');
  const auto random = reinterpret_cast<std::uint8_t*>(bytes.data());
  FillPayload(log, number, std::span(random, kRandomBytes));
  const std::string_view text = "the quick brown fox jumps over the lazy dog, and ";
  for (std::size_t i = kRandomBytes; i < bytes.size(); ++i) bytes[i] = text[(i - kRandomBytes) % text.size()];
  return Buffer(std::move(bytes));
}

Task<Status> AppendOne(LogWriter& writer, LogId log, Buffer payload) {
  AppendRequest request;
  request.log = log;
  request.payload = std::move(payload);
  Task<Result<LogEntryHeader>> append = writer.Append(OpContext(), std::move(request));
  const Result<LogEntryHeader> appended = co_await append;
  co_return appended.status();
}

/// Stores in memory, so that a disk is in no figure, with a writer and a compactor.
class CompactionWorld {
 public:
  explicit CompactionWorld(bool damage) : damaging_(wal_, damage) {}
  ~CompactionWorld() {
    const Status stopped = Stop();
    (void)stopped;  // what came before counts
  }

  Status Start(Compression compression) {
    WriterOptions writer;
    writer.put_budget_per_second = 10'000;
    LS_ASSIGN(engine_, Engine::Start(runtime(), meta_, damaging_, writer));
    leases_ = std::make_unique<LeaseKeeper>(runtime(), meta_, writer);
    leases_->Start();
    CompactorOptions options;
    options.plan.settle_time = Duration::zero();
    options.plan.small_range_cost = 0;
    options.compression = compression;
    CompactorParts parts{runtime(), meta_, meta_, wal_, compacted_, *leases_, homes_, scratch_};
    compactor_ = std::make_unique<Compactor>(parts, options);
    reader_ = std::make_unique<LogReader>(runtime(), meta_, wal_, compacted_, homes_, ReaderOptions());
    return OkStatus();
  }
  Status Stop() {
    if (engine_ == nullptr) return OkStatus();
    const OpContext last_steps = OpContext().WithDeadline(runtime().Now() + std::chrono::seconds(30));
    LS_TRY(Wait(compactor_->Stop(last_steps)));
    LS_TRY(std::exchange(engine_, nullptr)->Stop());
    return Wait(leases_->Stop(last_steps));
  }

  Runtime& runtime() { return threads_.runtime(); }
  LogWriter& writer() { return engine_->writer(); }
  LogReader& reader() { return *reader_; }

  Status Append(LogId log, const std::vector<Buffer>& rows) {
    for (std::size_t from = 0; from < rows.size(); from += kAppendsAtOnce) {
      std::vector<Task<Status>> appends;
      for (std::size_t i = from; i < std::min<std::size_t>(rows.size(), from + kAppendsAtOnce); ++i) {
        appends.push_back(AppendOne(writer(), log, rows[i]));
      }
      for (const Status& status : Wait(WhenAll(runtime(), std::move(appends)))) LS_TRY(status);
    }
    return OkStatus();
  }

  /// One pass, in which every log must come out as compacted.
  Result<CompactionTotals> Compact(std::vector<LogId> logs) {
    Status failed;
    const auto count = static_cast<std::int64_t>(logs.size());
    const auto note = [&failed](const CompactionOutcome& outcome) {
      if (failed.ok()) failed = outcome.status;
    };
    LS_ASSIGN(const CompactionTotals totals, Wait(compactor_->Pass(OpContext(), std::move(logs), note)));
    LS_TRY(failed);
    if (totals.compacted == count) return totals;
    return Corrupt("a log could not be compacted").With("compacted", totals.compacted).With("logs", count);
  }

  /// Reads the log and compares.
  Status Check(LogId log, const std::vector<Buffer>& rows) {
    std::size_t number = 0;
    while (number < rows.size()) {
      LS_ASSIGN(const LogRead read,
                Wait(reader().Read(OpContext(), log, Offset(static_cast<std::int64_t>(number)), ReadBounds())));
      if (read.entries.empty()) return Corrupt("entries are missing").With("found", number);
      for (const LogEntry& entry : read.entries) {
        if (number < rows.size() && entry.payload.text() != rows[number].text()) {
          return Corrupt("an entry is not what was appended").With("number", number);
        }
        ++number;
      }
    }
    return OkStatus();
  }

  /// Processor time of the stores alone, for the objects that a compaction has read and written: once more the same calls.
  Result<double> StoresAlone() {
    LS_ASSIGN(const ListPage read, Wait(wal_.List(OpContext(), "", "", 10'000)));
    LS_ASSIGN(const ListPage written, Wait(compacted_.List(OpContext(), "", "", 10'000)));
    std::vector<Buffer> files;
    for (const ObjectInfo& info : written.objects) {
      LS_ASSIGN(Buffer file, Wait(compacted_.Get(OpContext(), info.key, ByteRange())));
      files.push_back(std::move(file));
    }
    MemoryObjectStore other(runtime());
    const double before = ProcessorSeconds();
    for (const ObjectInfo& info : read.objects) LS_TRY(Wait(wal_.Get(OpContext(), info.key, ByteRange())).status());
    for (std::size_t i = 0; i < files.size(); ++i) LS_TRY(Store(other, written.objects[i].key, files[i]));
    return ProcessorSeconds() - before;
  }

  Result<std::uint64_t> CompactedBytes() {
    LS_ASSIGN(const ListPage page, Wait(compacted_.List(OpContext(), "", "", 10'000)));
    std::uint64_t bytes = 0;
    for (const ObjectInfo& info : page.objects) bytes += info.size;
    return bytes;
  }
  /// So that rounds do not pile up.
  Status Empty() {
    for (ObjectStore* store : {static_cast<ObjectStore*>(&wal_), static_cast<ObjectStore*>(&compacted_)}) {
      LS_ASSIGN(const ListPage page, Wait(store->List(OpContext(), "", "", 10'000)));
      std::vector<std::string> keys;
      for (const ObjectInfo& info : page.objects) keys.push_back(info.key);
      LS_TRY(Wait(store->Delete(OpContext(), std::move(keys))));
    }
    return OkStatus();
  }

 private:
  /// As the compactor stores a file: a large one in parts, which the store puts together.
  static Status Store(ObjectStore& store, const std::string& key, const Buffer& file) {
    const auto part = static_cast<std::size_t>(CompactedFileWriter::Options().part_bytes);
    if (file.size() < part) return Wait(store.Put(OpContext(), key, BufferChain(file), PutMode::kCreate));
    LS_ASSIGN(const std::unique_ptr<ObjectUpload> upload, Wait(store.StartUpload(OpContext(), key, PutMode::kCreate)));
    for (std::size_t at = 0; at < file.size(); at += part) {
      LS_TRY(Wait(upload->Append(OpContext(), BufferChain(file.Slice(at, std::min(part, file.size() - at))))));
    }
    return Wait(upload->Complete(OpContext()));
  }

  ThreadRuntime threads_{ThreadRuntimeOptions()};
  MemoryMetadataStore meta_{threads_.runtime(), MemoryMetadataOptions{1}};
  MemoryObjectStore wal_{threads_.runtime()};
  MemoryObjectStore compacted_{threads_.runtime()};
  DamagingObjectStore damaging_;
  MemoryScratchSpace scratch_;
  PlainLogHomes homes_;
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<LeaseKeeper> leases_;
  std::unique_ptr<Compactor> compactor_;
  std::unique_ptr<LogReader> reader_;
};

/// MiB of payload per second of processor time, the whole process, beside Arrow alone on the same rows.
Status MeasureSpeed(const BenchOptions& options, Compression compression, BenchReport* report) {
  CompactionWorld world(options.damage);
  LS_TRY(world.Start(compression));
  const std::int64_t count = Scaled(options, 262'144, 500);
  const double mib = static_cast<double>(count) * kPayloadBytes / (1 << 20);
  std::vector<Buffer> rows;
  for (std::int64_t i = 0; i < count; ++i) rows.push_back(RowOf(LogId(1), i));
  std::int64_t log = 0;
  std::uint64_t stored = 0;
  std::vector<double> with_stores;
  const Side ours = [&]() -> Result<double> {
    const LogId id(++log);
    LS_TRY(world.Append(id, rows));
    // The log's last record is in no range with others.
    LS_TRY(world.Append(id, std::vector<Buffer>(1, rows[0])));
    const double before = ProcessorSeconds();
    LS_TRY(world.Compact(std::vector<LogId>(1, id)).status());
    const double seconds = ProcessorSeconds() - before;
    LS_TRY(world.Check(id, rows));
    LS_ASSIGN(const double stores, world.StoresAlone());
    with_stores.push_back(mib / seconds);
    LS_ASSIGN(stored, world.CompactedBytes());
    LS_TRY(world.Empty());
    return mib / (seconds - stores);
  };
  const Side peer = [&]() -> Result<double> {
    PlainArrowOptions arrow;
    arrow.compression = compression;
    const double before = ProcessorSeconds();
    for (std::size_t from = 0; from < rows.size(); from += kFileBytes / kPayloadBytes) {
      const auto first = rows.begin() + static_cast<std::ptrdiff_t>(from);
      const std::size_t to = std::min(rows.size(), from + kFileBytes / kPayloadBytes);
      const auto last = rows.begin() + static_cast<std::ptrdiff_t>(to);
      LS_TRY(WriteWithArrow(std::vector<Buffer>(first, last), arrow).status());
    }
    return mib / (ProcessorSeconds() - before);
  };
  LS_ASSIGN(const Compared compared, Compare(options, ours, peer));
  report->Checked(count * log);
  const std::string codec = compression == Compression::kZstd ? "zstd 1" : "no compression";
  report->Add("compaction, " + codec + ", all of it", MedianOf(with_stores), "MiB per CPU s");
  report->Add("compaction, " + codec + ", without its stores", compared.ours, "MiB per CPU s");
  report->Add("Arrow alone, " + codec, compared.peer, "MiB per CPU s");
  report->AtLeast("compaction without its stores / Arrow alone, " + codec, compared.ratio(), 0.8, "");
  report->Add("stored bytes / payload bytes, " + codec, static_cast<double>(stored) / (mib * (1 << 20)), "");
  return world.Stop();
}

/// GETs of a WAL object, for as many logs as share it.
Status MeasureGets(const BenchOptions& options, BenchReport* report) {
  for (const std::int64_t logs : {1, 100, 10'000}) {
    LS_TRY(CheckStopped(options));
    CompactionWorld world(options.damage);
    LS_TRY(world.Start(Compression::kZstd));
    const std::vector<LogId> ids = LogRange(1, std::max<std::int64_t>(1, Scaled(options, logs, 1)));
    AppendLoad load(world.writer(), ids, kPayloadBytes, 32'768);
    const auto each_six = static_cast<std::int64_t>(ids.size()) * 6;
    const std::int64_t entries = std::max<std::int64_t>(Scaled(options, 65'536, 500), each_six);
    LS_TRY(load.Run(entries));
    LS_TRY(load.Run(static_cast<std::int64_t>(ids.size())));
    LS_ASSIGN(const CompactionTotals totals, world.Compact(ids));
    LS_ASSIGN(const std::int64_t checked, CheckByReading(world.reader(), load));
    report->Checked(checked);
    const double gets = static_cast<double>(totals.gets) / static_cast<double>(totals.objects_read);
    report->AtMost("GETs of a WAL object, logs: " + std::to_string(logs), gets, 2, "");
    LS_TRY(world.Stop());
  }
  return OkStatus();
}

/// The memory that `lakestream compact` takes at most, all in all, for a log of some hundred MiB.
Status MeasureMemory(const BenchOptions& options, BenchReport* report) {
  LS_ASSIGN(const Folder folder, Folder::Make(options.directory, "compaction"));
  const std::int64_t logs = 4;
  {
    ThreadRuntime threads{ThreadRuntimeOptions()};
    LS_ASSIGN(const std::unique_ptr<Embedded> embedded, Embedded::Open(threads.runtime(), folder.path()));
    LS_ASSIGN(const StreamIdentifier id, StreamIdentifier::Parse("rows"));
    auto create = embedded->deployment().catalog().CreateStream(OpContext(), id, logs, {});
    LS_ASSIGN(const StreamMetadata stream, Wait(std::move(create)));
    AppendLoad load(embedded->deployment().writer(), stream.logs, kPayloadBytes, 32'768);
    LS_TRY(load.Run(Scaled(options, 786'432, 1000)));
    LS_TRY(embedded->Stop());
  }
  std::vector<std::string> arguments = {"compact", "--now", "--watch", "-q", "--deployment", folder.path()};
  LS_ASSIGN(const auto process, CommandProcess::Start(options.command, std::move(arguments), "/dev/null"));
  for (std::int64_t log = 0; log < logs; ++log) {
    LS_ASSIGN(const std::string line, process->ReadLine());
    if (line.find(": compacted ") == std::string::npos) return Corrupt("a log was not compacted").With("says", line);
  }
  LS_ASSIGN(const std::int64_t peak_bytes, process->PeakBytes());
  LS_TRY(process->Terminate());
  const double peak = static_cast<double>(peak_bytes) / (1 << 20);
  report->AtMost("lakestream compact, 4 logs of 192 MiB: peak memory", peak, 256, "MiB");
  return OkStatus();
}

}  // namespace

Status RunCompaction(const BenchOptions& options, BenchReport* report) {
  for (const Compression compression : {Compression::kZstd, Compression::kNone}) {
    LS_TRY(MeasureSpeed(options, compression, report));
  }
  LS_TRY(MeasureGets(options, report));
  LS_TRY(CheckStopped(options));
  LS_TRY(MeasureMemory(options, report));
  report->Note("speed: 256 MiB of rows of 1 KiB, 60 % of each random, from WAL objects to Parquet files and companions, all");
  report->Note("in memory; Arrow alone writes the same rows into files of 64 MiB with pages of 64 KiB and no dictionary; the");
  report->Note("stores' share is what the same GETs and PUTs take by themselves: a copy and a checksum of each object");
  return OkStatus();
}

}  // namespace lakestream::bench
