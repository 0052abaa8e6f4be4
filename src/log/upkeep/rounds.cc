#include "log/upkeep/rounds.h"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/try.h"

namespace lakestream {
namespace {

void Add(CompactionTotals* sum, const CompactionTotals& pass) {
  sum->compacted += pass.compacted;
  sum->trimmed += pass.trimmed;
  sum->nothing += pass.nothing;
  sum->waiting += pass.waiting;
  sum->stuck += pass.stuck;
  sum->left_alone += pass.left_alone;
  sum->payload_bytes += pass.payload_bytes;
  sum->file_bytes += pass.file_bytes;
  sum->objects_read += pass.objects_read;
  sum->gets += pass.gets;
  sum->scratch_bytes += pass.scratch_bytes;
  sum->most_held = std::max(sum->most_held, pass.most_held);
}

bool HasMore(const CompactionOutcome& outcome, MonotonicTime now) {
  switch (outcome.kind) {
    case CompactionOutcome::Kind::kCompacted:
    case CompactionOutcome::Kind::kTrimmed:
      return true;
    case CompactionOutcome::Kind::kStuck:
      return outcome.retry_at <= now;  // what is damaged was set aside; the rest can go on
    case CompactionOutcome::Kind::kNothing:
    case CompactionOutcome::Kind::kWaiting:
      return false;
  }
  return false;
}

/// The rules of each log of a group; a stream that cannot be understood is told of once, with its first partition.
class GroupRules {
 public:
  GroupRules(const std::vector<NamedLog>& group, const RetentionTold& told, RetentionRound* round) {
    for (const NamedLog& one : group) {
      const Result<model::RetentionRules> rules = model::ParseRetentionRules(one.stream->properties);
      if (rules.ok()) {
        logs_.push_back(RetainedLog{one.log(), *rules});
        of_.emplace(one.log(), Of{&one, *rules});
      } else if (one.partition == 0) {
        ++round->failed;
        told.refused(*one.stream, rules.status());
      }
    }
    round->logs += static_cast<std::int64_t>(logs_.size());
  }

  struct Of {
    const NamedLog* log;
    model::RetentionRules rules;
  };
  const std::vector<RetainedLog>& logs() const { return logs_; }
  const Of& of(LogId log) const { return of_.at(log); }

 private:
  std::vector<RetainedLog> logs_;
  std::unordered_map<LogId, Of> of_;
};

void Count(const RetentionOutcome& outcome, RetentionRound* round) {
  round->records += outcome.records;
  round->bytes += outcome.bytes;
  round->index_records += outcome.index_records;
  round->files += outcome.files;
  round->reclaimed_bytes += outcome.reclaimed_bytes;
  if (outcome.after > outcome.before || outcome.index_records > 0) ++round->trimmed_logs;
  if (outcome.kind == RetentionOutcome::Kind::kFailed) ++round->failed;
}

}  // namespace

void AddTo(CompactionRound* sum, const CompactionRound& round) {
  Add(&sum->totals, round.totals);
  sum->logs += round.logs;
  sum->files += round.files;
  sum->more = round.more;
}

void AddTo(RetentionRound* sum, const RetentionRound& round) {
  sum->logs += round.logs;
  sum->trimmed_logs += round.trimmed_logs;
  sum->records += round.records;
  sum->bytes += round.bytes;
  sum->index_records += round.index_records;
  sum->files += round.files;
  sum->reclaimed_bytes += round.reclaimed_bytes;
  sum->failed += round.failed;
}

Task<Result<CompactionRound>> CompactAll(Runtime& runtime, Compactor& compactor, OpContext context, LogGroups groups,
                                         bool drain, CompactionTold told) {
  CompactionRound round;
  while (true) {
    LS_CO_ASSIGN(const std::vector<NamedLog> group, co_await groups.Next(context));
    if (group.empty()) co_return round;
    round.logs += static_cast<std::int64_t>(group.size());
    std::vector<LogId> logs;
    std::unordered_map<LogId, const NamedLog*> named;
    for (const NamedLog& one : group) {
      logs.push_back(one.log());
      named.emplace(one.log(), &one);
    }
    while (!logs.empty()) {
      std::vector<LogId> more;
      const CompactionObserver observer = [&](const CompactionOutcome& outcome) {
        if (HasMore(outcome, runtime.Now())) more.push_back(outcome.log);
        round.files += static_cast<std::int64_t>(outcome.files.size());
        told(*named.at(outcome.log), outcome);
      };
      Task<Result<CompactionTotals>> pass = compactor.Pass(context, std::exchange(logs, std::vector<LogId>()), observer);
      LS_CO_ASSIGN(const CompactionTotals totals, co_await pass);
      Add(&round.totals, totals);
      round.more = round.more || !more.empty();
      if (drain) logs = std::move(more);
    }
  }
}

Task<Result<RetentionRound>> RetainAll(Retainer& retainer, OpContext context, LogGroups groups, RetentionTold told) {
  RetentionRound round;
  while (true) {
    LS_CO_ASSIGN(const std::vector<NamedLog> group, co_await groups.Next(context));
    if (group.empty()) co_return round;
    const GroupRules rules(group, told, &round);
    const RetentionObserver observer = [&](const RetentionOutcome& outcome) {
      Count(outcome, &round);
      const GroupRules::Of& of = rules.of(outcome.log);
      told.log(*of.log, of.rules, outcome);
    };
    Task<Status> pass = retainer.Pass(context, rules.logs(), observer);
    LS_CO_TRY(co_await pass);
  }
}

}  // namespace lakestream
