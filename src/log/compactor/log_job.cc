#include "log/compactor/log_job.h"

#include <algorithm>

#include "base/broken_rule.h"
#include "base/try.h"
#include "format/entry_index.h"
#include "log/compactor/installer.h"
#include "log/compactor/log_planner.h"
#include "log/trim/hard_trim.h"

namespace lakestream {

namespace {

using Action = model::CompactionAction;
using Kind = CompactionOutcome::Kind;
using State = model::CompactionState;

/// A compaction takes about five turns. So many mean that others keep changing the record.
constexpr int kMostTurns = 40;
constexpr int kMostPauses = 10;
constexpr Duration kFirstPause = std::chrono::milliseconds(10);

CompactionRange RangeOf(const CompactionRecord& record) {
  if (const auto* working = std::get_if<CompactionWorking>(&record.state)) return working->range;
  return std::get<CompactionInstalling>(record.state).range;
}

}  // namespace

Task<void> LogJob::Advance(OpContext context) {
  for (int turn = 0; !over_ && !wants_files_ && turn < kMostTurns; ++turn) {
    Task<Status> one = Turn(context);
    const Status status = co_await one;
    if (status.ok()) continue;
    if (!context.Check(shared_.parts.runtime.Now()).ok()) {
      interrupted_ = status;
      co_return;
    }
    EndStuck(status);
  }
  if (wants_files_) co_return;
  if (!over_) EndStuck(Unavailable("others keep changing a compaction record").With("log", log_.value()));
  if (session_ == nullptr) co_return;
  if ((owns_ || unsettled_) && !Broken(Rule::kClaimStaysWithItsOwner)) co_return;
  Task<void> release = shared_.claims.Release(context, session_, log_);
  co_await release;
}

Task<Status> LogJob::Turn(OpContext context) {
  LS_CO_TRY(context.Check(shared_.parts.runtime.Now()));
  if (session_ == nullptr) {
    claimed_ms_.reset();
    Task<Result<ClaimKeeper::SessionPtr>> live = shared_.claims.Live(context);
    LS_CO_ASSIGN(session_, co_await live);
  }
  Task<Result<CompactionLook>> look_at = LookAtCompaction(shared_.parts.meta, context, log_, session_->id());
  LS_CO_ASSIGN(CompactionLook look, co_await look_at);
  owns_ = look.owner == session_->id();
  // Whoever did it: an installation is left in no other way than done to its end.
  if (look.state() != State::kInstalling) shared_.unsettled.LetGo(log_);
  // A swap on a version that has passed has been done, or never will be.
  if (unsettled_ && look.version.value_or(-1) != *unsettled_) unsettled_.reset();
  const Action action = Decide(look);
  Task<Status> act = Act(std::move(context), action, std::move(look));
  co_return co_await act;
}

Action LogJob::Decide(const CompactionLook& look) {
  model::CompactionFacts facts;
  facts.state = look.state();
  facts.own = owns_;
  facts.at_it = owns_ && written_ && *written_ == look.value;
  facts.complete = facts.at_it && files_.has_value();
  facts.owner_lives = look.owner_lives;
  if (look.version) {
    facts.unchanged = shared_.unchanged.Saw(log_, *look.version, shared_.parts.runtime.Now());
  }
  const model::CompactionStand stand = model::StandOf(facts, shared_.options.work_deadline);
  model::CompactionView view = look.fenced ? model::CompactionView::kLogFenced : model::CompactionView::kLogLives;
  if (!session_->ProvablyAlive()) view = model::CompactionView::kSessionEnded;
  shared_.cells.Note(stand, view);
  if (Broken(Rule::kTakenOverFromTheEndedAlone) && stand == model::CompactionStand::kInstallingLate) {
    return Action::kTakeOver;
  }
  if (Broken(Rule::kFenceLeavesInstalling) && facts.state == State::kInstalling && look.fenced) {
    return Action::kAbandon;
  }
  return model::NextCompaction(stand, view);
}

Task<Status> LogJob::Act(OpContext context, Action action, CompactionLook look) {
  switch (action) {
    case Action::kClaim: return Claim(std::move(context), std::move(look));
    case Action::kBeginInstall: return BeginInstall(std::move(context), std::move(look));
    case Action::kInstall: return Install(std::move(context), std::move(look));
    case Action::kTakeOver: return TakeOver(std::move(context), std::move(look));
    case Action::kAbandon: return Abandon(std::move(context), std::move(look));
    case Action::kGoOn:
      wants_files_ = true;
      break;
    case Action::kWait:
      outcome_.owner = look.owner;
      End(Kind::kWaiting);
      break;
    case Action::kMarkDropped:  // Whoever deletes a log knows that it is deleted; here nobody does.
    case Action::kLeave:
      End(Kind::kNothing);
      break;
    case Action::kStartAgain:
      session_ = nullptr;
      break;
  }
  return Pause(std::move(context));
}

/// The record is idle: because nothing has begun, or because it is over.
Task<Status> LogJob::Claim(OpContext context, CompactionLook look) {
  outcome_.quarantined = look.record.quarantined;
  if (!failure_.ok()) co_return failure_;
  if (installed_to_ && std::get<CompactionIdle>(look.record.state).next >= *installed_to_) {
    EndCompacted(look.record);
    co_return OkStatus();
  }
  if (marked_) {
    Task<Status> begin = BeginWork(std::move(context), std::move(look));
    co_return co_await begin;
  }
  if (worked_) {
    again_at_once_ = true;
    co_return Unavailable("a range was taken away, or trimmed, while its files were written").With("log", log_.value());
  }
  const std::int64_t now_ms = claimed_ms_.value_or(ToMillis(shared_.parts.runtime.clock.Wall()));
  Task<Result<LogPlan>> planning =
      PlanLog(shared_.parts.meta, context, log_, look, shared_.options.plan, now_ms);
  LS_CO_ASSIGN(LogPlan plan, co_await planning);
  decision_ = plan.decision;
  outcome_.decision = plan.decision;
  switch (plan.decision.kind) {
    case model::CompactionDecision::Kind::kNothing:
      End(Kind::kNothing);
      co_return OkStatus();
    case model::CompactionDecision::Kind::kTrimFirst: {
      Task<Status> trim = TrimFirst(std::move(context));
      co_return co_await trim;
    }
    case model::CompactionDecision::Kind::kCompact:
      break;
  }
  if (!claimed_ms_) {
    // Then the record is read again, and the plan made by the clock of the store.
    Task<Status> claim = EnsureClaim(std::move(context));
    co_return co_await claim;
  }
  // Files of work that was given up stay where they are: no record names them any more.
  ForgetFiles();
  Task<Result<LogHome>> find = shared_.parts.homes.Find(context, log_);
  LS_CO_ASSIGN(work_.home, co_await find);
  work_.log = log_;
  work_.range = plan.decision.range;
  work_.trim_marker = look.trim_marker;
  work_.records = std::move(plan.records);
  LS_CO_ASSIGN(key_, IndexKey::Decode(work_.records.back().key));
  keys_.clear();
  for (const RangeRecord& record : work_.records) {
    RangeRecord short_one;
    short_one.key = record.key;
    short_one.span = record.span;
    short_one.index.location = record.index.location;
    keys_.push_back(std::move(short_one));
  }
  work_.names.clear();
  for (std::int64_t i = 0; i < plan.decision.most_files; ++i) {
    work_.names.push_back("lks-" + shared_.parts.runtime.random.Uuid() + ".parquet");
  }
  if (Broken(Rule::kWorkingComesBeforeUploads)) {
    marked_ = true;
    wants_files_ = true;
    co_return OkStatus();
  }
  Task<Status> begin = BeginWork(std::move(context), std::move(look));
  co_return co_await begin;
}

Task<Status> LogJob::BeginWork(OpContext context, CompactionLook look) {
  marked_ = false;
  CompactionRecord next = look.record;
  // What is trimmed is told of no more.
  std::erase_if(next.quarantined, [&](const QuarantinedRange& q) { return q.range.end <= look.trim_marker; });
  std::vector<std::string> names = work_.names;
  if (names.empty() && files_) {
    for (const CompactedFile& file : files_->files.files) names.push_back(file.name);
  }
  next.state = CompactionWorking{session_->id(), decision_.range, std::move(names)};
  Task<Status> swap = Swap(std::move(context), std::move(look), std::move(next));
  co_return co_await swap;
}

Task<Status> LogJob::EnsureClaim(OpContext context) {
  Task<Result<std::optional<std::int64_t>>> claim = shared_.claims.Claim(context, session_, log_);
  const Result<std::optional<std::int64_t>> claimed = co_await claim;
  if (claimed.status().code() == StatusCode::kFenced) {
    shared_.claims.Forget(session_);
    session_ = nullptr;
    Task<Status> pause = Pause(std::move(context));
    co_return co_await pause;
  }
  if (!claimed.ok()) co_return claimed.status();
  claimed_ms_ = claimed->value_or(ToMillis(shared_.parts.runtime.clock.Wall()));
  co_return OkStatus();
}

Task<Status> LogJob::TrimFirst(OpContext context) {
  const CompactorParts& parts = shared_.parts;
  Task<Result<HardTrimOutcome>> trim = HardTrim(parts.runtime, parts.meta, parts.compacted, parts.leases, parts.homes,
                                                std::move(context), log_, decision_.trim_to);
  const Result<HardTrimOutcome> trimmed = co_await trim;
  if (trimmed.status().code() == StatusCode::kFenced) {
    End(Kind::kNothing);
    co_return OkStatus();
  }
  if (!trimmed.ok()) co_return trimmed.status();
  outcome_.trimmed_to = trimmed->limit;
  End(trimmed->records > 0 ? Kind::kTrimmed : Kind::kNothing);
  co_return OkStatus();
}

void LogJob::GiveFiles(RangeFiles files) {
  wants_files_ = false;
  worked_ = true;
  failure_ = files.status;
  files_ = std::move(files);
  if (!failure_.ok()) written_.reset();
}

void LogJob::ForgetFiles() {
  files_.reset();
  written_.reset();
}

Task<Status> LogJob::BeginInstall(OpContext context, CompactionLook look) {
  if (!Broken(Rule::kRangeIsCheckedAgain)) {
    Task<Result<model::RangeCheck::Answer>> check = CheckRange(
        shared_.parts.meta, context, log_, decision_.range, decision_.cumulative_after, look.trim_marker);
    LS_CO_ASSIGN(const model::RangeCheck::Answer answer, co_await check);
    if (answer != model::RangeCheck::Answer::kHolds) ForgetFiles();
    if (answer == model::RangeCheck::Answer::kChanged) {
      failure_ = Corrupt("the index records of a range have changed while it was compacted")
                     .With("log", log_.value())
                     .With("start", decision_.range.start.value())
                     .With("end", decision_.range.end.value());
    }
    // The next turn gives the work up.
    if (answer != model::RangeCheck::Answer::kHolds) co_return OkStatus();
  }
  const Result<EntryIndex> index = MakeParquetEntryIndex(files_->files, decision_.records(), decision_.bytes());
  if (!index.ok()) {
    failure_ = index.status();
    ForgetFiles();
    co_return OkStatus();
  }
  CompactionRecord next = look.record;
  next.state = CompactionInstalling{session_->id(), decision_.range, key_, EncodeEntryIndex(*index)};
  Task<Status> swap = Swap(std::move(context), std::move(look), std::move(next));
  co_return co_await swap;
}

Task<Status> LogJob::Install(OpContext context, CompactionLook look) {
  const CompactorParts& parts = shared_.parts;
  installed_to_ = RangeOf(look.record).end;
  outcome_.files = FilesOf(look.record);
  Installer installer(parts.runtime, parts.meta, parts.leases, shared_.cells, log_, look.record, *look.version,
                      session_);
  Task<InstallEnd> run = installer.Run(context);
  InstallEnd end = co_await run;
  if (end.unsettled) shared_.unsettled.Hold(log_, std::move(end.unsettled));
  switch (end.action) {
    case model::InstallAction::kDone:
      owns_ = false;
      outcome_.range = RangeOf(look.record);
      EndCompacted(look.record);
      co_return OkStatus();
    case model::InstallAction::kLeave:
      End(Kind::kNothing);
      co_return OkStatus();
    case model::InstallAction::kReadAgain:
      outcome_.range = RangeOf(look.record);
      unsettled_ = look.version;
      break;
    case model::InstallAction::kStartAgain:
      if (end.status.code() == StatusCode::kFenced) shared_.claims.Forget(session_);
      // Of the two sessions the lease's may be the one that has ended.
      if (end.status.code() == StatusCode::kFenced || !session_->ProvablyAlive()) session_ = nullptr;
      break;
    default:
      co_return end.status.ok() ? Unavailable("a compaction could not be installed") : end.status;
  }
  Task<Status> pause = Pause(std::move(context));
  co_return co_await pause;
}

Task<Status> LogJob::TakeOver(OpContext context, CompactionLook look) {
  Task<Status> claim = EnsureClaim(context);
  LS_CO_TRY(co_await claim);
  if (session_ == nullptr) co_return OkStatus();
  CompactionRecord next = look.record;
  std::get<CompactionInstalling>(next.state).owner = session_->id();
  Task<Status> swap = Swap(std::move(context), std::move(look), std::move(next));
  co_return co_await swap;
}

Task<Status> LogJob::Abandon(OpContext context, CompactionLook look) {
  CompactionRecord next = look.record;
  next.state = CompactionIdle{RangeOf(look.record).start};
  if (owns_ && files_ && files_->damaged) {
    Task<Result<std::optional<QuarantinedRange>>> find = Damage(context);
    LS_CO_ASSIGN(std::optional<QuarantinedRange> quarantined, co_await find);
    if (quarantined) {
      const auto at = std::find_if(
          next.quarantined.begin(), next.quarantined.end(),
          [&](const QuarantinedRange& other) { return other.range.start > quarantined->range.start; });
      next.quarantined.insert(at, std::move(*quarantined));
      again_at_once_ = true;
    }
  }
  written_.reset();
  Task<Status> swap = Swap(std::move(context), std::move(look), std::move(next));
  co_return co_await swap;
}

/// The record whose object is missing or damaged, if the store still has it.
Task<Result<std::optional<QuarantinedRange>>> LogJob::Damage(OpContext context) {
  const RangeRecord& record = keys_[*files_->damaged];
  LS_CO_ASSIGN(const ReadAnswer answer,
               co_await shared_.parts.meta.Get(std::move(context), Partition::OfLog(log_), record.key));
  if (!answer) co_return std::optional<QuarantinedRange>();
  LS_CO_ASSIGN(const EntryIndex index, DecodeEntryIndex(answer->value.span(), record.key));
  const bool same = index.file_type == FileType::kRaw && index.location == record.index.location;
  if (!same) co_return std::optional<QuarantinedRange>();
  QuarantinedRange quarantined;
  quarantined.range = CompactionRange{record.span.start, record.span.end};
  quarantined.reason = failure_.ToString();
  co_return std::optional<QuarantinedRange>(std::move(quarantined));
}

Task<Status> LogJob::Swap(OpContext context, CompactionLook look, CompactionRecord next) {
  const bool owned = !std::holds_alternative<CompactionIdle>(next.state);
  LS_CO_ASSIGN(std::string value, EncodeCompactionRecord(next, log_));
  if (owned) {
    written_ = std::move(value);
    owns_ = true;
  }
  Task<Status> swap = SwapCompaction(shared_.parts.meta, context, log_, std::move(next), look.version, session_);
  const Status swapped = co_await swap;
  switch (swapped.code()) {
    case StatusCode::kOk:
      pauses_ = 0;
      co_return OkStatus();
    case StatusCode::kFenced:
      shared_.claims.Forget(session_);
      session_ = nullptr;
      break;
    case StatusCode::kIndeterminate:
      unsettled_ = look.version.value_or(-1);
      break;
    case StatusCode::kAlreadyExists:
    case StatusCode::kPreconditionFailed:
    case StatusCode::kUnavailable:
      break;
    default:
      co_return swapped.With("log", log_.value());
  }
  Task<Status> pause = Pause(std::move(context));
  co_return co_await pause;
}

/// Something did not go as it should: not too often, and not at once again.
Task<Status> LogJob::Pause(OpContext context) {
  if (over_ || wants_files_) co_return OkStatus();
  if (++pauses_ > kMostPauses) co_return OkStatus();
  const Duration pause = kFirstPause * (1 << (pauses_ - 1));
  Task<Status> sleep = SleepFor(shared_.parts.runtime, std::move(context), pause);
  co_return co_await sleep;
}

void LogJob::End(Kind kind) {
  over_ = true;
  outcome_.kind = kind;
  if (kind != Kind::kWaiting) shared_.unchanged.Forget(log_);
}

void LogJob::EndStuck(const Status& why) {
  End(Kind::kStuck);
  outcome_.status = why;
  outcome_.pinned_bytes = decision_.pinned_bytes;
}

void LogJob::EndCompacted(const CompactionRecord& record) {
  End(Kind::kCompacted);
  outcome_.quarantined = record.quarantined;
  if (!files_) return;
  outcome_.entries = files_->entries;
  outcome_.file_bytes = files_->bytes;
}

}  // namespace lakestream
