#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/try.h"
#include "bench/append_load.h"
#include "bench/benchmark.h"
#include "bench/engine.h"
#include "bench/folder.h"
#include "bench/ledger.h"
#include "bench/surroundings.h"
#include "runtime/thread_runtime.h"

namespace lakestream::bench {
namespace {

constexpr std::size_t kPayloadBytes = 128;

struct Resident {
  double all = 0;   ///< MiB
  double anonymous = 0;
};

Result<Resident> ReadResident() {
  LS_ASSIGN(const std::int64_t all, ProcessNumber("status", "VmRSS"));
  LS_ASSIGN(const std::int64_t anonymous, ProcessNumber("status", "RssAnon"));
  return Resident{static_cast<double>(all) / 1024, static_cast<double>(anonymous) / 1024};
}

}  // namespace

Status RunMemory(const BenchOptions& options, BenchReport* report) {
  ThreadRuntime threads{ThreadRuntimeOptions()};
  LS_ASSIGN(const Folder folder, Folder::Make(options.directory, "memory"));
  WriterOptions writer;
  writer.lease_idle = std::chrono::hours(1);  // every log stays open
  LS_ASSIGN(const std::unique_ptr<Embedded> embedded, Embedded::Open(threads.runtime(), folder.path(), writer));
  Deployment& deployment = embedded->deployment();
  AppendLoad first(deployment.writer(), LogRange(1000, 1), kPayloadBytes, 1);
  LS_TRY(first.Run(1));
  LS_ASSIGN(const std::int64_t one, CheckByReading(deployment.reader(), first));
  LS_ASSIGN(const Resident idle, ReadResident());
  LS_TRY(CheckStopped(options));

  const std::int64_t logs = Scaled(options, 100'000, 200);
  AppendLoad open(deployment.writer(), LogRange(100'000, logs), kPayloadBytes, 20'000);
  LS_TRY(open.Run(logs));
  if (options.damage) {
    // Not that of the first append, which was looked at already.
    const std::vector<FoundFile> files = FilesBelow(folder.path() + "/wal");
    const auto largest = std::max_element(files.begin(), files.end(),
                                          [](const FoundFile& a, const FoundFile& b) { return a.bytes < b.bytes; });
    LS_TRY(DamageFile(largest->path));
  }
  LS_TRY(CheckStopped(options));
  LS_ASSIGN(const std::int64_t many, CheckByReading(deployment.reader(), open));
  LS_ASSIGN(const Resident opened, ReadResident());
  report->Checked(one + many);
  report->AtMost("embedded deployment, open and idle: resident", idle.all, 30, "MiB");
  report->Add("  of it memory of its own (the rest are files)", idle.anonymous, "MiB");
  report->AtMost("with 100 000 open logs, each appended to and read", opened.all, 1024, "MiB");
  report->Add("  of it memory of its own (the rest are files)", opened.anonymous, "MiB");
  report->Add("  of its own for an open log", (opened.anonymous - idle.anonymous) * 1024 / static_cast<double>(logs),
              "KiB");
  report->Note("open: the writer holds the log's lease. In a process that ran other benchmarks before, the first "
               "figures are too large");
  return embedded->Stop();
}

}  // namespace lakestream::bench
