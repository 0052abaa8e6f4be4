#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/try.h"
#include "bench/benchmark.h"
#include "bench/rounds.h"
#include "codec/crc32c.h"
#include "kafka/records/batch_builder.h"
#include "kafka/records/entry_payload.h"
#include "runtime/thread_runtime.h"

namespace lakestream::bench {
namespace {

constexpr int kRowsPerBatch = 1000;
constexpr std::int64_t kTime = 1'700'000'000'000;

double Seconds(Duration d) { return std::chrono::duration<double>(d).count(); }

/// Rows like those of a table of flights: numbers, codes and dates, some 90 bytes each, that compress as such data does.
std::vector<std::string> MakeRows(std::int64_t count) {
  constexpr const char* kCarriers[] = {"UA", "AA", "B6", "DL", "EV", "MQ", "US", "WN"};
  constexpr const char* kAirports[] = {"EWR", "IAH", "LGA", "MIA", "JFK", "BQN", "ATL", "ORD", "FLL", "IAD", "LAX", "SFO"};
  std::vector<std::string> rows;
  std::uint32_t state = 2013;
  const auto next = [&state](std::uint32_t below) { return (state = state * 1664525 + 1013904223) / 7 % below; };
  const auto number = [&next](std::uint32_t below) { return std::to_string(next(below)); };
  for (std::int64_t i = 0; i < count; ++i) {
    std::string row = "2013," + std::to_string(1 + i * 12 / count) + ',' + number(28) + ',' + number(2400) + ',' + number(60);
    row += ',' + number(2400) + ',' + number(90) + ',' + kCarriers[next(8)] + ',' + number(6000) + ",N" + number(99999);
    row += std::string(",") + kAirports[next(12)] + ',' + kAirports[next(12)] + ',' + number(400) + ',' + number(2500);
    row += "," + number(24) + ',' + number(60) + ",2013-01-01T" + number(24) + ":00:00Z";
    rows.push_back(std::move(row));
  }
  return rows;
}

class BatchBench {
 public:
  BatchBench(const BenchOptions& options, BenchReport* report, Runtime& runtime)
      : options_(options), report_(report), runtime_(runtime), rows_(MakeRows(Scaled(options, 50'000, 2000))) {
    for (const std::string& row : rows_) {
      bytes_ += row.size();
      expected_ = Crc32c(AsBytes(row), expected_);
    }
  }

  Status Run() {
    for (int codec = 0; codec < kCompressions; ++codec) LS_TRY(RunCodec(static_cast<Compression>(codec)));
    report_->Note(std::to_string(rows_.size()) + " rows of " + std::to_string(bytes_ / rows_.size()) + " bytes, " +
                  std::to_string(kRowsPerBatch) + " in a batch; MiB/s are those of the rows");
    return OkStatus();
  }

 private:
  Status RunCodec(Compression codec) {
    LS_ASSIGN(batches_, Build(codec));
    LS_TRY(CutRecords(codec));
    const Side build = [this, codec]() -> Result<double> {
      const MonotonicTime before = runtime_.Now();
      LS_ASSIGN(std::vector<Buffer> built, Build(codec));
      const double rate = Rate(before);
      batches_ = std::move(built);
      return rate;
    };
    const Side compress = [this, codec]() -> Result<double> { return CompressAlone(codec); };
    LS_ASSIGN(const Compared building, Compare(options_, build, compress));
    if (options_.damage) Damage();
    const Side parse = [this]() -> Result<double> { return Parse(); };
    const Side decompress = [this, codec]() -> Result<double> { return DecompressAlone(codec); };
    LS_ASSIGN(const Compared parsing, Compare(options_, parse, decompress));
    const std::string name(CompressionName(codec));
    const bool plain = codec == Compression::kNone;
    const std::string peer = plain ? "memcpy" : "the codec alone";
    // Snappy and LZ4 are nearly as fast as the records themselves are built.
    const bool slow = codec == Compression::kGzip || codec == Compression::kZstd;
    Report(name + ", build", building, peer, slow ? 0.7 : 0);
    Report(name + ", check and walk", parsing, peer, slow ? 0.5 : 0);
    std::size_t stored = 0;
    for (const Buffer& batch : batches_) stored += batch.size();
    report_->Add(name + ", stored bytes / bytes of the rows", static_cast<double>(stored) / static_cast<double>(bytes_), "");
    return OkStatus();
  }

  /// `budget` 0: there is none.
  void Report(const std::string& what, const Compared& compared, const std::string& peer, double budget) {
    const double row_bytes = static_cast<double>(bytes_) / static_cast<double>(rows_.size());
    report_->Add(what, compared.ours, "MiB/s");
    report_->Add(what + ", records", compared.ours * (1 << 20) / row_bytes / 1e6, "M/s");
    if (budget > 0) {
      report_->AtLeast(what + " / " + peer, compared.ratio(), budget, "");
    } else {
      report_->Add(what + " / " + peer, compared.ratio(), "");
    }
  }

  Result<std::vector<Buffer>> Build(Compression codec) const {
    std::vector<Buffer> batches;
    kafka::BatchBuilder builder(codec);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      LS_TRY(builder.Append(kTime + static_cast<std::int64_t>(i), std::nullopt, rows_[i]));
      if (builder.record_count() < kRowsPerBatch && i + 1 < rows_.size()) continue;
      LS_ASSIGN(Buffer batch, builder.Finish());
      batches.push_back(std::move(batch));
    }
    return batches;
  }

  /// Every record, from the checksum of its batch down to its last field, and the rows compared with what they must be.
  Result<double> Parse() {
    const MonotonicTime before = runtime_.Now();
    std::uint32_t found = 0;
    std::int64_t offset = 0;
    kafka::Record record;
    for (const Buffer& batch : batches_) {
      kafka::PayloadReader reader(batch.span(), offset, offset, kafka::BatchSource());
      while (true) {
        LS_ASSIGN(const bool more, reader.Next(&record));
        if (!more) break;
        found = Crc32c(AsBytes(record.value.value_or("")), found);
      }
      offset = reader.next_offset();
    }
    const double rate = Rate(before);
    if (found != expected_ || offset != static_cast<std::int64_t>(rows_.size())) {
      return Corrupt("the records are not the rows that were built").With("records", offset);
    }
    report_->Checked(offset);
    return rate;
  }

  /// What the codec gets of each batch, for the peer.
  Status CutRecords(Compression codec) {
    records_.clear();
    compressed_.clear();
    LS_ASSIGN(const std::vector<Buffer> plain, Build(Compression::kNone));
    for (const Buffer& batch : plain) {
      records_.push_back(batch.Slice(kafka::kBatchHeaderBytes, batch.size() - kafka::kBatchHeaderBytes));
      std::string small;
      LS_TRY(Compress(codec, records_.back().span(), &small));
      compressed_.push_back(Buffer(std::move(small)));
    }
    return OkStatus();
  }
  Result<double> CompressAlone(Compression codec) {
    const MonotonicTime before = runtime_.Now();
    std::vector<std::string> made;
    for (const Buffer& records : records_) LS_TRY(Compress(codec, records.span(), &made.emplace_back()));
    return Rate(before);
  }
  Result<double> DecompressAlone(Compression codec) {
    const MonotonicTime before = runtime_.Now();
    std::size_t bytes = 0;
    for (const Buffer& small : compressed_) {
      LS_ASSIGN(const Buffer records, Decompress(codec, small.span(), std::uint64_t{64} << 20));
      bytes += records.size();
    }
    const double rate = Rate(before);
    if (bytes < bytes_) return Corrupt("the codec gave fewer bytes than it got");
    return rate;
  }

  double Rate(MonotonicTime before) const {
    return static_cast<double>(bytes_) / (1 << 20) / Seconds(runtime_.Now() - before);
  }
  void Damage() {
    std::string bytes(batches_.back().text());
    bytes.back() = static_cast<char>(bytes.back() ^ 1);
    batches_.back() = Buffer(std::move(bytes));
  }

  const BenchOptions& options_;
  BenchReport* const report_;
  Runtime& runtime_;
  const std::vector<std::string> rows_;
  std::size_t bytes_ = 0;
  std::uint32_t expected_ = 0;  // a checksum over all rows in their order
  std::vector<Buffer> batches_;
  std::vector<Buffer> records_;
  std::vector<Buffer> compressed_;
};

}  // namespace

Status RunBatches(const BenchOptions& options, BenchReport* report) {
  ThreadRuntime threads{ThreadRuntimeOptions()};
  BatchBench bench(options, report, threads.runtime());
  return bench.Run();
}

}  // namespace lakestream::bench
