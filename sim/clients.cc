#include "sim/clients.h"

#include <utility>

#include "base/try.h"
#include "runtime/semaphore.h"
#include "sim/client_chance.h"
#include "sim/world.h"

namespace lakestream::sim {
namespace {

using std::chrono::milliseconds;

/// Too near for most calls.
constexpr Duration kNear = milliseconds(40);

Operation Started(Operation::Kind kind, Process& process, int client, LogId log) {
  Operation operation;
  operation.kind = kind;
  operation.process = process.title();
  operation.client = client;
  operation.log = log;
  return operation;
}

SeenEntry Seen(const LogEntryHeader& header, AppendNumber number) {
  SeenEntry entry;
  entry.offset = header.offset;
  entry.records = header.number_of_records;
  entry.number = number;
  entry.cumulative_size = header.cumulative_size;
  entry.timestamp_ms = header.timestamp_ms;
  entry.size = header.entry_size;
  return entry;
}

Task<void> AppendOne(World& world, Process& process, int client, AppendRequest request, AppendNumber number,
                     OpContext context, AsyncSemaphore& window) {
  Operation operation = Started(Operation::Kind::kAppend, process, client, request.log);
  operation.number = number;
  operation.caller = request.caller;
  operation.records = request.records;
  operation.size = static_cast<std::int64_t>(request.payload.size());
  const std::size_t begun = world.Begin(std::move(operation));
  Result<LogEntryHeader> answer = co_await process.writer().Append(std::move(context), std::move(request));
  Operation& ended = world.End(begun, answer.status());
  if (answer.ok()) ended.acknowledged = Seen(*answer, number);
  window.Release(1);
}

Task<void> ReadOne(World& world, Process& process, int client, Operation::Kind kind, LogId log, Offset from,
                   ReadBounds bounds, OpContext context, Offset* next) {
  Operation operation = Started(kind, process, client, log);
  operation.from = from;
  operation.max_records = bounds.max_records;
  operation.max_bytes = bounds.max_bytes;
  const std::size_t begun = world.Begin(std::move(operation));
  LogReader& reader = process.reader();
  Task<Result<LogRead>> reading = kind == Operation::Kind::kTail
                                      ? reader.ReadOrAwait(std::move(context), log, from, bounds)
                                      : reader.Read(std::move(context), log, from, bounds);
  Result<LogRead> answer = co_await reading;
  Operation& ended = world.End(begun, answer.status());
  if (!answer.ok()) co_return;
  ended.next = answer->next;
  for (const LogEntry& entry : answer->entries) {
    ended.entries.push_back(Seen(entry.header, ReadPayload(entry.payload.span(), log)));
  }
  *next = answer->next;
}

Task<void> ExtentOne(World& world, Process& process, int client, LogId log, OpContext context, Offset* end) {
  const std::size_t begun = world.Begin(Started(Operation::Kind::kExtent, process, client, log));
  const Result<LogExtent> answer = co_await process.reader().Extent(std::move(context), log);
  Operation& ended = world.End(begun, answer.status());
  if (!answer.ok()) co_return;
  ended.low = answer->first;
  ended.high = answer->end;
  *end = answer->end;
}

ReadBounds DrawBounds(Random& random) {
  ReadBounds bounds;
  if (random.Below(3) == 0) bounds.max_records = 1 + static_cast<std::int64_t>(random.Below(10));
  if (random.Below(3) == 0) bounds.max_bytes = 1 + static_cast<std::int64_t>(random.Below(1000));
  return bounds;
}

}  // namespace

Task<void> RunAppender(World& world, Process& process, int client) {
  Random& random = ChanceOf(world, process, "client", client);
  const Plan& plan = world.plan();
  AsyncSemaphore window(process.node().runtime(), plan.window);
  Gate appends(process.node().runtime());
  while (world.TakeOperation()) {
    const Status granted = co_await window.Acquire(OpContext(), 1);
    if (!granted.ok()) break;
    const LogId log = world.AnyLog(random);
    const AppendNumber number = world.NextAppend();
    AppendRequest request;
    request.log = log;
    request.records = 1 + static_cast<std::int32_t>(random.Below(static_cast<std::uint64_t>(plan.max_records)));
    const std::uint64_t spare = static_cast<std::uint64_t>(world.MostPayload(log)) - kSmallestPayload + 1;
    request.payload = MakePayload(number, log, kSmallestPayload + random.Below(spare));
    request.caller = random.Below(2) == 0 ? 0 : static_cast<CallerId>(client) + 1;
    OpContext context = DrawContext(process, random, kNear);
    appends.Spawn(AppendOne(world, process, client, std::move(request), number, std::move(context), window));
    (void)co_await PauseUpTo(process, random, world.plan().pause);
  }
  co_await appends.Close();
}

Task<void> RunReader(World& world, Process& process, int client) {
  Random& random = ChanceOf(world, process, "client", client);
  Offset end;
  while (world.TakeOperation()) {
    const LogId log = world.AnyLog(random);
    OpContext context = DrawContext(process, random, kNear);
    if (random.Below(4) == 0) {
      co_await ExtentOne(world, process, client, log, std::move(context), &end);
    } else {
      const Offset from(static_cast<std::int64_t>(random.Below(static_cast<std::uint64_t>(end.value()) + 3)));
      const ReadBounds bounds = DrawBounds(random);
      Offset next;
      co_await ReadOne(world, process, client, Operation::Kind::kRead, log, from, bounds, std::move(context), &next);
      end = std::max(end, next);
    }
    (void)co_await PauseUpTo(process, random, world.plan().pause);
  }
}

Task<void> RunTailer(World& world, Process& process, int client) {
  Random& random = ChanceOf(world, process, "client", client);
  const LogId log = world.AnyLog(random);
  Offset next;
  while (world.TakeOperation()) {
    const MonotonicTime now = process.node().runtime().Now();
    OpContext context = OpContext().WithDeadline(now + milliseconds(1 + random.Below(5000)));
    const ReadBounds bounds = DrawBounds(random);
    co_await ReadOne(world, process, client, Operation::Kind::kTail, log, next, bounds, std::move(context), &next);
    (void)co_await PauseUpTo(process, random, world.plan().pause);
  }
}

Task<void> RunTrimmer(World& world, Process& process, int client) {
  Random& random = ChanceOf(world, process, "client", client);
  Offset end;
  while (world.TakeOperation()) {
    const LogId log = world.AnyLog(random);
    co_await ExtentOne(world, process, client, log, DrawContext(process, random, kNear), &end);
    Operation operation = Started(Operation::Kind::kTrim, process, client, log);
    operation.asked = Offset(static_cast<std::int64_t>(random.Below(static_cast<std::uint64_t>(end.value()) + 3)));
    const Offset through = operation.asked;
    OpContext context = DrawContext(process, random, kNear);
    const std::size_t begun = world.Begin(std::move(operation));
    const Result<SoftTrimOutcome> answer = co_await process.Trim(std::move(context), log, through);
    Operation& ended = world.End(begun, answer.status());
    if (answer.ok()) {
      ended.low = answer->before;
      ended.high = answer->after;
    }
    if (world.plan().hard_trims) {
      const OpContext soon = DrawContext(process, random, kNear);
      Task<Result<HardTrimOutcome>> trim = process.TrimHard(soon, log, through + 1);
      (void)co_await trim;
    }
    (void)co_await PauseUpTo(process, random, world.plan().pause);
    (void)co_await PauseUpTo(process, random, world.plan().pause);
  }
}

Task<void> RunChecker(World& world, Process& process, int client) {
  Random& random = ChanceOf(world, process, "client", client);
  while (world.TakeOperation()) {
    FsckOptions options;
    options.deep = random.Below(2) == 0;
    options.times = world.plan().writer.times;
    const OpContext context = DrawContext(process, random, kNear);
    const std::size_t number = world.BeginCheck(process);
    std::vector<std::string> damage;
    Task<Status> checking =
        Check(process.node().runtime(), process.Stores(), context, options, &damage);
    const Status status = co_await checking;
    world.EndCheck(number, status, std::move(damage));
    (void)co_await PauseUpTo(process, random, world.plan().pause);
  }
}

Task<Status> Check(Runtime& runtime, FsckStores stores, OpContext context, FsckOptions options,
                   std::vector<std::string>* damage) {
  const FindingSink sink = [damage](const Finding& finding) {
    const bool catalog = finding.kind == FindingKind::kUnregisteredLog || finding.kind == FindingKind::kLogIdNotGivenOut;
    if (IsDamage(finding.kind) && !catalog) damage->push_back(FindingText(finding));
  };
  Task<Result<FsckTotals>> checking =
      CheckDeployment(runtime, stores, std::move(context), std::move(options), sink);
  LS_CO_ASSIGN([[maybe_unused]] const FsckTotals totals, co_await checking);
  co_return OkStatus();
}

}  // namespace lakestream::sim
