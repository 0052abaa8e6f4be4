#include "bench/companion.h"

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "base/try.h"
#include "bench/rounds.h"
#include "codec/compression/compression.h"
#include "format/companion_decoder.h"
#include "format/companion_writer.h"

namespace lakestream::bench {
namespace {

constexpr std::uint64_t kMaxPlain = std::uint64_t{64} << 20;

/// Entries of one log as it gets them: sections of a few entries that share their time, sizes about 1 KiB.
std::vector<LogEntryHeader> MakeHeaders(std::int64_t rows) {
  std::vector<LogEntryHeader> headers;
  std::uint32_t state = 2013;
  const auto next = [&state](std::uint32_t below) { return (state = state * 1664525 + 1013904223) / 7 % below; };
  LogEntryHeader header;
  header.offset = Offset(1'000'000);
  header.timestamp_ms = 1'700'000'000'000;
  header.cumulative_size = 1'000'000'000;
  for (std::int64_t i = 0; i < rows; ++i) {
    header.number_of_records = 1 + static_cast<std::int32_t>(next(20));
    header.entry_size = 500 + static_cast<std::int32_t>(next(1000));
    header.cumulative_size += header.entry_size;
    if (next(4) == 0) header.timestamp_ms += next(500);
    headers.push_back(header);
    header.offset = header.end();
  }
  return headers;
}

class CompanionBench {
 public:
  CompanionBench(const BenchOptions& options, BenchReport* report, Runtime& runtime)
      : options_(options), report_(report), runtime_(runtime), headers_(MakeHeaders(Scaled(options, 32'768, 1000))) {}

  Status Run() {
    LS_TRY(Write());
    LS_ASSIGN(plain_, Decompress(Compression::kGzip, AsBytes(packed_), kMaxPlain));
    const auto timed = [this](auto step) -> Side {
      return [this, step]() -> Result<double> {
        const MonotonicTime before = runtime_.Now();
        LS_TRY(step());
        return 1e3 * std::chrono::duration<double>(runtime_.Now() - before).count();
      };
    };
    const Side write = timed([this] { return Write(); });
    const Side read = timed([this] { return Read(); });
    const Side gzip = timed([this] {
      scratch_.clear();
      return Compress(Compression::kGzip, plain_.span(), &scratch_);
    });
    const Side gunzip = timed([this] { return Decompress(Compression::kGzip, AsBytes(packed_), kMaxPlain).status(); });
    LS_ASSIGN(const Compared writing, Compare(options_, write, gzip));
    if (options_.damage) packed_[packed_.size() / 2] ^= 1;
    LS_ASSIGN(const Compared reading, Compare(options_, read, gunzip));
    for (std::size_t i = 0; i < headers_.size(); ++i) {
      if (companion_.rows() <= i || companion_.HeaderOf(i) != headers_[i]) return Corrupt("a companion lost a row");
    }
    report_->Checked(static_cast<std::int64_t>(headers_.size()));
    const std::string rows = std::to_string(headers_.size()) + " rows";
    report_->Add("companion of " + rows + ", write", writing.ours, "ms");
    report_->Add("companion of " + rows + ", gzip alone", writing.peer, "ms");
    report_->Add("companion of " + rows + ", read", reading.ours, "ms");
    report_->Add("companion of " + rows + ", gunzip alone", reading.peer, "ms");
    const auto each = [this](std::size_t bytes) { return static_cast<double>(bytes) / static_cast<double>(headers_.size()); };
    report_->Add("companion, memory of a row", each(companion_.MemoryBytes()), "B");
    report_->Add("companion, stored bytes of a row", each(packed_.size()), "B");
    return OkStatus();
  }

 private:
  Status Write() {
    CompanionWriter writer;
    for (const LogEntryHeader& header : headers_) LS_TRY(writer.Add(header));
    LS_TRY(writer.Finish());
    packed_ = writer.Take();
    return OkStatus();
  }

  Status Read() {
    LS_ASSIGN(companion_, DecodeCompanion(AsBytes(packed_), "bench", headers_.size()));
    return OkStatus();
  }

  const BenchOptions& options_;
  BenchReport* const report_;
  Runtime& runtime_;
  const std::vector<LogEntryHeader> headers_;
  std::string packed_;
  Buffer plain_;
  std::string scratch_;
  Companion companion_;
};

}  // namespace

Status BenchCompanion(const BenchOptions& options, BenchReport* report, Runtime& runtime) {
  CompanionBench bench(options, report, runtime);
  return bench.Run();
}

}  // namespace lakestream::bench
