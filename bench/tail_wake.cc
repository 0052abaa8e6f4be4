#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "base/try.h"
#include "bench/benchmark.h"
#include "bench/command_process.h"
#include "bench/engine.h"
#include "bench/folder.h"
#include "bench/rounds.h"
#include "bench/surroundings.h"
#include "runtime/gate.h"
#include "runtime/thread_runtime.h"
#include "runtime/wait.h"

namespace lakestream::bench {
namespace {

const char* const kStream = "tailed";
constexpr std::int64_t kFirstIdleLog = 1'000'000;
constexpr std::int64_t kQuietMillis = 5000;
constexpr Duration kPatience = std::chrono::minutes(1);

double Millis(Duration d) { return std::chrono::duration<double, std::milli>(d).count(); }

struct Arrival {
  MonotonicTime at;
  std::string payload;
};

/// Waits for the entry at an offset.
Task<Result<Arrival>> AwaitEntry(Runtime& runtime, LogReader& reader, LogId log, Offset offset) {
  const OpContext context = OpContext().WithDeadline(runtime.Now() + kPatience);
  ReadBounds one;
  one.max_records = 1;
  Task<Result<LogRead>> reading = reader.ReadOrAwait(context, log, offset, one);
  LS_CO_ASSIGN(const LogRead read, co_await reading);
  Arrival arrival;
  arrival.at = runtime.Now();
  if (read.entries.empty()) co_return Unavailable("a tail was not woken");
  arrival.payload = std::string(read.entries.front().payload.text());
  co_return arrival;
}

Task<void> AwaitInto(Runtime& runtime, LogReader& reader, LogId log, Offset offset, Future<Result<Arrival>> arrived) {
  Task<Result<Arrival>> waiting = AwaitEntry(runtime, reader, log, offset);
  arrived.Set(co_await waiting);
}

Task<Result<Arrival>> Take(Future<Result<Arrival>> arrived) {
  co_await arrived.Ready();
  co_return arrived.value();
}

/// A tail of a log to which nothing is appended.
Task<void> WaitInVain(LogReader& reader, OpContext context, LogId log) {
  while (!context.cancel.stop_requested()) {
    Task<Result<LogRead>> waiting = reader.ReadOrAwait(context, log, Offset(0), ReadBounds());
    (void)co_await waiting;
  }
}

class TailWake {
 public:
  TailWake(Runtime& runtime, const BenchOptions& options, Deployment& deployment, LogId log)
      : runtime_(runtime), options_(options), deployment_(deployment), log_(log), gate_(runtime) {}

  Status StartAppender(const std::string& directory) {
    std::vector<std::string> arguments = {"append", kStream, "--offsets", "-q", "--deployment", directory};
    LS_ASSIGN(appender_, CommandProcess::Start(options_.command, std::move(arguments), ""));
    return OkStatus();
  }

  /// From the line that says "acknowledged", in this process, to the return of the tail; 0 where the tail was earlier.
  Result<std::vector<double>> Measure(std::int64_t entries) {
    std::vector<double> waits;
    for (std::int64_t i = 0; i < entries; ++i) {
      LS_TRY(CheckStopped(options_));
      const Future<Result<Arrival>> arrived(runtime_.executor);
      gate_.Spawn(AwaitInto(runtime_, deployment_.reader(), log_, Offset(number_), arrived));
      const std::string sent = fmt::format("entry {}", number_);
      const bool damage = options_.damage && i == entries / 2;
      LS_TRY(appender_->Send((damage ? "another" : sent) + "\n"));
      LS_ASSIGN(const std::string line, appender_->ReadLine());
      const MonotonicTime acknowledged = runtime_.Now();
      if (line != fmt::format("{} 0 {}", number_ + 1, number_)) {
        return Corrupt("an append has another offset").With("line", line);
      }
      LS_ASSIGN(const Arrival arrival, Wait(Take(arrived)));
      if (arrival.payload != sent) return Corrupt("a tail gave another entry").With("entry", arrival.payload);
      waits.push_back(std::max(0.0, Millis(arrival.at - acknowledged)));
      ++number_;
    }
    return waits;
  }

  void StartIdleTails(std::int64_t count) {
    const OpContext context = OpContext().WithCancel(stop_.get_token());
    for (std::int64_t i = 0; i < count; ++i) {
      gate_.Spawn(WaitInVain(deployment_.reader(), context, LogId(kFirstIdleLog + i)));
    }
  }

  /// The share of one processor that this process takes while nothing happens, in percent.
  Result<double> IdleShare() {
    const double before = ProcessorSeconds();
    const MonotonicTime from = runtime_.Now();
    LS_TRY(Wait(SleepFor(runtime_, OpContext(), std::chrono::milliseconds(Scaled(options_, kQuietMillis, 50)))));
    const double real = std::chrono::duration<double>(runtime_.Now() - from).count();
    return (ProcessorSeconds() - before) / real * 100;
  }

  Status Finish() {
    stop_.request_stop();
    Wait(gate_.Close());
    return appender_ ? appender_->Finish() : OkStatus();
  }
  std::int64_t number() const { return number_; }

 private:
  Runtime& runtime_;
  const BenchOptions& options_;
  Deployment& deployment_;
  const LogId log_;
  std::stop_source stop_;
  std::unique_ptr<CommandProcess> appender_;
  std::int64_t number_ = 0;
  Gate gate_;
};

Status MeasureBoth(const BenchOptions& options, TailWake& tails, BenchReport* report) {
  const std::int64_t entries = Scaled(options, 1000, 20);
  const std::int64_t idle = Scaled(options, 10'000, 20);
  LS_TRY(tails.Measure(Scaled(options, 100, 5)).status());  // the first take leases and fill caches
  LS_ASSIGN(const std::vector<double> alone, tails.Measure(entries));
  report->AtMost("from the acknowledgement to the tail in another process, p50", MedianOf(alone), 10, "ms");
  report->Add("the same, p99", QuantileOf(alone, 0.99), "ms");
  tails.StartIdleTails(idle);
  LS_ASSIGN(const double share, tails.IdleShare());
  report->Add(fmt::format("{} tails that wait in vain: processor", idle), share, "%");
  LS_ASSIGN(const std::vector<double> crowded, tails.Measure(entries));
  report->AtMost("beside them, p50", MedianOf(crowded), 10, "ms");
  report->Add("the same, p99", QuantileOf(crowded, 0.99), "ms");
  report->Checked(tails.number());
  return OkStatus();
}

}  // namespace

Status RunTailWake(const BenchOptions& options, BenchReport* report) {
  ThreadRuntime threads{ThreadRuntimeOptions()};
  Runtime& runtime = threads.runtime();
  LS_ASSIGN(const Folder folder, Folder::Make(options.directory, "tail"));
  LS_ASSIGN(const std::unique_ptr<Embedded> embedded, Embedded::Open(runtime, folder.path()));
  Deployment& deployment = embedded->deployment();
  LS_ASSIGN(const StreamIdentifier id, StreamIdentifier::Parse(kStream));
  LS_ASSIGN(const StreamMetadata stream, Wait(deployment.catalog().CreateStream(OpContext(), id, 1, {})));
  TailWake tails(runtime, options, deployment, stream.logs.front());
  Status measured = tails.StartAppender(folder.path());
  if (measured.ok()) measured = MeasureBoth(options, tails, report);
  const Status finished = tails.Finish();
  LS_TRY(measured);
  LS_TRY(finished);
  report->Note("one append at a time by a process of its own; both times are taken by the one that tails");
  return embedded->Stop();
}

}  // namespace lakestream::bench
