#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/try.h"
#include "bench/benchmark.h"
#include "bench/engine.h"
#include "bench/folder.h"
#include "bench/surroundings.h"
#include "format/catalog_records.h"
#include "log/catalog/stream_catalog.h"
#include "log/catalog/stream_lister.h"
#include "runtime/thread_runtime.h"
#include "runtime/wait.h"
#include "runtime/when_all.h"

namespace lakestream::bench {
namespace {

constexpr std::int64_t kCreationsAtOnce = 512;
/// No more streams are made after this.
constexpr Duration kLongest = std::chrono::minutes(5);
/// Scatters the lookups over all streams; prime, so that none is met twice before all were.
constexpr std::int64_t kStride = 7919;

StreamIdentifier StreamOf(std::int64_t number) {
  StreamIdentifier id;
  id.name = fmt::format("stream-{:07}", number);
  return id;
}

double Seconds(Duration d) { return std::chrono::duration<double>(d).count(); }

/// Creates streams from 0 on, many at a time; how many there are then.
Result<std::int64_t> Fill(Runtime& runtime, StreamCatalog& catalog, const BenchOptions& options, std::int64_t wanted) {
  const MonotonicTime last = runtime.Now() + kLongest;
  std::int64_t made = 0;
  while (made < wanted && runtime.Now() < last) {
    LS_TRY(CheckStopped(options));
    std::vector<Task<Result<StreamMetadata>>> tasks;
    for (std::int64_t i = made; i < std::min(wanted, made + kCreationsAtOnce); ++i) {
      tasks.push_back(catalog.CreateStream(OpContext(), StreamOf(i), 1, {}));
    }
    made += static_cast<std::int64_t>(tasks.size());
    for (const auto& one : Wait(WhenAll(runtime, std::move(tasks)))) LS_TRY(one.status());
  }
  return made;
}

struct Listed {
  double seconds = 0;
  double most_memory = 0;  ///< KiB more than before, at most
};

/// Every stream once, in order.
Result<Listed> List(Runtime& runtime, StreamCatalog& catalog, std::int64_t streams) {
  LS_ASSIGN(const std::int64_t before, ProcessNumber("status", "RssAnon"));
  const MonotonicTime begun = runtime.Now();
  StreamLister lister = catalog.ListStreams();
  std::int64_t next = 0;
  Listed listed;
  while (true) {
    LS_ASSIGN(const std::vector<StreamListing> page, Wait(lister.Next(OpContext())));
    if (page.empty()) break;
    for (const StreamListing& stream : page) {
      const bool whole = stream.partitions == 1 && stream.state == LifecycleState::kActive;
      const bool right = whole && stream.id == StreamOf(next);
      if (!right) return Corrupt("a listing has another stream than was made").With("stream", stream.id.ToString());
      ++next;
    }
    LS_ASSIGN(const std::int64_t now, ProcessNumber("status", "RssAnon"));
    listed.most_memory = std::max(listed.most_memory, static_cast<double>(now - before));
  }
  listed.seconds = Seconds(runtime.Now() - begun);
  if (next != streams) return Corrupt("a listing lacks streams").With("listed", next).With("made", streams);
  return listed;
}

Task<Status> Describe(StreamCatalog& catalog, std::int64_t streams, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    const StreamIdentifier id = StreamOf(i * kStride % streams);
    Task<Result<StreamMetadata>> load = catalog.LoadStream(OpContext(), id);
    LS_CO_ASSIGN(const StreamMetadata stream, co_await load);
    if (stream.id != id || stream.logs.size() != 1) {
      co_return Corrupt("a stream is another one than was made").With("stream", id.ToString());
    }
  }
  co_return OkStatus();
}

}  // namespace

Status RunCatalog(const BenchOptions& options, BenchReport* report) {
  ThreadRuntime threads{ThreadRuntimeOptions()};
  Runtime& runtime = threads.runtime();
  LS_ASSIGN(const Folder folder, Folder::Make(options.directory, "catalog"));
  LS_ASSIGN(const std::unique_ptr<LmdbMetadataStore> meta, OpenLmdb(runtime, folder.path()));
  StreamCatalog catalog(runtime, *meta);
  LS_ASSIGN(const std::int64_t idle, ProcessNumber("status", "RssAnon"));
  const MonotonicTime begun = runtime.Now();
  LS_ASSIGN(const std::int64_t streams, Fill(runtime, catalog, options, Scaled(options, 1'000'000, 200)));
  const double creating = Seconds(runtime.Now() - begun);
  LS_ASSIGN(const std::int64_t filled, ProcessNumber("status", "RssAnon"));
  if (options.damage) {
    const StreamIdentifier lost = StreamOf(streams / 2);
    const std::string key = StreamConfigKey(lost.ns, lost.name);
    LS_TRY(Wait(meta->Delete(OpContext(), Partition::OfKey(key), key, WriteGuard())));
  }
  LS_ASSIGN(const Listed listed, List(runtime, catalog, streams));
  LS_TRY(CheckStopped(options));
  const std::int64_t lookups = std::min<std::int64_t>(streams, Scaled(options, 20'000, 100));
  const MonotonicTime describing = runtime.Now();
  LS_TRY(Wait(Describe(catalog, streams, lookups)));
  const double described = Seconds(runtime.Now() - describing);
  report->Checked(streams + lookups);
  report->Add("streams in the catalog, one partition each", static_cast<double>(streams), "streams");
  report->Add("created", static_cast<double>(streams) / creating, "streams/s");
  report->Add("  memory of its own that this left behind", static_cast<double>(filled - idle) / 1024, "MiB");
  report->AtMost("listed, all of them: memory of its own above that", listed.most_memory / 1024, 64, "MiB");
  report->Add("  at", static_cast<double>(streams) / listed.seconds, "streams/s");
  report->Add("one stream loaded, scattered, one at a time", described / static_cast<double>(lookups) * 1e6, "us");
  report->Note(fmt::format("LMDB with fsync; {} creations at a time; no more are begun after 5 minutes",
                           kCreationsAtOnce));
  return Wait(meta->Stop(OpContext()));
}

}  // namespace lakestream::bench
