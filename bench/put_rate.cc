#include <memory>
#include <string>
#include <vector>

#include "base/try.h"
#include "bench/append_load.h"
#include "bench/benchmark.h"
#include "bench/engine.h"
#include "bench/ledger.h"
#include "bench/null_object_store.h"
#include "bench/rounds.h"
#include "bench/wrappers.h"
#include "meta/memory/memory_metadata_store.h"
#include "runtime/thread_runtime.h"

namespace lakestream::bench {
namespace {

constexpr std::size_t kPayloadBytes = 128;
/// Small entries with so many always under way: every flush has something to take the moment it may start, and no
/// object gets large enough to go without a token.
constexpr std::int64_t kUnderWay = 64;
/// A rate below this share of the budget shows nothing about the budget.
constexpr double kSaturated = 0.9;
/// Windows are short, and a token may fall on either side of their ends.
constexpr double kTolerance = 1.01;

double Seconds(Duration d) { return std::chrono::duration<double>(d).count(); }

/// PUTs a second of a writer that is kept busy for a while.
class Window {
 public:
  Window(Runtime& runtime, LogWriter& writer) : runtime_(runtime), writer_(writer) {}

  /// The first tenth is not counted: the pause before it has saved up tokens.
  Result<double> Measure(AppendLoad& load, Duration length) {
    const MonotonicTime start = runtime_.Now();
    bool counting = false;
    MonotonicTime from;
    std::int64_t objects_before = 0;
    double rate = 0;
    LS_TRY(load.RunWhile([&] {
      const MonotonicTime now = runtime_.Now();
      if (!counting && now - start >= length / 10) {
        counting = true;
        from = now;
        objects_before = writer_.stats().objects;
      }
      if (now - start < length) return true;
      rate = static_cast<double>(writer_.stats().objects - objects_before) / Seconds(now - from);
      return false;
    }));
    return rate;
  }

 private:
  Runtime& runtime_;
  LogWriter& writer_;
};

}  // namespace

Status RunPutRate(const BenchOptions& options, BenchReport* report) {
  ThreadRuntime threads{ThreadRuntimeOptions()};
  Runtime& runtime = threads.runtime();
  MemoryMetadataStore meta(runtime);
  NullObjectStore objects;
  DamagingObjectStore damaging(objects, options.damage);
  const WriterOptions writer_options;
  LS_ASSIGN(const std::unique_ptr<Engine> engine, Engine::Start(runtime, meta, damaging, writer_options));
  const std::int64_t many = Scaled(options, 10'000, 200);
  const Duration length = std::chrono::milliseconds(Scaled(options, 1200, 60));
  AppendLoad one(engine->writer(), LogRange(1, 1), kPayloadBytes, kUnderWay);
  AppendLoad some(engine->writer(), LogRange(1000, 100), kPayloadBytes, kUnderWay);
  AppendLoad all(engine->writer(), LogRange(100'000, many), kPayloadBytes, kUnderWay);
  const std::vector<AppendLoad*> loads = {&one, &some, &all};
  Window window(runtime, engine->writer());
  // The tokens that a new writer has saved up are spent first, and every log gets its lease.
  LS_TRY(all.Run(many));
  const std::int64_t burst = Scaled(options, 400, 10);
  LS_TRY(one.RunWhile([&] { return engine->writer().stats().objects < burst; }));
  std::vector<std::vector<double>> rates(loads.size());
  for (int round = 0; round < kRounds; ++round) {
    LS_TRY(CheckStopped(options));
    for (std::size_t i = 0; i < loads.size(); ++i) {
      LS_ASSIGN(const double rate, window.Measure(*loads[i], length));
      rates[i].push_back(rate);
    }
  }
  LS_TRY(engine->Stop());
  LS_ASSIGN(const std::int64_t checked, CheckLedger(meta, objects, {&one, &some, &all}));
  report->Checked(checked);
  const double budget = writer_options.put_budget_per_second;
  const std::vector<std::string> names = {"1 active log", "100 active logs", "10 000 active logs"};
  for (std::size_t i = 0; i < loads.size(); ++i) {
    const double rate = MedianOf(rates[i]);
    report->AtMost(names[i], rate, budget * kTolerance, "PUTs/s");
    report->AtLeast("  share of the budget: enough work to show it", rate / budget, kSaturated, "");
  }
  report->Note("a writer with a budget of " + ShortNumber(budget) + " PUTs/s, kept busy with entries of 128 bytes, " +
               std::to_string(kUnderWay) + " under way, logs in turn; null objects, memory metadata");
  return OkStatus();
}

}  // namespace lakestream::bench
