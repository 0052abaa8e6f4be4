// A process of a deployment that does what clients do and writes down what it sees, as text (sim/history_text.h): that a
// call begins, before it begins, and how it ended, once the answer is there. history_loop.py starts several on one
// deployment, kills and stops them, and has the whole history judged.
//
// usage: history_client make DIR --publish-ms N --index-ms N     makes the deployment
//        history_client run DIR --name NAME --life N --seed N --logs N --threads N --appenders N --readers N
//                           --tailers N --trimmers N --window N --pause-ms N --deadline-ms N --tail-ms N [--break MUTANT]
//                                                                until standard input ends
//        history_client final DIR --logs N                       what is there when all have ended
//        history_client look DIR --logs N                        for each line it gets, the pids that hold leases

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/try.h"
#include "format/index_key.h"
#include "format/log_records.h"
#include "log/deployment/deployment.h"
#include "log/deployment/deployment_config.h"
#include "runtime/gate.h"
#include "runtime/semaphore.h"
#include "runtime/thread_runtime.h"
#include "runtime/wait.h"
#include "runtime/when_all.h"
#include "sim/final_record.h"
#include "sim/history_text.h"
#include "sim/mutants/mutant.h"
#include "sim/mutants/rule_breaker.h"
#include "sim/payload.h"

namespace lakestream::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr int kPage = 1000;
constexpr int kLookPage = 64;
/// Of one life; another life's begin above.
constexpr AppendNumber kMostAppends = 1'000'000'000;
/// Entries of one read: its line is short enough to be written at once.
constexpr std::uint64_t kMostRead = 30;
constexpr std::uint64_t kMostPayload = 200;
constexpr Duration kLastWord = seconds(60);

using Options = std::map<std::string, std::string>;

std::int64_t NumberOf(const Options& options, const std::string& name) {
  const auto found = options.find(name);
  if (found != options.end()) return std::atoll(found->second.c_str());
  std::fprintf(stderr, "history_client: --%s is missing\n", name.c_str());
  std::exit(2);
}

/// Everything that a client draws follows from the seed.
class SeededRandom final : public Random {
 public:
  explicit SeededRandom(std::uint64_t seed) : state_(seed) {}
  std::uint64_t Next() override {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

 private:
  std::uint64_t state_;
};

/// Writes whole lines to standard output. Thread safety: any thread.
class Recorder {
 public:
  explicit Recorder(Runtime& runtime) : runtime_(runtime) {}

  void Line(const std::string& line) {
    // Longer ones than a pipe takes at once must not be mixed.
    const std::lock_guard lock(mutex_);
    for (std::size_t done = 0; done < line.size();) {
      const ssize_t wrote = write(STDOUT_FILENO, line.data() + done, line.size() - done);
      if (wrote < 0 && errno == EINTR) continue;
      if (wrote < 0) std::_Exit(3);
      done += static_cast<std::size_t>(wrote);
    }
  }
  /// The call may begin once this has returned; the number leads to it.
  std::int64_t Begin(Operation& operation) {
    const std::int64_t call = ++last_call_;
    operation.at = runtime_.Now();
    Line(BeganLine(call, operation));
    return call;
  }
  /// The answer is there since `ended_at`, and in the operation.
  void End(std::int64_t call, const Operation& operation) { Line(EndedLine(call, operation)); }

 private:
  Runtime& runtime_;
  std::mutex mutex_;
  std::atomic<std::int64_t> last_call_{0};
};

/// One life of a process: its clients and what they share.
struct Life {
  Runtime& runtime;
  Deployment& deployment;
  Recorder& recorder;
  const Options& options;
  std::string name;
  std::int64_t logs;
  std::uint64_t seed;
  Duration pause;
  Duration deadline;
  std::atomic<AppendNumber> last_append;
  std::atomic<bool> stopping{false};

  LogId AnyLog(Random& random) const {
    return LogId(1 + static_cast<std::int64_t>(random.Below(static_cast<std::uint64_t>(logs))));
  }
  OpContext Soon() const { return OpContext().WithDeadline(runtime.Now() + deadline); }
};

Operation Started(const Life& life, Operation::Kind kind, int client, LogId log) {
  Operation operation;
  operation.kind = kind;
  operation.process = life.name;
  operation.client = client;
  operation.log = log;
  return operation;
}

void Ended(const Life& life, Operation& operation, const Status& status) {
  operation.ended_at = life.runtime.Now();
  operation.ended = 0;
  operation.status = status;
}

SeenEntry Seen(const LogEntryHeader& header, AppendNumber number) {
  return SeenEntry{header.offset,       header.number_of_records, number, header.cumulative_size,
                   header.timestamp_ms, header.entry_size};
}

Task<void> Pause(Life& life, Random& random) {
  const Duration pause(static_cast<std::int64_t>(random.Below(static_cast<std::uint64_t>(life.pause.count()) + 1)));
  const Status slept = co_await SleepFor(life.runtime, OpContext(), pause);
  (void)slept;
}

Task<Result<LogEntryHeader>> AppendOne(Life& life, int client, AppendRequest request, AppendNumber number,
                                       OpContext context) {
  Operation operation = Started(life, Operation::Kind::kAppend, client, request.log);
  operation.number = number;
  operation.caller = request.caller;
  operation.records = request.records;
  operation.size = static_cast<std::int64_t>(request.payload.size());
  const std::int64_t call = life.recorder.Begin(operation);
  Result<LogEntryHeader> answer = co_await life.deployment.writer().Append(std::move(context), std::move(request));
  Ended(life, operation, answer.status());
  if (answer.ok()) operation.acknowledged = Seen(*answer, number);
  life.recorder.End(call, operation);
  co_return answer;
}

Task<void> AppendInWindow(Life& life, int client, AppendRequest request, AppendNumber number, OpContext context,
                          AsyncSemaphore& window) {
  const Result<LogEntryHeader> answer =
      co_await AppendOne(life, client, std::move(request), number, std::move(context));
  (void)answer;
  window.Release(1);
}

/// Gives where the next read begins; `from` where this one failed.
Task<Result<Offset>> ReadOne(Life& life, int client, Operation::Kind kind, LogId log, Offset from, ReadBounds bounds,
                             OpContext context) {
  Operation operation = Started(life, kind, client, log);
  operation.from = from;
  operation.max_records = bounds.max_records;
  operation.max_bytes = bounds.max_bytes;
  LogReader& reader = life.deployment.reader();
  const std::int64_t call = life.recorder.Begin(operation);
  Task<Result<LogRead>> reading = kind == Operation::Kind::kTail
                                      ? reader.ReadOrAwait(std::move(context), log, from, bounds)
                                      : reader.Read(std::move(context), log, from, bounds);
  const Result<LogRead> answer = co_await reading;
  Ended(life, operation, answer.status());
  if (answer.ok()) {
    operation.next = answer->next;
    for (const LogEntry& entry : answer->entries) {
      operation.entries.push_back(Seen(entry.header, ReadPayload(entry.payload.span(), log)));
    }
  }
  life.recorder.End(call, operation);
  if (!answer.ok()) co_return answer.status();
  co_return answer->next;
}

Task<Result<LogExtent>> ExtentOne(Life& life, int client, LogId log) {
  Operation operation = Started(life, Operation::Kind::kExtent, client, log);
  const std::int64_t call = life.recorder.Begin(operation);
  Result<LogExtent> answer = co_await life.deployment.reader().Extent(life.Soon(), log);
  Ended(life, operation, answer.status());
  if (answer.ok()) {
    operation.low = answer->first;
    operation.high = answer->end;
  }
  life.recorder.End(call, operation);
  co_return answer;
}

AppendRequest DrawAppend(const Life& life, AppendNumber number, Random& random) {
  AppendRequest request;
  request.log = life.AnyLog(random);
  request.records = 1 + static_cast<std::int32_t>(random.Below(3));
  request.payload = MakePayload(number, request.log, kSmallestPayload + random.Below(kMostPayload));
  return request;
}

/// None, generous, or too near.
OpContext DrawContext(const Life& life, Random& random) {
  const MonotonicTime now = life.runtime.Now();
  switch (random.Below(8)) {
    case 0: return OpContext().WithDeadline(now + milliseconds(random.Below(20)));
    case 1: return OpContext().WithDeadline(now + seconds(1 + random.Below(60)));
    default: return OpContext();
  }
}

ReadBounds DrawBounds(Random& random) {
  ReadBounds bounds;
  bounds.max_records = 1 + static_cast<std::int64_t>(random.Below(kMostRead));
  if (random.Below(3) == 0) bounds.max_bytes = 1 + static_cast<std::int64_t>(random.Below(1000));
  return bounds;
}

Task<void> RunAppender(Life& life, int client) {
  SeededRandom random(life.seed + static_cast<std::uint64_t>(client));
  AsyncSemaphore window(life.runtime, NumberOf(life.options, "window"));
  Gate appends(life.runtime);
  while (!life.stopping) {
    const Status granted = co_await window.Acquire(OpContext(), 1);
    if (!granted.ok()) break;
    const AppendNumber number = ++life.last_append;
    AppendRequest request = DrawAppend(life, number, random);
    if (random.Below(2) == 0) request.caller = static_cast<CallerId>(client) + 1;
    OpContext context = DrawContext(life, random);
    appends.Spawn(AppendInWindow(life, client, std::move(request), number, std::move(context), window));
    co_await Pause(life, random);
  }
  co_await appends.Close();
}

/// Mostly what is new, now and then from anywhere.
Task<void> RunReader(Life& life, int client) {
  SeededRandom random(life.seed + static_cast<std::uint64_t>(client));
  std::map<LogId, Offset> ends;
  while (!life.stopping) {
    const LogId log = life.AnyLog(random);
    Offset& end = ends[log];
    if (random.Below(4) == 0) {
      const Result<LogExtent> extent = co_await ExtentOne(life, client, log);
      if (extent.ok()) end = extent->end;
    } else {
      const std::uint64_t span = static_cast<std::uint64_t>(end.value()) + 3;
      const std::uint64_t back = random.Below(random.Below(4) == 0 ? span : std::min<std::uint64_t>(span, 60));
      const Offset from(static_cast<std::int64_t>(span - 1 - back));
      const ReadBounds bounds = DrawBounds(random);
      const Result<Offset> next =
          co_await ReadOne(life, client, Operation::Kind::kRead, log, from, bounds, life.Soon());
      if (next.ok()) end = std::max(end, *next);
    }
    co_await Pause(life, random);
  }
}

Task<void> RunTailer(Life& life, int client) {
  SeededRandom random(life.seed + static_cast<std::uint64_t>(client));
  const LogId log = life.AnyLog(random);
  const std::uint64_t longest = static_cast<std::uint64_t>(NumberOf(life.options, "tail-ms"));
  const Result<LogExtent> extent = co_await ExtentOne(life, client, log);
  Offset next = extent.ok() ? extent->first : Offset(0);
  while (!life.stopping) {
    const OpContext context = OpContext().WithDeadline(life.runtime.Now() + milliseconds(1 + random.Below(longest)));
    const ReadBounds bounds = DrawBounds(random);
    const Result<Offset> read = co_await ReadOne(life, client, Operation::Kind::kTail, log, next, bounds, context);
    if (read.ok()) next = *read;
    co_await Pause(life, random);
  }
}

/// Trims every other log, mostly a little at a time: of the others everything stays.
Task<void> RunTrimmer(Life& life, int client) {
  SeededRandom random(life.seed + static_cast<std::uint64_t>(client));
  while (!life.stopping) {
    const LogId log(life.AnyLog(random).value() & ~std::int64_t{1});
    if (log.value() > 0) {
      const Result<LogExtent> extent = co_await ExtentOne(life, client, log);
      Operation operation = Started(life, Operation::Kind::kTrim, client, log);
      const std::int64_t first = extent.ok() ? extent->first.value() : 0;
      const std::int64_t length = extent.ok() ? extent->end.value() - first : 0;
      const std::uint64_t most = static_cast<std::uint64_t>(random.Below(16) == 0 ? length : length / 4) + 2;
      operation.asked = Offset(first + static_cast<std::int64_t>(random.Below(most)));
      const std::int64_t call = life.recorder.Begin(operation);
      const Result<SoftTrimOutcome> answer = co_await life.deployment.SoftTrim(life.Soon(), log, operation.asked);
      Ended(life, operation, answer.status());
      if (answer.ok()) {
        operation.low = answer->before;
        operation.high = answer->after;
      }
      life.recorder.End(call, operation);
    }
    co_await Pause(life, random);
  }
}

/// When all is well again every log takes an append and gives it back.
Task<Status> LastWord(Life& life, LogId log) {
  AppendRequest request;
  request.log = log;
  const AppendNumber number = ++life.last_append;
  request.payload = MakePayload(number, log, kSmallestPayload);
  const OpContext context = OpContext().WithDeadline(life.runtime.Now() + kLastWord);
  const Result<LogEntryHeader> answer = co_await AppendOne(life, -1, std::move(request), number, context);
  if (!answer.ok()) co_return answer.status().With("log", log.value());
  ReadBounds one;
  one.max_records = 1;
  const Result<Offset> read = co_await ReadOne(life, -1, Operation::Kind::kRead, log, answer->offset, one, context);
  if (!read.ok()) co_return read.status().With("log", log.value());
  co_return *read > answer->offset ? OkStatus() : Internal("the entry is not read").With("log", log.value());
}

using ClientFunction = Task<void> (*)(Life&, int);

Task<void> RunClients(Life& life) {
  constexpr std::pair<const char*, ClientFunction> kClients[] = {
      {"appenders", RunAppender}, {"readers", RunReader}, {"tailers", RunTailer}, {"trimmers", RunTrimmer}};
  Gate clients(life.runtime);
  int number = 0;
  for (const auto& [name, run] : kClients) {
    for (std::int64_t i = 0; i < NumberOf(life.options, name); ++i) clients.Spawn(run(life, number++));
  }
  co_await clients.Close();
}

Task<Status> LastWords(Life& life) {
  std::vector<Task<Status>> words;
  for (std::int64_t log = 1; log <= life.logs; ++log) words.push_back(LastWord(life, LogId(log)));
  const std::vector<Status> spoken = co_await WhenAll(life.runtime, std::move(words));
  for (const Status& status : spoken) {
    if (!status.ok()) life.recorder.Line(StuckLine("a last word: " + status.ToString()));
  }
  const OpContext soon = OpContext().WithDeadline(life.runtime.Now() + kLastWord);
  const Status stopped = co_await life.deployment.Stop(soon);
  if (!stopped.ok()) life.recorder.Line(StuckLine("it does not stop: " + stopped.ToString()));
  co_return stopped;
}

void AwaitEndOfInput() {
  char byte;
  ssize_t got = 1;
  while (got > 0 || (got < 0 && errno == EINTR)) got = read(STDIN_FILENO, &byte, 1);
}

Status Run(const std::string& directory, const Options& options) {
  std::optional<RuleBreaker> breaker;
  if (const auto broken = options.find("break"); broken != options.end()) {
    const Mutant* mutant = FindMutant(broken->second);
    if (mutant == nullptr) return InvalidArgument("there is no such mutant").With("mutant", broken->second);
    breaker.emplace(mutant->rule);
  }
  const int count = static_cast<int>(NumberOf(options, "threads"));
  ThreadRuntimeOptions thread_options;
  thread_options.executor_threads = count;
  ThreadRuntime threads(thread_options);
  Runtime& runtime = threads.runtime();
  Recorder recorder(runtime);
  const std::string name = options.at("name");
  recorder.Line(ProcessLine(name, count, runtime.Now()));
  LS_ASSIGN(const std::unique_ptr<Deployment> deployment,
            Wait(Deployment::Open(runtime, EmbeddedDeployment(directory))));
  Life life{runtime, *deployment, recorder, options, name, NumberOf(options, "logs"),
            static_cast<std::uint64_t>(NumberOf(options, "seed")), milliseconds(NumberOf(options, "pause-ms")),
            milliseconds(NumberOf(options, "deadline-ms")), {NumberOf(options, "life") * kMostAppends}};
  Gate running(runtime);
  running.Spawn(RunClients(life));
  AwaitEndOfInput();
  life.stopping = true;
  Wait(running.Close());
  const Status stopped = Wait(LastWords(life));
  // Threads that hang behind another process's lock end with the process.
  if (!stopped.ok()) std::_Exit(1);
  return OkStatus();
}

Status Make(const std::string& directory, const Options& options) {
  ThreadRuntime threads{ThreadRuntimeOptions()};
  DeploymentOptions made = EmbeddedDeployment(directory);
  made.create = true;
  made.times.publish_deadline = milliseconds(NumberOf(options, "publish-ms"));
  made.times.index_deadline = milliseconds(NumberOf(options, "index-ms"));
  LS_ASSIGN(const std::unique_ptr<Deployment> deployment, Wait(Deployment::Open(threads.runtime(), made)));
  return Wait(deployment->Stop(OpContext()));
}

/// All records of a range.
Result<std::vector<MetadataRecord>> ScanAll(MetadataStore& metadata, LogId log, std::string first, std::string end) {
  std::vector<MetadataRecord> records;
  std::string cursor;
  while (true) {
    const KeyRange range{Partition::OfLog(log), first, end};
    LS_ASSIGN(ScanPage page, Wait(metadata.Scan(OpContext(), range, cursor, kPage)));
    for (MetadataRecord& record : page.records) records.push_back(std::move(record));
    if (!page.next) return records;
    cursor = *page.next;
  }
}

Result<FinalLog> ReadFinalLog(Deployment& deployment, LogId log, const FetchObject& fetch_wal,
                              const FetchObject& fetch_compacted) {
  MetadataStore& metadata = deployment.metadata();
  FinalLog final;
  LS_ASSIGN(const std::vector<MetadataRecord> index,
            ScanAll(metadata, log, FirstIndexKey(log), LastIndexKey(log)));
  for (const MetadataRecord& record : index) {
    LS_ASSIGN(const IndexKey key, IndexKey::Decode(record.key));
    final.records.push_back(ReadFinalRecord(record, key, fetch_wal, fetch_compacted));
  }
  LS_ASSIGN(const ReadAnswer marker, Wait(metadata.Get(OpContext(), Partition::OfLog(log), TrimMarkerKey(log))));
  if (marker) {
    LS_ASSIGN(final.marker, DecodeTrimMarker(marker->value.text(), marker->key));
  }
  const KeyBounds leases = WriteLeaseKeys(log);
  LS_ASSIGN(const std::vector<MetadataRecord> held, ScanAll(metadata, log, leases.first, leases.end));
  for (const MetadataRecord& lease : held) final.leases.push_back(lease.key);
  return final;
}

Status Final(const std::string& directory, const Options& options) {
  ThreadRuntime threads{ThreadRuntimeOptions()};
  LS_ASSIGN(const std::unique_ptr<Deployment> deployment,
            Wait(Deployment::Open(threads.runtime(), EmbeddedDeployment(directory))));
  std::map<std::string, Result<Buffer>> objects;
  const auto fetch = [&](const std::string& name) -> Result<Buffer> {
    const auto found = objects.find(name);
    if (found != objects.end()) return found->second;
    Result<Buffer> object = Wait(deployment->wal().Get(OpContext(), name, ByteRange()));
    return objects.emplace(name, std::move(object)).first->second;
  };
  const auto fetch_compacted = [&](const std::string& name) -> Result<Buffer> {
    return Wait(deployment->compacted().Get(OpContext(), name, ByteRange()));
  };
  Recorder recorder(threads.runtime());
  for (std::int64_t log = 1; log <= NumberOf(options, "logs"); ++log) {
    LS_ASSIGN(const FinalLog final, ReadFinalLog(*deployment, LogId(log), fetch, fetch_compacted));
    recorder.Line(FinalLines(LogId(log), final));
  }
  return Wait(deployment->Stop(OpContext()));
}

/// The processes that hold leases. In one coroutine and by small pages, which are read at once: a busy machine makes
/// every change of thread long.
Task<Result<std::set<std::int64_t>>> LeaseHolders(MetadataStore& metadata, std::int64_t logs) {
  std::set<std::int64_t> holders;
  for (std::int64_t log = 1; log <= logs; ++log) {
    const KeyBounds leases = WriteLeaseKeys(LogId(log));
    const KeyRange range{Partition::OfLog(LogId(log)), leases.first, leases.end};
    std::optional<std::string> cursor = "";
    while (cursor) {
      LS_CO_ASSIGN(const ScanPage page, co_await metadata.Scan(OpContext(), range, *cursor, kLookPage));
      for (const MetadataRecord& lease : page.records) holders.insert(lease.process);
      cursor = page.next;
    }
  }
  co_return holders;
}

Status Look(const std::string& directory, const Options& options) {
  ThreadRuntime threads{ThreadRuntimeOptions()};
  LS_ASSIGN(const std::unique_ptr<Deployment> deployment,
            Wait(Deployment::Open(threads.runtime(), EmbeddedDeployment(directory))));
  std::string line;
  while (std::getline(std::cin, line)) {
    LS_ASSIGN(const std::set<std::int64_t> holders,
              Wait(LeaseHolders(deployment->metadata(), NumberOf(options, "logs"))));
    std::string answer = "holders";
    for (const std::int64_t holder : holders) answer += ' ' + std::to_string(holder);
    std::printf("%s\n", answer.c_str());
    std::fflush(stdout);
  }
  return Wait(deployment->Stop(OpContext()));
}

int Main(int argc, char** argv) {
  const std::map<std::string, Status (*)(const std::string&, const Options&)> modes = {
      {"make", Make}, {"run", Run}, {"final", Final}, {"look", Look}};
  const auto mode = argc < 3 || argc % 2 == 0 ? modes.end() : modes.find(argv[1]);
  if (mode == modes.end()) {
    std::fprintf(stderr, "usage: history_client make|run|final|look DIR [--NAME VALUE ...]\n");
    return 2;
  }
  Options options;
  for (int i = 3; i < argc; i += 2) options[std::string(argv[i]).substr(2)] = argv[i + 1];
  const Status status = mode->second(argv[2], options);
  if (status.ok()) return 0;
  std::fprintf(stderr, "history_client: %s\n", status.ToString().c_str());
  return 1;
}

}  // namespace
}  // namespace lakestream::sim

int main(int argc, char** argv) { return lakestream::sim::Main(argc, argv); }
