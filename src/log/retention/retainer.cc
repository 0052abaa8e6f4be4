#include "log/retention/retainer.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/broken_rule.h"
#include "base/try.h"
#include "log/engine_options.h"
#include "log/reader/log_index.h"
#include "log/retention/entry_source.h"
#include "log/retention/reclaimable.h"
#include "log/retention/retention_walk.h"
#include "log/trim/hard_trim.h"
#include "log/trim/soft_trim.h"
#include "runtime/when_all.h"

namespace lakestream {

namespace {

/// Logs whose first kept entry is remembered; more begin anew.
constexpr std::size_t kMostRemembered = 200'000;

/// Every record is looked at once.
ReaderOptions NothingKept() {
  ReaderOptions options;
  options.index_cache_age = Duration::zero();
  return options;
}

/// Where earlier walks ended, so that a boundary within a compacted file costs no GET in each pass.
class FirstKept {
 public:
  std::optional<LogEntryHeader> Of(LogId log) {
    const std::lock_guard lock(mutex_);
    const auto found = entries_.find(log);
    return found == entries_.end() ? std::nullopt : std::optional<LogEntryHeader>(found->second);
  }
  void Note(LogId log, const std::optional<LogEntryHeader>& entry) {
    const std::lock_guard lock(mutex_);
    if (!entry) return;
    if (entries_.size() >= kMostRemembered) entries_.clear();
    entries_[log] = *entry;
  }

 private:
  std::mutex mutex_;
  std::unordered_map<LogId, LogEntryHeader> entries_;
};

}  // namespace

std::string_view RetentionOutcomeName(RetentionOutcome::Kind kind) {
  switch (kind) {
    case RetentionOutcome::Kind::kKept:
      return "kept";
    case RetentionOutcome::Kind::kTrimmed:
      return "trimmed";
    case RetentionOutcome::Kind::kFenced:
      return "fenced";
    case RetentionOutcome::Kind::kFailed:
      return "failed";
  }
  return "unknown";
}

struct Retainer::Impl {
  Impl(RetainerParts p, RetainerOptions o)
      : parts(p),
        options(o),
        index(p.runtime, p.meta, NothingKept()),
        entries(p.runtime, p.wal, p.compacted, p.homes, o.cache_bytes) {}

  RetainerParts parts;
  const RetainerOptions options;
  LogIndex index;
  EntrySource entries;
  FirstKept first_kept;

  /// What the workers of a pass share.
  struct Round {
    std::vector<RetainedLog> logs;
    RetentionObserver observer;
    std::mutex observing;
    std::atomic<std::size_t> next{0};
  };

  Task<Status> Work(OpContext context, Round& round);
  Task<Status> One(OpContext context, RetainedLog log, RetentionOutcome* outcome);
  Task<Result<RetentionLook>> Look(OpContext context, RetainedLog log, std::int64_t now_ms);
  Task<Result<RetentionLook>> LookByTheStore(OpContext context, RetainedLog log, RetentionLook look,
                                             std::int64_t* now_ms);
  Task<Status> Trim(OpContext context, const RetentionLook& look, RetentionOutcome* outcome);
  Task<Status> Reclaim(OpContext context, const RetentionLook& look, std::int64_t now_ms, RetentionOutcome* outcome);
};

Task<Result<RetentionLook>> Retainer::Impl::Look(OpContext context, RetainedLog log, std::int64_t now_ms) {
  std::optional<LogEntryHeader> kept = first_kept.Of(log.log);
  RetentionWalk walk(parts.meta, index, entries, log.log, log.rules, now_ms, &kept);
  Task<Result<RetentionLook>> run = walk.Run(std::move(context));
  Result<RetentionLook> look = co_await run;
  first_kept.Note(log.log, kept);
  co_return look;
}

/// Entries go by the earlier of two clocks: a process whose clock is ahead, and a store whose clock was ahead for a
/// while, let nothing go early. Only what is about to be trimmed needs to ask the store.
Task<Result<RetentionLook>> Retainer::Impl::LookByTheStore(OpContext context, RetainedLog log, RetentionLook look,
                                                           std::int64_t* now_ms) {
  if (!log.rules.ms || look.keep_from == look.marker || Broken(Rule::kRetentionGoesByTheStoresClock)) co_return look;
  LS_CO_ASSIGN(const LeaseUse lease, co_await parts.leases.Acquire(context, log.log));
  const std::int64_t store_ms = lease.StoreMillis(parts.runtime.Now());
  if (store_ms >= *now_ms) co_return look;
  *now_ms = store_ms;
  Task<Result<RetentionLook>> again = Look(std::move(context), log, store_ms);
  co_return co_await again;
}

Task<Status> Retainer::Impl::Trim(OpContext context, const RetentionLook& look, RetentionOutcome* outcome) {
  if (look.keep_from <= look.marker) co_return OkStatus();
  Task<Result<SoftTrimOutcome>> trim = SoftTrim(parts.runtime, parts.meta, parts.leases, std::move(context),
                                                outcome->log, look.keep_from - 1);
  LS_CO_ASSIGN(const SoftTrimOutcome trimmed, co_await trim);
  outcome->before = trimmed.before;
  outcome->after = trimmed.after;
  outcome->capped |= trimmed.capped;
  // Somebody else may have trimmed meanwhile; whatever is above what they left has gone by this.
  if (trimmed.after == trimmed.before) co_return OkStatus();
  outcome->reason = look.reason;
  outcome->records = std::min(look.records, trimmed.after - trimmed.before);
  outcome->bytes = look.bytes;
  co_return OkStatus();
}

Task<Status> Retainer::Impl::Reclaim(OpContext context, const RetentionLook& look, std::int64_t now_ms,
                                     RetentionOutcome* outcome) {
  if (!look.last_start || Broken(Rule::kTrimmedIsReclaimed)) co_return OkStatus();
  const Offset marker = Broken(Rule::kHardTrimStopsAtMarker) ? *look.last_start : outcome->after;
  const Offset through = Broken(Rule::kLastRecordStays) ? marker : std::min(marker, *look.last_start);
  Task<Result<Reclaimable>> find =
      FindReclaimable(parts.meta, context, outcome->log, through, now_ms, options.settle_time);
  LS_CO_ASSIGN(const Reclaimable found, co_await find);
  if (found.index_records > 0 && options.dry_run) {
    outcome->index_records = found.index_records;
    outcome->files = found.files;
    outcome->reclaimed_bytes = found.bytes;
  } else if (found.index_records > 0) {
    Task<Result<HardTrimOutcome>> trim = HardTrim(parts.runtime, parts.meta, parts.compacted, parts.leases, parts.homes,
                                                  std::move(context), outcome->log, found.limit);
    LS_CO_ASSIGN(const HardTrimOutcome trimmed, co_await trim);
    outcome->index_records = trimmed.records;
    outcome->files = trimmed.files;
    outcome->reclaimed_bytes = found.bytes;
  }
  co_return found.flaw;
}

Task<Status> Retainer::Impl::One(OpContext context, RetainedLog log, RetentionOutcome* outcome) {
  std::int64_t now_ms = ToMillis(parts.runtime.clock.Wall());
  Task<Result<RetentionLook>> first = Look(context, log, now_ms);
  LS_CO_ASSIGN(RetentionLook look, co_await first);
  if (look.fenced) co_return Fenced("the log is being deleted");
  outcome->before = outcome->after = look.marker;
  if (options.dry_run) {
    outcome->after = look.keep_from;
    outcome->reason = look.reason;
    outcome->records = look.records;
    outcome->bytes = look.bytes;
  } else {
    Task<Result<RetentionLook>> by_the_store = LookByTheStore(context, log, look, &now_ms);
    LS_CO_ASSIGN(look, co_await by_the_store);
    if (look.fenced) co_return Fenced("the log is being deleted");
  }
  outcome->capped = look.capped;
  outcome->kept_records = look.kept_records;
  outcome->kept_bytes = look.kept_bytes;
  if (!options.dry_run) {
    Task<Status> trim = Trim(context, look, outcome);
    LS_CO_TRY(co_await trim);
  }
  Task<Status> reclaim = Reclaim(std::move(context), look, now_ms, outcome);
  LS_CO_TRY(co_await reclaim);
  co_return look.flaw;
}

Task<Status> Retainer::Impl::Work(OpContext context, Round& round) {
  for (std::size_t i = round.next++; i < round.logs.size(); i = round.next++) {
    LS_CO_TRY(context.Check(parts.runtime.Now()));
    RetentionOutcome outcome;
    outcome.log = round.logs[i].log;
    Task<Status> one = One(context, round.logs[i], &outcome);
    outcome.status = co_await one;
    // What was cut short has no outcome.
    if (!outcome.status.ok()) LS_CO_TRY(context.Check(parts.runtime.Now()));
    if (outcome.after > outcome.before || outcome.index_records > 0) outcome.kind = RetentionOutcome::Kind::kTrimmed;
    if (!outcome.status.ok()) outcome.kind = RetentionOutcome::Kind::kFailed;
    if (outcome.status.code() == StatusCode::kFenced) outcome.kind = RetentionOutcome::Kind::kFenced;
    const std::lock_guard lock(round.observing);
    round.observer(outcome);
  }
  co_return OkStatus();
}

Retainer::Retainer(RetainerParts parts, RetainerOptions options) : impl_(std::make_unique<Impl>(parts, options)) {}
Retainer::~Retainer() = default;

Task<Status> Retainer::Pass(OpContext context, std::vector<RetainedLog> logs, RetentionObserver observer) {
  for (const RetainedLog& log : logs) {
    if (log.log.value() < 0) co_return InvalidArgument("a log id is not negative").With("log", log.log.value());
  }
  Impl::Round round;
  round.logs = std::move(logs);
  round.observer = std::move(observer);
  std::vector<Task<Status>> workers;
  for (int i = 0; i < std::max(impl_->options.logs_at_once, 1); ++i) workers.push_back(impl_->Work(context, round));
  Task<std::vector<Status>> all = WhenAll(impl_->parts.runtime, std::move(workers));
  const std::vector<Status> ended = co_await all;
  for (const Status& status : ended) LS_CO_TRY(status);
  co_return OkStatus();
}

}  // namespace lakestream
