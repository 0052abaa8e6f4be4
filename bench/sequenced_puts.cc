#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/try.h"
#include "bench/benchmark.h"
#include "bench/commit_peer.h"
#include "bench/engine.h"
#include "bench/folder.h"
#include "bench/rounds.h"
#include "bench/surroundings.h"
#include "format/index_key.h"
#include "runtime/thread_runtime.h"
#include "runtime/wait.h"
#include "runtime/when_all.h"

namespace lakestream::bench {
namespace {

constexpr std::int64_t kFirstFew = 1000;    ///< ids of the 100 logs
constexpr std::int64_t kFirstMany = 100'000;  ///< ids of the 10 000 logs
constexpr std::size_t kValueBytes = 96;     ///< an index record of a section with one entry
constexpr int kCallers = 8;                 ///< as many as a writer has flushes under way

double Seconds(Duration d) { return std::chrono::duration<double>(d).count(); }

class Puts {
 public:
  Puts(Runtime& runtime, MetadataStore& meta) : runtime_(runtime), meta_(meta) {}

  /// One call with a put to each of the logs.
  Task<Status> Call(std::int64_t first, std::int64_t logs) {
    std::vector<SequencedPutRequest> requests;
    requests.reserve(static_cast<std::size_t>(logs));
    for (std::int64_t i = 0; i < logs; ++i) {
      const LogId log(first + i);
      Buffer value(std::string(kValueBytes, 'v'));
      requests.push_back({Partition::OfLog(log), IndexKeyPrefix(log), 1, 1024, std::move(value), {}, nullptr});
    }
    auto put = meta_.SequencedPut(OpContext(), std::move(requests));
    const std::vector<Result<SequencedPutAnswer>> answers = co_await put;
    for (const Result<SequencedPutAnswer>& answer : answers) LS_CO_TRY(answer.status());
    co_return OkStatus();
  }

  /// `calls` one after the other; the seconds that each took go to `times`, if that is given.
  Status CallsInTurn(std::int64_t first, std::int64_t logs, std::int64_t calls, std::vector<double>* times) {
    for (std::int64_t i = 0; i < calls; ++i) {
      const MonotonicTime before = runtime_.Now();
      LS_TRY(Wait(Call(first, logs)));
      if (times != nullptr) times->push_back(Seconds(runtime_.Now() - before));
    }
    Acknowledged(first, logs, calls);
    return OkStatus();
  }

  /// Callers side by side, each with calls of its own one after the other.
  Status CallsAtOnce(std::int64_t first, std::int64_t logs, std::int64_t calls) {
    std::vector<Task<Status>> callers;
    for (int i = 0; i < kCallers; ++i) callers.push_back(Caller(first, logs, calls));
    for (const Status& status : Wait(WhenAll(runtime_, std::move(callers)))) LS_TRY(status);
    Acknowledged(first, logs, calls * kCallers);
    return OkStatus();
  }

  /// Compares the store's records with the acknowledged puts.
  Status Check(BenchReport* report) {
    std::map<LogId, std::int64_t> found;
    std::string cursor;
    while (true) {
      const KeyRange range{std::nullopt, "0", "9"};
      LS_ASSIGN(const KeyPage page, Wait(meta_.List(OpContext(), range, cursor, 10'000)));
      for (const std::string& text : page.keys) {
        LS_ASSIGN(const IndexKey key, IndexKey::Decode(text));
        const std::int64_t number = ++found[key.log];
        if (key.end == Offset(number) && key.cumulative_size == number * 1024) continue;
        return Corrupt("index records do not follow each other").With("key", text);
      }
      if (!page.next) break;
      cursor = *page.next;
    }
    if (found != acknowledged_) return Corrupt("the index records are not those that were acknowledged");
    for (const auto& [log, puts] : found) report->Checked(puts);
    return OkStatus();
  }

 private:
  Task<Status> Caller(std::int64_t first, std::int64_t logs, std::int64_t calls) {
    for (std::int64_t i = 0; i < calls; ++i) {
      Task<Status> call = Call(first, logs);
      LS_CO_TRY(co_await call);
    }
    co_return OkStatus();
  }
  void Acknowledged(std::int64_t first, std::int64_t logs, std::int64_t calls) {
    for (std::int64_t i = 0; i < logs; ++i) acknowledged_[LogId(first + i)] += calls;
  }

  Runtime& runtime_;
  MetadataStore& meta_;
  std::map<LogId, std::int64_t> acknowledged_;
};

/// What the threads of this process gave to the disk.
struct Written {
  std::int64_t writes = 0;
  std::int64_t bytes = 0;

  static Result<Written> SoFar() {
    Written written;
    LS_ASSIGN(written.writes, ProcessNumber("io", "syscw"));
    LS_ASSIGN(written.bytes, ProcessNumber("io", "wchar"));
    return written;
  }
  Written Since(const Written& before) const { return Written{writes - before.writes, bytes - before.bytes}; }
};

/// Writes what that many calls have written, call by call.
Result<CommitPeer> PeerOf(const std::string& directory, const Written& written, std::int64_t calls) {
  // One write of a commit is that of LMDB's root page.
  return CommitPeer::Open(directory, written.writes / calls - 1, written.bytes / calls);
}

Status FewLogs(const BenchOptions& options, const std::string& directory, BenchReport* report, Runtime& runtime,
               Puts& puts) {
  const std::int64_t logs = Scaled(options, 100, 10);
  const std::int64_t calls = Scaled(options, 200, 2);
  std::vector<double> disk;
  std::vector<double> writes;
  const Side in_turn = [&]() -> Result<double> {
    const auto thousands = static_cast<double>(logs * calls) / 1000;
    LS_ASSIGN(const Written before, Written::SoFar());
    const MonotonicTime began = runtime.Now();
    LS_TRY(puts.CallsInTurn(kFirstFew, logs, calls, nullptr));
    const MonotonicTime ended = runtime.Now();
    LS_ASSIGN(const Written after, Written::SoFar());
    const Written written = after.Since(before);
    writes.push_back(static_cast<double>(written.writes) / static_cast<double>(calls));
    LS_ASSIGN(CommitPeer peer, PeerOf(directory, written, calls));
    const MonotonicTime peer_began = runtime.Now();
    for (std::int64_t i = 0; i < calls; ++i) LS_TRY(peer.Commit());
    disk.push_back(thousands / Seconds(runtime.Now() - peer_began));
    return thousands / Seconds(ended - began);
  };
  const Side at_once = [&]() -> Result<double> {
    const MonotonicTime before = runtime.Now();
    LS_TRY(puts.CallsAtOnce(kFirstFew, logs, calls / 2));
    return static_cast<double>(logs * (calls / 2) * kCallers) / Seconds(runtime.Now() - before) / 1000;
  };
  LS_ASSIGN(const Compared compared, Compare(options, in_turn, at_once));
  report->AtLeast("100 logs, a put to each in one call, calls in turn", compared.ours, 50, "k puts/s");
  report->Add("  the disk alone: the writes of such calls, without LMDB", MedianOf(disk), "k puts/s");
  report->Add("  writes that such a call makes", MedianOf(writes), "writes");
  report->Add("100 logs, 8 such calls at once", compared.peer, "k puts/s");
  return OkStatus();
}

Status ManyLogs(const BenchOptions& options, const std::string& directory, BenchReport* report, Runtime& runtime,
                Puts& puts) {
  constexpr std::int64_t kCallsForPeer = 5;  ///< calls for each commit of the peer, which does what the last few did
  const std::int64_t logs = Scaled(options, 10'000, 50);
  const std::int64_t before_measured = Scaled(options, 100, 2);
  const std::int64_t calls = Scaled(options, 100, 2);
  for (std::int64_t i = 0; i < before_measured; ++i) {
    LS_TRY(CheckStopped(options));
    LS_TRY(puts.CallsInTurn(kFirstMany, logs, 1, nullptr));
  }
  Written all;
  std::vector<double> times;
  std::vector<double> disk;
  while (static_cast<std::int64_t>(times.size()) < calls) {
    LS_TRY(CheckStopped(options));
    const std::int64_t now = std::min(kCallsForPeer, calls - static_cast<std::int64_t>(times.size()));
    LS_ASSIGN(const Written before, Written::SoFar());
    LS_TRY(puts.CallsInTurn(kFirstMany, logs, now, &times));
    LS_ASSIGN(const Written after, Written::SoFar());
    const Written written = after.Since(before);
    all.bytes += written.bytes;
    LS_ASSIGN(CommitPeer peer, PeerOf(directory, written, now));
    const MonotonicTime began = runtime.Now();
    LS_TRY(peer.Commit());
    disk.push_back(Seconds(runtime.Now() - began));
  }
  double seconds = 0;
  for (const double time : times) seconds += time;
  const auto made = static_cast<double>(logs * calls);
  report->Add("10 000 logs, a put to each in one call", made / seconds / 1000, "k puts/s");
  report->Add("  bytes written for a put", static_cast<double>(all.bytes) / made, "bytes");
  report->Add("  a call of 10 000 puts, p50", MedianOf(times) * 1000, "ms");
  report->AtMost("  a call of 10 000 puts, p99", QuantileOf(times, 0.99) * 1000, 150, "ms");
  report->Add("  the disk alone: the writes of such a call, p50", MedianOf(disk) * 1000, "ms");
  return OkStatus();
}

}  // namespace

Status RunSequencedPuts(const BenchOptions& options, BenchReport* report) {
  ThreadRuntime threads{ThreadRuntimeOptions()};
  LS_ASSIGN(const Folder folder, Folder::Make(options.directory, "sequenced-puts"));
  LS_ASSIGN(const std::unique_ptr<LmdbMetadataStore> meta, OpenLmdb(threads.runtime(), folder.path()));
  Puts puts(threads.runtime(), *meta);
  LS_TRY(FewLogs(options, folder.path(), report, threads.runtime(), puts));
  LS_TRY(ManyLogs(options, folder.path(), report, threads.runtime(), puts));
  if (options.damage) {
    const LogId log(kFirstFew + 1);
    const IndexKey lost{log, Offset(2), 2 * 1024};
    LS_TRY(Wait(meta->Delete(OpContext(), Partition::OfLog(log), lost.Encode(), WriteGuard())));
  }
  LS_TRY(puts.Check(report));
  report->Note("each call is one transaction with its fsync; 10 000 logs: measured after 100 records for each");
  return Wait(meta->Stop(OpContext()));
}

}  // namespace lakestream::bench
