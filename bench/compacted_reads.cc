#include <algorithm>
#include <chrono>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "base/try.h"
#include "bench/benchmark.h"
#include "bench/engine.h"
#include "bench/folder.h"
#include "bench/payloads.h"
#include "bench/rounds.h"
#include "format/companion_writer.h"
#include "format/entry_index.h"
#include "format/index_key.h"
#include "format/wal_object.h"
#include "log/plain_log_homes.h"
#include "log/reader/log_reader.h"
#include "meta/memory/memory_metadata_store.h"
#include "objstore/wrap/metrics_object_store.h"
#include "parquet/writer/parquet_writer.h"
#include "runtime/thread_runtime.h"
#include "runtime/wait.h"

namespace lakestream::bench {
namespace {

constexpr std::int64_t kPayloadBytes = 1024;
constexpr std::int64_t kObjectEntries = 4096;
constexpr std::int64_t kFileRows = 32'768;
constexpr std::int64_t kFirstMs = 1'700'000'000'000;  ///< of entry 0; each one is a millisecond later
const LogId kRaw(1);
const LogId kCompacted(2);
const LogId kRowsAlone(3);  ///< a log of companions without files, for the time seek

/// Where the logs lie.
class Logs {
 public:
  static Result<std::unique_ptr<Logs>> Open(Runtime& runtime, const std::string& directory) {
    auto logs = std::make_unique<Logs>(runtime);
    LS_ASSIGN(logs->wal_, OpenLocal(runtime, directory + "/wal"));
    LS_ASSIGN(logs->compacted_, OpenLocal(runtime, directory + "/compacted"));
    logs->counted_ = std::make_unique<MetricsObjectStore>(runtime, *logs->compacted_);
    return logs;
  }
  explicit Logs(Runtime& runtime) : runtime_(runtime), meta_(runtime) {}

  std::unique_ptr<LogReader> NewReader(ReaderOptions options = ReaderOptions()) {
    return std::make_unique<LogReader>(runtime_, meta_, *wal_, *counted_, homes_, options);
  }
  const MetricsObjectStore& counted() const { return *counted_; }

  /// Entries [0, count) of a log as RAW records.
  Status WriteRaw(LogId log, std::int64_t count) {
    for (std::int64_t first = 0; first < count; first += kObjectEntries) {
      WalSection section;
      section.log = log;
      std::string region;
      for (std::int64_t i = first; i < std::min(count, first + kObjectEntries); ++i) {
        section.entries.push_back(WalEntry{static_cast<std::int32_t>(region.size()), kPayloadBytes, 1});
        region += std::string(Payload(i).text());
      }
      const std::string name = "o" + std::to_string(first);
      LS_ASSIGN(const EntryIndex index, MakeRawEntryIndex(section, name, static_cast<std::int64_t>(region.size()), true));
      LS_ASSIGN(const Buffer header, EncodeWalHeader(std::vector<WalSection>(1, section)));
      BufferChain chain(header);
      chain.Append(Buffer(std::move(region)));
      LS_TRY(Wait(wal_->Put(OpContext(), name, std::move(chain), PutMode::kCreate)));
      LS_TRY(Publish(log, index));
    }
    return OkStatus();
  }

  /// Entries [0, count) of a log as one PARQUET record; without `payloads` its companions alone.
  Status WriteCompacted(LogId log, std::int64_t count, bool payloads) {
    FileIndex files;
    for (std::int64_t first = 0; first < count; first += kFileRows) {
      const std::int64_t end = std::min(count, first + kFileRows);
      const std::string name = "lks-" + std::to_string(first) + ".parquet";
      files.files.push_back(CompactedFile{Offset(end - 1), name});
      const std::string folder = PlainLogHomes::Of(log).directory + "/";
      LS_TRY(WriteCompanion(folder + CompanionNameOf(name), first, end));
      if (payloads) LS_TRY(WriteFile(folder + name, first, end));
    }
    LS_ASSIGN(const EntryIndex index, MakeParquetEntryIndex(files, count, count * kPayloadBytes));
    return Publish(log, index);
  }

  /// Payloads [0, count) one after another in a plain file.
  static Status WritePlain(const std::string& path, std::int64_t count) {
    std::ofstream file(path, std::ios::binary);
    for (std::int64_t i = 0; i < count; ++i) file << Payload(i).text();
    file.close();
    return file ? OkStatus() : Unavailable("a plain file cannot be written").With("file", path);
  }

  /// The same bytes for all logs, so that what is read can be compared; one half of each can be compressed.
  static Buffer Payload(std::int64_t number) {
    std::string bytes(kPayloadBytes, 'x');
    FillPayload(kRaw, number, std::span(reinterpret_cast<std::uint8_t*>(bytes.data()), bytes.size() / 2));
    return Buffer(std::move(bytes));
  }

 private:
  Status Publish(LogId log, const EntryIndex& index) {
    std::vector<SequencedPutRequest> requests;
    requests.push_back({Partition::OfLog(log), IndexKeyPrefix(log), index.message_count, index.entry_size_bytes,
                        Buffer(EncodeEntryIndex(index)), WriteGuard(), nullptr});
    return Wait(meta_.SequencedPut(OpContext(), std::move(requests))).front().status();
  }

  Status WriteCompanion(const std::string& key, std::int64_t first, std::int64_t end) {
    CompanionWriter writer;
    for (std::int64_t i = first; i < end; ++i) {
      LS_TRY(writer.Add(LogEntryHeader{Offset(i), 1, kFirstMs + i, kPayloadBytes, (i + 1) * kPayloadBytes}));
    }
    LS_TRY(writer.Finish());
    BufferChain chain{Buffer(writer.Take())};
    return Wait(compacted_->Put(OpContext(), key, std::move(chain), PutMode::kCreate));
  }

  Status WriteFile(const std::string& key, std::int64_t first, std::int64_t end) {
    const LogHome home = PlainLogHomes::Of(kCompacted);
    ParquetWriterOptions options;
    options.record_name = home.record_name;
    options.entry_serde_type = home.entry_serde_type;
    options.row_metadata = "companion.index";
    LS_ASSIGN(const std::unique_ptr<ParquetWriter> writer, ParquetWriter::Open(options));
    for (std::int64_t i = first; i < end; ++i) LS_TRY(writer->Add(Payload(i).span()));
    LS_TRY(writer->Finish());
    BufferChain chain(writer->TakeOutput());
    return Wait(compacted_->Put(OpContext(), key, std::move(chain), PutMode::kCreate));
  }

  Runtime& runtime_;
  MemoryMetadataStore meta_;
  std::unique_ptr<LocalObjectStore> wal_;
  std::unique_ptr<LocalObjectStore> compacted_;
  std::unique_ptr<MetricsObjectStore> counted_;
  PlainLogHomes homes_;
};

/// What a reader knows when it is asked for an entry.
enum class Known { kNothing, kCompanion, kAllButPages };

struct Costs {
  std::vector<double> ms;
  double most_calls = 0;
  double most_bytes = 0;
};

class CompactedReads {
 public:
  CompactedReads(Runtime& runtime, Logs& logs, const BenchOptions& options, BenchReport* report)
      : runtime_(runtime), logs_(logs), options_(options), report_(report) {}

  /// Entries drawn from all: each by a new reader, or all by one.
  Result<Costs> ReadRandom(std::int64_t entries, std::int64_t reads, Known known) {
    Costs costs;
    std::unique_ptr<LogReader> reader = logs_.NewReader();
    if (known == Known::kAllButPages) {
      for (std::int64_t at = 0; at < entries; at += kFileRows) LS_TRY(ReadOne(*reader, at));
    }
    std::uint64_t state = 2013;
    for (std::int64_t i = 0; i < reads; ++i) {
      if (i % 64 == 0) LS_TRY(CheckStopped(options_));
      state = state * 6364136223846793005u + 1442695040888963407u;
      const auto at = static_cast<std::int64_t>((state >> 33) % static_cast<std::uint64_t>(entries));
      if (known != Known::kAllButPages) reader = logs_.NewReader();
      if (known == Known::kCompanion) {
        LS_TRY(Wait(reader->FindTime(OpContext(), kCompacted, kFirstMs + at)).status());
      }
      const ObjectStoreMetrics before = logs_.counted().Snapshot();
      const MonotonicTime began = runtime_.Now();
      LS_TRY(ReadOne(*reader, at));
      costs.ms.push_back(1e3 * std::chrono::duration<double>(runtime_.Now() - began).count());
      const ObjectStoreMetrics after = logs_.counted().Snapshot();
      const auto gets = after.of(ObjectOp::kGet).calls() - before.of(ObjectOp::kGet).calls();
      const auto heads = after.of(ObjectOp::kHead).calls() - before.of(ObjectOp::kHead).calls();
      const auto bytes = after.of(ObjectOp::kGet).bytes - before.of(ObjectOp::kGet).bytes;
      costs.most_calls = std::max(costs.most_calls, static_cast<double>(gets + heads));
      costs.most_bytes = std::max(costs.most_bytes, static_cast<double>(bytes));
    }
    return costs;
  }

  /// MiB a second of a log read from its start by a reader that knows nothing.
  Result<double> ReadAll(LogId log, std::int64_t entries) {
    LS_TRY(CheckStopped(options_));
    const std::unique_ptr<LogReader> reader = logs_.NewReader();
    const MonotonicTime began = runtime_.Now();
    std::int64_t number = 0;
    while (number < entries) {
      LS_ASSIGN(const LogRead read, Wait(reader->Read(OpContext(), log, Offset(number), ReadBounds())));
      if (read.entries.empty()) return Corrupt("a log ends too early").With("offset", number);
      for (const LogEntry& entry : read.entries) LS_TRY(Check(entry, number++));
    }
    const double seconds = std::chrono::duration<double>(runtime_.Now() - began).count();
    report_->Checked(number);
    return static_cast<double>(entries * kPayloadBytes) / (1 << 20) / seconds;
  }

  /// MiB a second of the plain file, each payload compared as those of a log are.
  Result<double> ReadPlain(const std::string& path, std::int64_t entries) {
    LS_TRY(CheckStopped(options_));
    const MonotonicTime began = runtime_.Now();
    std::ifstream file(path, std::ios::binary);
    std::string payload(kPayloadBytes, '\0');
    for (std::int64_t number = 0; number < entries; ++number) {
      file.read(payload.data(), kPayloadBytes);
      if (!file || payload != Logs::Payload(number).text()) return Corrupt("a plain file is not what was written");
    }
    const double seconds = std::chrono::duration<double>(runtime_.Now() - began).count();
    report_->Checked(entries);
    return static_cast<double>(entries * kPayloadBytes) / (1 << 20) / seconds;
  }

  Result<std::vector<double>> SeekTimes(std::int64_t entries, std::int64_t seeks, bool cold) {
    std::vector<double> ms;
    std::unique_ptr<LogReader> reader = logs_.NewReader();
    std::uint64_t state = 7;
    for (std::int64_t i = 0; i < seeks; ++i) {
      LS_TRY(CheckStopped(options_));
      state = state * 6364136223846793005u + 1442695040888963407u;
      const auto at = static_cast<std::int64_t>((state >> 33) % static_cast<std::uint64_t>(entries));
      if (cold) reader = logs_.NewReader();
      const MonotonicTime began = runtime_.Now();
      LS_ASSIGN(const Offset found, Wait(reader->FindTime(OpContext(), kRowsAlone, kFirstMs + at)));
      ms.push_back(1e3 * std::chrono::duration<double>(runtime_.Now() - began).count());
      if (found != Offset(at)) return Corrupt("a time was found elsewhere").With("offset", found.value());
      report_->Checked(1);
    }
    return ms;
  }

 private:
  Status Check(const LogEntry& entry, std::int64_t number) const {
    const Buffer expected = Logs::Payload(number);
    const bool lost = options_.damage && number == 1;
    if (entry.header.offset == Offset(number) && entry.payload == expected && !lost) return OkStatus();
    return Corrupt("an entry is not what was written").With("offset", number);
  }

  Status ReadOne(LogReader& reader, std::int64_t at) {
    LS_ASSIGN(const LogRead read, Wait(reader.Read(OpContext(), kCompacted, Offset(at), ReadBounds{1, 1})));
    if (read.entries.size() != 1) return Corrupt("not one entry").With("offset", at);
    report_->Checked(1);
    return Check(read.entries[0], at);
  }

  Runtime& runtime_;
  Logs& logs_;
  const BenchOptions& options_;
  BenchReport* const report_;
};

}  // namespace

Status RunCompactedReads(const BenchOptions& options, BenchReport* report) {
  const std::int64_t entries = Scaled(options, 131'072, 2048);
  const std::int64_t rows = Scaled(options, 1'000'000, 2048);
  const std::int64_t draws = Scaled(options, 1000, 20);
  LS_ASSIGN(const Folder folder, Folder::Make(options.directory, "compacted-reads"));
  ThreadRuntime threads{ThreadRuntimeOptions()};
  LS_ASSIGN(const std::unique_ptr<Logs> logs, Logs::Open(threads.runtime(), folder.path()));
  LS_TRY(logs->WriteRaw(kRaw, entries));
  LS_TRY(logs->WriteCompacted(kCompacted, entries, true));
  LS_TRY(logs->WriteCompacted(kRowsAlone, rows, false));
  CompactedReads reads(threads.runtime(), *logs, options, report);

  const auto add = [&](const std::string& what, const std::vector<double>& ms) {
    report->Add(what + ", p50", QuantileOf(ms, 0.5), "ms");
    report->Add(what + ", p99", QuantileOf(ms, 0.99), "ms");
  };
  const std::int64_t few = std::max<std::int64_t>(draws / 10, 20);
  LS_ASSIGN(const Costs cold, reads.ReadRandom(entries, few, Known::kNothing));
  add("one entry, nothing known", cold.ms);
  LS_ASSIGN(const Costs beyond, reads.ReadRandom(entries, few, Known::kCompanion));
  add("one entry, its companion known", beyond.ms);
  report->AtMost("one entry, its companion known: calls", beyond.most_calls, 4, "");
  report->AtMost("one entry, its companion known: bytes", beyond.most_bytes / 1024, 128, "KiB");
  LS_ASSIGN(const Costs warm, reads.ReadRandom(entries, draws, Known::kAllButPages));
  add("one entry, warm", warm.ms);
  report->AtMost("one entry, warm: calls", warm.most_calls, 1, "");
  report->AtMost("one entry, warm: bytes", warm.most_bytes / 1024, 128, "KiB");

  const Side ours = [&] { return reads.ReadAll(kCompacted, entries); };
  const Side peer = [&] { return reads.ReadAll(kRaw, entries); };
  const std::string plain_file = folder.path() + "/plain";
  LS_TRY(Logs::WritePlain(plain_file, entries));
  const Side plain = [&] { return reads.ReadPlain(plain_file, entries); };
  LS_ASSIGN(const Compared compared, Compare(options, ours, peer));
  LS_ASSIGN(const Compared beside_plain, Compare(options, ours, plain));
  report->Add("compacted log read from its start, checked", compared.ours, "MiB/s");
  report->Add("the same entries as RAW records", compared.peer, "MiB/s");
  report->Add("compacted / RAW", compared.ratio(), "");
  report->Add("the same payloads in a plain file, compared", beside_plain.peer, "MiB/s");
  report->Add("compacted / plain file", beside_plain.ratio(), "");

  LS_ASSIGN(const std::vector<double> seek_cold, reads.SeekTimes(rows, std::max<std::int64_t>(draws / 50, 5), true));
  add("time among " + std::to_string(rows) + " entries, nothing known", seek_cold);
  LS_ASSIGN(const std::vector<double> seek_warm, reads.SeekTimes(rows, draws, false));
  add("time among " + std::to_string(rows) + " entries, warm", seek_warm);
  report->Note(std::to_string(entries) + " entries of 1 KiB, half of which can be compressed; files of 32 768 rows in a "
               "directory, in the page cache; metadata in memory");
  return OkStatus();
}

}  // namespace lakestream::bench
