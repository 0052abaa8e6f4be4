#include "log/writer/log_writer.h"

#include <algorithm>
#include <optional>
#include <stop_token>
#include <utility>

#include "base/broken_rule.h"
#include "base/invariant.h"
#include "base/try.h"
#include "log/writer/writer_parts.h"

namespace lakestream {
namespace {

constexpr Duration kFarAway = std::chrono::hours(1);

Status CheckOptions(const WriterOptions& o) {
  const auto refuse = [](std::string_view why) { return InvalidArgument(why); };
  if (o.max_entry_bytes < 1 || o.max_entry_bytes > std::int64_t{1} << 30) {
    return refuse("max_entry_bytes lies between 1 and 2^30");
  }
  if (o.target_object_bytes < 1 || o.target_object_bytes > std::int64_t{1} << 29) {
    return refuse("target_object_bytes lies between 1 and 2^29");
  }
  if (o.max_queued_bytes < 1) return refuse("max_queued_bytes is at least 1");
  if (o.max_puts_in_flight < 1) return refuse("max_puts_in_flight is at least 1");
  if (!(o.put_budget_per_second > 0) || !(o.put_budget_burst_seconds > 0) || !(o.index_put_budget_per_second > 0)) {
    return refuse("budgets are greater than 0");
  }
  const std::chrono::duration<double> linger_max = o.linger_max;
  if (linger_max.count() < 1 / o.put_budget_per_second) {
    return refuse("linger_max is at least 1 / put_budget_per_second: no linger overrides the budget");
  }
  if (o.times.grace < 10 * (o.times.publish_deadline + o.times.index_deadline)) {
    return refuse("grace is at least 10 times publish_deadline plus index_deadline");
  }
  return OkStatus();
}

}  // namespace

LogWriter::Parts::Parts(Runtime& r, MetadataStore& m, ObjectStore& w, LeaseKeeper& l, WriterOptions o)
    : runtime(r),
      meta(m),
      wal(w),
      leases(l),
      options(o),
      flush_rules{o.target_object_bytes, o.max_puts_in_flight, o.put_budget_per_second,
                  o.linger_max,          o.linger_max_busy,    o.linger_behind_put},
      answers(r.executor),
      memory_left(o.max_queued_bytes),
      last_start(r.Now() - kFarAway),
      put_tokens(o.put_budget_per_second, std::max(1.0, o.put_budget_per_second * o.put_budget_burst_seconds),
                 r.Now()),
      index_tokens(o.index_put_budget_per_second, o.index_put_budget_per_second, r.Now()),
      flusher_kick(std::make_shared<Event>(r.executor)),
      progress(std::make_shared<Event>(r.executor)),
      gate(r) {}

void LogWriter::Parts::KickFlusherLocked() { flusher_kick->Set(); }

void LogWriter::Parts::NoteReadyLocked(std::int64_t entries_before) {
  if (entries_before == 0 && queue.ready_entries() > 0) oldest_queued = runtime.Now();
}

std::int64_t LogWriter::Parts::CostOf(const PendingAppend& append) const {
  // An entry larger than all the memory would wait for ever: it takes what there is.
  return std::min(append.cost(), options.max_queued_bytes);
}

void LogWriter::Parts::AdmitLocked() {
  while (!waiting.empty()) {
    const PendingAppendPtr& first = waiting.begin()->second;
    if (CostOf(*first) > memory_left) return;
    memory_left -= CostOf(*first);
    EnqueueLocked(first);
    waiting.erase(waiting.begin());
  }
}

void LogWriter::Parts::RefuseWaitingLocked(const std::function<bool(const PendingAppend&)>& chosen, const Status& why) {
  for (auto at = waiting.begin(); at != waiting.end();) {
    if (chosen(*at->second)) {
      AnswerLocked(at->second, why);
      at = waiting.erase(at);
    } else {
      ++at;
    }
  }
}

void LogWriter::Parts::EnqueueLocked(PendingAppendPtr append) {
  const std::int64_t entries_before = queue.ready_entries();
  const std::int64_t bytes_before = queue.ready_bytes();
  queue.Add(std::move(append));
  NoteReadyLocked(entries_before);
  const bool filled = bytes_before < options.target_object_bytes &&
                      queue.ready_bytes() >= options.target_object_bytes;
  if (entries_before == 0 || filled) KickFlusherLocked();
}

void LogWriter::Parts::EndLocked(const PendingAppendPtr& append, Result<LogEntryHeader> answer) {
  if (!Broken(Rule::kMemoryIsGivenBack)) memory_left += CostOf(*append);
  if (!append->abandoned) AnswerLocked(append, std::move(answer));
}

void LogWriter::Parts::AnswerLocked(const PendingAppendPtr& append, Result<LogEntryHeader> answer) {
  LS_INVARIANT(!append->answer.has_value(), "an append is answered once");
  append->answer.emplace(std::move(answer));
  answers.Push(append);
}

bool LogWriter::Parts::IdleLocked() const { return queue.empty() && open_sections == 0 && puts_in_flight == 0; }

model::FlushSituation LogWriter::Parts::SituationLocked() const {
  model::FlushSituation s;
  s.now = runtime.Now();
  s.queued_entries = queue.ready_entries();
  s.queued_bytes = queue.ready_bytes();
  s.oldest_queued = oldest_queued;
  s.puts_in_flight = puts_in_flight;
  s.last_start = last_start;
  s.put_time = put_time;
  s.token_ready = put_tokens.ReadyAt(1, s.now);
  s.index_ready = index_tokens.ReadyAt(static_cast<double>(queue.ready_logs()), s.now);
  s.stopping = stopping;
  return s;
}

void LogWriter::Parts::StartFlushLocked(const model::FlushDecision& decision) {
  const MonotonicTime now = runtime.Now();
  last_start = now;
  if (decision.costs_token) put_tokens.Take(1, now);
  std::vector<std::vector<SectionPtr>> objects = queue.TakeFlush(options.target_object_bytes);
  FlushTimes times;
  times.queued = std::exchange(oldest_queued, now);
  times.started = now;
  for (std::vector<SectionPtr>& sections : objects) {
    index_tokens.Take(static_cast<double>(sections.size()), now);
    for (const SectionPtr& section : sections) {
      // A section that moves to a new object keeps its place in the order.
      if (section->objects++ > 0) continue;
      logs[section->log].order.push_back(section);
      ++open_sections;
    }
    ++puts_in_flight;
    gate.Spawn(WriteFlush(std::move(sections), times));
  }
}

Task<void> LogWriter::Parts::Flusher() {
  using Kind = model::FlushDecision::Kind;
  while (true) {
    std::shared_ptr<Event> kick;
    model::FlushDecision decision;
    {
      const std::lock_guard lock(mutex);
      if (stopped) co_return;
      if (flusher_kick->IsSet()) flusher_kick = std::make_shared<Event>(runtime.executor);
      kick = flusher_kick;
      decision = model::DecideFlush(flush_rules, SituationLocked());
      if (decision.kind == Kind::kStart) StartFlushLocked(decision);
    }
    if (decision.kind == Kind::kStart) continue;
    OpContext until;
    if (decision.kind == Kind::kAwaitTime) until = until.WithDeadline(decision.at);
    // Kicked or not, the situation is looked at again.
    (void)co_await kick->WaitFor(until);
  }
}

void LogWriter::Parts::AbandonAllLocked() {
  const Status why = Unavailable("the writer stopped before the append was written");
  RefuseWaitingLocked([](const PendingAppend&) { return true; }, why);
  for (const PendingAppendPtr& append : queue.TakeAllAppends()) EndLocked(append, why);
  std::vector<SectionPtr> open;
  for (const auto& [log, state] : logs) open.insert(open.end(), state.order.begin(), state.order.end());
  for (const SectionPtr& section : open) {
    if (!section->ended) ApplyLocked(section, model::SectionEvent::kProcessStopped, why);
  }
}

LogWriter::LogWriter(std::shared_ptr<Parts> parts) : parts_(std::move(parts)) {}
LogWriter::~LogWriter() = default;

Result<std::unique_ptr<LogWriter>> LogWriter::Open(Runtime& runtime, MetadataStore& meta, ObjectStore& wal,
                                                   LeaseKeeper& leases, WriterOptions options) {
  LS_TRY(CheckOptions(options));
  return std::unique_ptr<LogWriter>(
      new LogWriter(std::make_shared<Parts>(runtime, meta, wal, leases, std::move(options))));
}

void LogWriter::Start() {
  {
    const std::lock_guard lock(parts_->mutex);
    if (std::exchange(parts_->started, true)) return;
  }
  parts_->gate.Spawn(parts_->Flusher());
}

/// Ends the wait of an append when its context ends. In the frame that waits.
class LogWriter::Parts::Limit {
 public:
  /// The parts may go before the context ends.
  Limit(const std::shared_ptr<Parts>& parts, const OpContext& context, const PendingAppendPtr& append)
      : executor_(parts->runtime.executor) {
    const std::weak_ptr<Parts> weak = parts;
    if (context.deadline != MonotonicTime::max()) {
      timer_ = executor_.AddTimer(context.deadline, [weak, append] {
        const std::shared_ptr<Parts> held = weak.lock();
        if (held) held->GiveUp(append, DeadlineExceeded("the wait's deadline has passed"));
      });
    }
    if (context.cancel.stop_possible()) on_cancel_.emplace(context.cancel, OnCancel{weak, append, executor_});
  }
  Limit(const Limit&) = delete;
  Limit& operator=(const Limit&) = delete;
  ~Limit() {
    on_cancel_.reset();
    if (timer_) executor_.CancelTimer(*timer_);
  }

 private:
  struct OnCancel {
    std::weak_ptr<Parts> parts;
    PendingAppendPtr append;
    Executor& executor;
    /// Whoever cancels may hold locks of its own.
    void operator()() const {
      executor.Post([weak = parts, append = append] {
        const std::shared_ptr<Parts> held = weak.lock();
        if (held) held->GiveUp(append, Cancelled("the wait was cancelled"));
      });
    }
  };

  Executor& executor_;
  std::optional<TimerId> timer_;
  std::optional<std::stop_callback<OnCancel>> on_cancel_;
};

Status LogWriter::Parts::CheckRequest(const OpContext& context, const AppendRequest& request) const {
  if (request.log.value() < 0) return InvalidArgument("a log id is not negative").With("log", request.log.value());
  if (request.records < 1) {
    return InvalidArgument("an entry holds at least one record").With("records", request.records);
  }
  if (static_cast<std::int64_t>(request.payload.size()) > options.max_entry_bytes) {
    return InvalidArgument("the entry is larger than max_entry_bytes")
        .With("bytes", request.payload.size())
        .With("max_entry_bytes", options.max_entry_bytes);
  }
  return context.Check(runtime.Now());
}

Status LogWriter::Parts::Enqueue(const PendingAppendPtr& append) {
  const std::lock_guard lock(mutex);
  if (stopping) return Unavailable("the writer is stopping");
  // Behind all that wait, so that a log's appends keep the order of the calls.
  if (waiting.empty() && CostOf(*append) <= memory_left) {
    memory_left -= CostOf(*append);
    EnqueueLocked(append);
  } else {
    append->turn = ++last_turn;
    waiting.emplace(append->turn, append);
  }
  return OkStatus();
}

void LogWriter::Parts::GiveUp(const PendingAppendPtr& append, const Status& why) {
  const std::lock_guard lock(mutex);
  if (append->answer) return;
  if (waiting.erase(append->turn) > 0) {
    AnswerLocked(append, why);
    return AdmitLocked();
  }
  if (queue.Remove(append)) {
    EndLocked(append, why);
    return AdmitLocked();
  }
  // On its way. Who cancelled waits for what becomes of it.
  if (why.code() != StatusCode::kDeadlineExceeded) return;
  append->answer.emplace(Indeterminate("the append was on its way when its deadline passed"));
  if (Broken(Rule::kOnlyTheQueuedAreWithdrawn)) append->answer.emplace(why);
  append->abandoned = true;
  answers.Push(append);
}

// Millions of these run, so the frame is to stay small: what is rare is in functions of its own.
Task<Result<LogEntryHeader>> LogWriter::Append(OpContext context, AppendRequest request) {
  const std::shared_ptr<Parts> parts = parts_;
  LS_CO_TRY(parts->CheckRequest(context, request));
  const auto append = std::make_shared<PendingAppend>(std::move(request));
  LS_CO_TRY(parts->Enqueue(append));
  const Parts::Limit limit(parts, context, append);
  co_await append->Answered();
  co_return *append->answer;
}

Task<Status> LogWriter::Stop(OpContext context) {
  const std::shared_ptr<Parts> parts = parts_;
  {
    const std::lock_guard lock(parts->mutex);
    parts->stopping = true;
    parts->RefuseWaitingLocked([](const PendingAppend&) { return true; }, Unavailable("the writer is stopping"));
    parts->KickFlusherLocked();
  }
  Status outcome;
  while (true) {
    std::shared_ptr<Event> progress;
    {
      const std::lock_guard lock(parts->mutex);
      if (parts->IdleLocked()) break;
      progress = parts->progress;
    }
    outcome = co_await progress->WaitFor(context);
    if (!outcome.ok()) break;
  }
  {
    const std::lock_guard lock(parts->mutex);
    // First, so that what is abandoned makes room for nothing.
    parts->stopped = true;
    if (!outcome.ok()) parts->AbandonAllLocked();
    parts->KickFlusherLocked();
  }
  parts->stop.request_stop();
  co_await parts->gate.Close();
  co_return outcome;
}

WriterStats LogWriter::stats() const {
  const std::lock_guard lock(parts_->mutex);
  WriterStats stats = parts_->stats;
  stats.queued_bytes = parts_->options.max_queued_bytes - parts_->memory_left;
  stats.puts_in_flight = parts_->puts_in_flight;
  return stats;
}

WriterLatency LogWriter::latency() const {
  WriterLatency latency;
  latency.queue = parts_->queue_time.Snapshot();
  latency.put = parts_->put_time_seen.Snapshot();
  latency.index = parts_->index_time.Snapshot();
  latency.total = parts_->total_time.Snapshot();
  return latency;
}

}  // namespace lakestream
