#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "base/try.h"
#include "bench/benchmark.h"
#include "bench/companion.h"
#include "bench/payloads.h"
#include "bench/rounds.h"
#include "codec/fastpfor.h"
#include "format/wal_object.h"
#include "runtime/thread_runtime.h"

namespace lakestream::bench {
namespace {

constexpr std::size_t kPayloadBytes = 1024;
constexpr std::int64_t kLogs = 100;

double Seconds(Duration d) { return std::chrono::duration<double>(d).count(); }

/// Entries of several logs, as a flush has them.
struct Flush {
  std::vector<LogId> logs;
  std::vector<std::vector<Buffer>> payloads;  ///< by log

  explicit Flush(std::int64_t entries) {
    PayloadSource source(kPayloadBytes);
    for (std::int64_t log = 0; log < kLogs; ++log) {
      logs.push_back(LogId(log));
      payloads.emplace_back();
      for (std::int64_t i = 0; i < entries / kLogs; ++i) payloads.back().push_back(source.Make(LogId(log), i));
    }
  }

  /// One WAL object in one piece.
  Result<Buffer> Encode() const {
    std::vector<WalSection> sections;
    BufferChain region;
    for (std::size_t log = 0; log < logs.size(); ++log) {
      WalSection& section = sections.emplace_back();
      section.log = logs[log];
      section.entries.reserve(payloads[log].size());
      for (const Buffer& payload : payloads[log]) {
        WalEntry entry;
        entry.payload_offset = static_cast<std::int32_t>(region.size());
        entry.payload_size = static_cast<std::int32_t>(payload.size());
        entry.record_count = 1;
        section.entries.push_back(entry);
        region.Append(payload);
      }
    }
    LS_ASSIGN(Buffer header, EncodeWalHeader(sections));
    BufferChain object(std::move(header));
    for (const Buffer& part : region.parts()) object.Append(part);
    return object.Flatten();
  }
};

/// The entries of an object, each a slice of it.
Result<std::vector<Buffer>> Decode(const Buffer& object) {
  LS_ASSIGN(const WalHeader header, DecodeWalHeader(object.span(), object.size(), "bench"));
  std::vector<Buffer> entries;
  for (const WalSection& section : header.index.sections) {
    for (const WalEntry& entry : section.entries) {
      const std::size_t at = header.header_size + static_cast<std::size_t>(entry.payload_offset);
      entries.push_back(object.Slice(at, static_cast<std::size_t>(entry.payload_size)));
    }
  }
  return entries;
}

Status CheckDecoded(const Flush& flush, const std::vector<Buffer>& entries, BenchReport* report) {
  std::size_t at = 0;
  for (const LogId log : flush.logs) {
    PayloadChain found;
    PayloadChain expected;
    for (std::size_t i = 0; i < flush.payloads[static_cast<std::size_t>(log.value())].size(); ++i, ++at) {
      if (at == entries.size()) return Corrupt("an object holds fewer entries than were encoded");
      found.Add(entries[at].span());
      expected.AddExpected(log, static_cast<std::int64_t>(i), kPayloadBytes);
    }
    if (found.value() != expected.value()) {
      return Corrupt("a log's entries are not what was encoded").With("log", log.value());
    }
  }
  if (at != entries.size()) return Corrupt("an object holds more entries than were encoded");
  report->Checked(static_cast<std::int64_t>(at));
  return OkStatus();
}

class WalBench {
 public:
  WalBench(const BenchOptions& options, BenchReport* report, Runtime& runtime)
      : options_(options),
        report_(report),
        runtime_(runtime),
        entries_(Scaled(options, 100'000, 1000) / kLogs * kLogs),
        flush_(entries_) {}

  Status Run() {
    LS_ASSIGN(object_, flush_.Encode());
    const Side encode = [this]() -> Result<double> {
      const MonotonicTime before = runtime_.Now();
      LS_ASSIGN(Buffer object, flush_.Encode());
      const double rate = Rate(before);
      object_ = std::move(object);
      return rate;
    };
    const Side decode = [this]() -> Result<double> {
      const MonotonicTime before = runtime_.Now();
      LS_ASSIGN(std::vector<Buffer> decoded, Decode(object_));
      const double rate = Rate(before);
      decoded_ = std::move(decoded);
      return rate;
    };
    const Side copy = [this]() -> Result<double> { return CopyOnce(); };
    LS_ASSIGN(const Compared encoding, Compare(options_, encode, copy));
    if (options_.damage) Damage();
    LS_ASSIGN(const Compared decoding, Compare(options_, decode, copy));
    LS_TRY(CheckDecoded(flush_, decoded_, report_));
    report_->Add("memcpy of the same bytes to new memory", encoding.peer, "MiB/s");
    report_->Add("WAL encode, one object in one piece", encoding.ours, "MiB/s");
    report_->AtLeast("WAL encode / memcpy", encoding.ratio(), 0.5, "");
    report_->Add("WAL decode, a slice for each entry", decoding.ours, "MiB/s");
    report_->AtLeast("WAL decode / memcpy", decoding.ratio(), 0.5, "");
    report_->Note(std::to_string(entries_) + " entries of 1 KiB in " + std::to_string(kLogs) + " logs");
    return OkStatus();
  }

 private:
  double Rate(MonotonicTime before) const {
    const auto bytes = static_cast<double>(entries_) * kPayloadBytes;
    return bytes / (1 << 20) / Seconds(runtime_.Now() - before);
  }
  double CopyOnce() {
    const MonotonicTime before = runtime_.Now();
    const std::unique_ptr<std::uint8_t[]> copy(new std::uint8_t[object_.size()]);
    std::memcpy(copy.get(), object_.data(), object_.size());
    const double rate = Rate(before);
    copied_ = copy[object_.size() / 2];
    return rate;
  }
  void Damage() {
    std::string bytes(object_.text());
    bytes.back() = static_cast<char>(bytes.back() ^ 1);
    object_ = Buffer(std::move(bytes));
  }

  const BenchOptions& options_;
  BenchReport* const report_;
  Runtime& runtime_;
  const std::int64_t entries_;
  const Flush flush_;
  Buffer object_;
  std::vector<Buffer> decoded_;
  volatile std::uint8_t copied_ = 0;  ///< so that the copy is made
};

/// Entry ends of one index record: each entry has 1 to `most` records.
std::vector<std::int32_t> EntryEnds(std::int64_t count, std::int32_t most) {
  std::vector<std::int32_t> ends;
  std::uint32_t state = 12345;
  std::int32_t end = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    state = state * 1664525 + 1013904223;
    end += 1 + static_cast<std::int32_t>((state >> 8) % static_cast<std::uint32_t>(most));
    ends.push_back(end);
  }
  return ends;
}

Status FastPfor(const BenchOptions& options, BenchReport* report, Runtime& runtime, std::int32_t most) {
  constexpr std::int64_t kPerList = 8192;  // the entries of an 8 MiB object
  const std::vector<std::int32_t> values = EntryEnds(kPerList, most);
  const std::int64_t lists = Scaled(options, 2000, 2);
  std::vector<std::uint32_t> words = FastPforEncode(values);
  std::vector<std::int32_t> decoded;
  const auto rate = [&](MonotonicTime before) {
    return static_cast<double>(lists * kPerList) / Seconds(runtime.Now() - before) / 1e6;
  };
  const Side encode = [&]() -> Result<double> {
    const MonotonicTime before = runtime.Now();
    for (std::int64_t i = 0; i < lists; ++i) words = FastPforEncode(values);
    return rate(before);
  };
  const Side decode = [&]() -> Result<double> {
    const MonotonicTime before = runtime.Now();
    for (std::int64_t i = 0; i < lists; ++i) {
      LS_ASSIGN(decoded, FastPforDecode(words, kPerList));
    }
    return rate(before);
  };
  LS_ASSIGN(const Compared both, Compare(options, encode, decode));
  if (options.damage) words.back() ^= 1;
  LS_ASSIGN(decoded, FastPforDecode(words, kPerList));
  if (decoded != values) return Corrupt("FastPFOR words do not give back what was encoded");
  report->Checked(kPerList);
  const std::string shape = most == 1 ? "1 record an entry" : "1 to " + std::to_string(most) + " records an entry";
  report->AtLeast("FastPFOR encode, " + shape, both.ours, 200, "M ints/s");
  report->AtLeast("FastPFOR decode, " + shape, both.peer, 200, "M ints/s");
  return OkStatus();
}

}  // namespace

Status RunCodec(const BenchOptions& options, BenchReport* report) {
  ThreadRuntime threads{ThreadRuntimeOptions()};
  LS_TRY(FastPfor(options, report, threads.runtime(), 1));
  LS_TRY(FastPfor(options, report, threads.runtime(), 100));
  LS_TRY(BenchCompanion(options, report, threads.runtime()));
  WalBench wal(options, report, threads.runtime());
  return wal.Run();
}

}  // namespace lakestream::bench
