#include <fcntl.h>

#include <cerrno>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/try.h"
#include "bench/append_load.h"
#include "bench/benchmark.h"
#include "bench/engine.h"
#include "bench/folder.h"
#include "bench/rounds.h"
#include "codec/crc32c.h"
#include "runtime/posix/posix.h"
#include "runtime/thread_runtime.h"
#include "runtime/wait.h"

namespace lakestream::bench {
namespace {

constexpr std::size_t kPayloadBytes = 1024;
constexpr std::size_t kPeerPiece = std::size_t{1} << 20;
constexpr std::size_t kPage = 4096;
const LogId kLog(1000);

double Seconds(Duration d) { return std::chrono::duration<double>(d).count(); }

/// Writes the log; the deployment is gone afterwards, with all that it had in memory.
Status WriteLog(const std::string& directory, std::int64_t entries) {
  ThreadRuntime threads{ThreadRuntimeOptions()};
  LS_ASSIGN(const std::unique_ptr<Embedded> embedded, Embedded::Open(threads.runtime(), directory));
  AppendLoad load(embedded->deployment().writer(), std::vector<LogId>(1, kLog), kPayloadBytes, 32'768);
  LS_TRY(load.Run(entries));
  return embedded->Stop();
}

/// Lets the page cache forget the files.
Status DropCache(const std::vector<FoundFile>& files) {
  for (const FoundFile& file : files) {
    const UniqueFd fd = OpenAt(AT_FDCWD, file.path, O_RDONLY);
    const int error = fd.valid() ? ::posix_fadvise(fd.get(), 0, 0, POSIX_FADV_DONTNEED) : errno;
    if (error != 0) return ErrnoStatus(error, "the page cache keeps a file", file.path);
  }
  return OkStatus();
}

class CatchUp {
 public:
  CatchUp(Runtime& runtime, std::string directory, std::int64_t entries)
      : runtime_(runtime),
        directory_(std::move(directory)),
        entries_(entries),
        files_(FilesBelow(directory_ + "/wal")),
        piece_memory_(kPeerPiece + kPage) {
    piece_ = piece_memory_.data() + (kPage - reinterpret_cast<std::uintptr_t>(piece_memory_.data()) % kPage);
    PayloadChain chain;
    for (std::int64_t i = 0; i < entries_; ++i) chain.AddExpected(kLog, i, kPayloadBytes);
    expected_ = chain.value();
  }

  const std::vector<FoundFile>& files() const { return files_; }
  std::int64_t checked() const { return checked_; }

  /// The whole log through a deployment that was just opened. A checksum runs over all entries in their order.
  Result<double> ReadLog(bool cold) {
    if (cold) LS_TRY(DropCache(files_));
    LS_ASSIGN(const std::unique_ptr<Embedded> embedded, Embedded::Open(runtime_, directory_));
    const MonotonicTime before = runtime_.Now();
    PayloadChain chain;
    std::int64_t number = 0;
    while (true) {
      LS_ASSIGN(const LogRead read,
                Wait(embedded->deployment().reader().Read(OpContext(), kLog, Offset(number), ReadBounds())));
      if (read.entries.empty()) break;
      for (const LogEntry& entry : read.entries) {
        if (entry.header.offset != Offset(number++)) return Corrupt("an entry is not in its place");
        chain.Add(entry.payload.span());
      }
    }
    const double seconds = Seconds(runtime_.Now() - before);
    if (number != entries_ || chain.value() != expected_) {
      return Corrupt("what was read is not what was appended").With("read", number).With("appended", entries_);
    }
    checked_ += number;
    LS_TRY(embedded->Stop());
    return Rate(seconds);
  }

  /// The same files from the first to the last, and a checksum over their bytes.
  Result<double> ReadFiles(bool cold) {
    if (cold) LS_TRY(DropCache(files_));
    const MonotonicTime before = runtime_.Now();
    std::uint32_t checksum = 0;
    for (const FoundFile& file : files_) {
      const UniqueFd fd = OpenAt(AT_FDCWD, file.path, O_RDONLY);
      if (!fd.valid()) return ErrnoStatus(errno, "the peer cannot open a file", file.path);
      while (true) {
        const ssize_t got = Uninterrupted([&] { return ::read(fd.get(), piece_, kPeerPiece); });
        if (got < 0) return ErrnoStatus(errno, "the peer cannot read a file", file.path);
        if (got == 0) break;
        checksum = Crc32c(ByteSpan(piece_, static_cast<std::size_t>(got)), checksum);
      }
    }
    const double rate = Rate(Seconds(runtime_.Now() - before));
    if (peer_checksum_ != 0 && peer_checksum_ != checksum) return Corrupt("the peer read two different things");
    peer_checksum_ = checksum;
    return rate;
  }

 private:
  double Rate(double seconds) const { return static_cast<double>(entries_) * kPayloadBytes / (1 << 20) / seconds; }

  Runtime& runtime_;
  const std::string directory_;
  const std::int64_t entries_;
  const std::vector<FoundFile> files_;
  std::vector<std::uint8_t> piece_memory_;
  std::uint8_t* piece_ = nullptr;  // begins at a page: elsewhere the processor may copy several times slower
  std::uint32_t expected_ = 0;
  std::uint32_t peer_checksum_ = 0;
  std::int64_t checked_ = 0;
};

}  // namespace

Status RunCatchUp(const BenchOptions& options, BenchReport* report) {
  const std::int64_t entries = Scaled(options, 393'216, 2000);
  LS_ASSIGN(const Folder folder, Folder::Make(options.directory, "catch-up"));
  LS_TRY(WriteLog(folder.path(), entries));
  ThreadRuntime threads{ThreadRuntimeOptions()};
  CatchUp sides(threads.runtime(), folder.path(), entries);
  if (options.damage) LS_TRY(DamageFile(sides.files().front().path));
  for (const bool cold : {false, true}) {
    const Side ours = [&sides, cold] { return sides.ReadLog(cold); };
    const Side peer = [&sides, cold] { return sides.ReadFiles(cold); };
    // Once without counting: the first reading finds whatever the writing left in the page cache.
    LS_TRY(ours().status());
    LS_ASSIGN(const Compared compared, Compare(options, ours, peer));
    const std::string cache = cold ? "cold: " : "warm: ";
    report->Add(cache + "log read from its start, checked", compared.ours, "MiB/s");
    report->Add(cache + "peer: the same files in order, 1 MiB at a time, checksummed", compared.peer, "MiB/s");
    report->AtLeast(cache + "log / files", compared.ratio(), 0.8, "");
  }
  report->Checked(sides.checked());
  report->Note(std::to_string(entries / 1024) + " MiB in " + std::to_string(sides.files().size()) +
               " files, one log of entries of 1 KiB; warm: in the page cache for both, cold: dropped from it before "
               "each reading");
  return OkStatus();
}

}  // namespace lakestream::bench
