// Measures the LMDB store on a real directory:  meta_lmdb_bench DIRECTORY
// Each figure is checked: every key that was acknowledged is looked for at the end.

#include <fmt/format.h>

#include <algorithm>
#include <iostream>

#include "meta/lmdb/lmdb_metadata_store.h"
#include "runtime/thread_runtime.h"
#include "runtime/wait.h"
#include "runtime/when_all.h"

namespace lakestream {
namespace {

std::string Prefix(std::int64_t log) { return fmt::format("{:020d}", log); }

double Micros(Duration d) { return std::chrono::duration<double, std::micro>(d).count(); }

struct Bench {
  Runtime& runtime;
  LmdbMetadataStore& store;
  std::int64_t acknowledged = 0;

  std::vector<SequencedPutRequest> Requests(int logs, std::int64_t first_log) {
    std::vector<SequencedPutRequest> requests;
    for (int i = 0; i < logs; ++i) {
      const std::int64_t log = first_log + i;
      Buffer value(std::string(60, 'v'));
      requests.push_back({Partition::OfLog(LogId(log)), Prefix(log), 1, 1, std::move(value), {}, nullptr});
    }
    return requests;
  }

  /// Rounds of one call with a put to each log; the median and the 99th percentile of a call.
  void Batches(int logs, std::int64_t first_log, int rounds) {
    std::vector<Duration> times;
    const MonotonicTime start = runtime.Now();
    for (int i = 0; i < rounds; ++i) {
      const MonotonicTime before = runtime.Now();
      const auto answers = Wait(store.SequencedPut(OpContext(), Requests(logs, first_log)));
      times.push_back(runtime.Now() - before);
      for (const auto& answer : answers) acknowledged += answer.ok() ? 1 : 0;
    }
    const Duration total = runtime.Now() - start;
    std::sort(times.begin(), times.end());
    std::cout << fmt::format("{} logs a call: {:.0f} puts/s, call p50 {:.0f} us, p99 {:.0f} us\n", logs,
                             logs * rounds / std::chrono::duration<double>(total).count(),
                             Micros(times[times.size() / 2]), Micros(times[times.size() * 99 / 100]));
  }

  static Task<std::int64_t> Writer(Bench& bench, std::int64_t log, int puts) {
    std::int64_t done = 0;
    for (int i = 0; i < puts; ++i) {
      auto put = bench.store.SequencedPut(OpContext(), bench.Requests(1, log));
      const auto answers = co_await put;
      done += answers.front().ok() ? 1 : 0;
    }
    co_return done;
  }

  /// Each log has a caller of its own that puts one after the other.
  void Concurrent(int logs, std::int64_t first_log, int puts) {
    const std::uint64_t commits = store.stats().commits;
    const MonotonicTime start = runtime.Now();
    std::vector<Task<std::int64_t>> tasks;
    for (int i = 0; i < logs; ++i) tasks.push_back(Writer(*this, first_log + i, puts));
    for (const std::int64_t done : Wait(WhenAll(runtime, std::move(tasks)))) acknowledged += done;
    const double seconds = std::chrono::duration<double>(runtime.Now() - start).count();
    std::cout << fmt::format("{} concurrent callers: {:.0f} puts/s, {:.0f} commits/s\n", logs, logs * puts / seconds,
                             static_cast<double>(store.stats().commits - commits) / seconds);
  }

  static Task<std::int64_t> Lookups(Bench& bench, std::int64_t first_log, int logs, int count) {
    std::int64_t found = 0;
    for (int i = 0; i < count; ++i) {
      const std::int64_t log = first_log + i % logs;
      auto lookup = bench.store.Higher(OpContext(), Partition::OfLog(LogId(log)), Prefix(log) + "-");
      const auto answer = co_await lookup;
      found += answer.ok() && *answer ? 1 : 0;
    }
    co_return found;
  }

  void Reads(std::int64_t first_log, int logs) {
    constexpr int kCount = 100'000;
    const MonotonicTime start = runtime.Now();
    const std::int64_t found = Wait(Lookups(*this, first_log, logs, kCount));
    std::cout << fmt::format("lookup: {:.2f} us, {} of {} found\n", Micros(runtime.Now() - start) / kCount, found,
                             kCount);
  }

  bool Check() {
    std::int64_t stored = 0;
    std::string cursor;
    while (true) {
      const auto page = Wait(store.List(OpContext(), KeyRange{std::nullopt, "0", "9"}, cursor, 10000));
      if (!page.ok()) return false;
      stored += static_cast<std::int64_t>(page->keys.size());
      if (!page->next) break;
      cursor = *page->next;
    }
    std::cout << fmt::format("stored {} of {} acknowledged\n", stored, acknowledged);
    return stored == acknowledged;
  }
};

int Run(const std::string& directory) {
  ThreadRuntime threads{ThreadRuntimeOptions()};
  LmdbOptions options;
  options.directory = directory;
  options.create = true;
  auto opened = Wait(LmdbMetadataStore::Open(threads.runtime(), OpContext(), options));
  if (!opened.ok()) {
    std::cerr << opened.status().ToString() << "\n";
    return 1;
  }
  Bench bench{threads.runtime(), **opened};
  bench.Batches(1, 1, 1000);
  bench.Batches(100, 1000, 500);
  bench.Batches(10'000, 100'000, 30);
  bench.Concurrent(100, 2000, 200);
  bench.Reads(100'000, 10'000);
  const bool right = bench.Check();
  (void)Wait((*opened)->Stop(OpContext()));
  return right ? 0 : 1;
}

}  // namespace
}  // namespace lakestream

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: meta_lmdb_bench DIRECTORY\n";
    return 2;
  }
  return lakestream::Run(argv[1]);
}
