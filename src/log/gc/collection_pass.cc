#include "log/gc/collection_pass.h"

#include <algorithm>
#include <limits>

#include "base/broken_rule.h"
#include "base/try.h"
#include "log/holds/holds.h"
#include "log/gc/dropped_logs.h"
#include "log/gc/name_scan.h"

namespace lakestream {

namespace {

constexpr int kObjectsPerPage = 1000;
constexpr int kNumberAttempts = 100;
constexpr int kPublishAttempts = 3;
constexpr int kPassesPerPage = 1000;

void Count(CollectedRoot::Count& count, std::int64_t bytes) {
  ++count.objects;
  count.bytes += bytes;
}

std::int64_t BytesOf(const ObjectInfo& info) { return static_cast<std::int64_t>(info.size); }

/// As ReferenceOf, of a name that counts as ours.
std::optional<std::uint64_t> OurReference(ObjectRoot root, std::string_view key) {
  const std::optional<std::uint64_t> reference = ReferenceOf(root, key);
  if (!reference && Broken(Rule::kForeignObjectsStay)) return ReferenceOfLocation(key);
  return reference;
}

}  // namespace

Task<Result<CollectionReport>> CollectionPass::Run() {
  Task<Status> holds = ReadHolds();
  LS_CO_TRY(co_await holds);
  if (!dry_run_) {
    Task<Status> drops = FinishDrops();
    LS_CO_TRY(co_await drops);
  }
  Task<Status> begin = Begin();
  LS_CO_TRY(co_await begin);
  Task<Status> find = FindWhatIsNamed();
  LS_CO_TRY(co_await find);
  Task<Status> publish = Publish();
  LS_CO_TRY(co_await publish);
  if (!dry_run_) {
    if (!report_.overtaken) {
      Task<Status> remove = DeleteGarbage();
      LS_CO_TRY(co_await remove);
    }
    Task<Status> leftovers = RemoveLeftovers();
    LS_CO_TRY(co_await leftovers);
    Task<Status> tidy = Tidy();
    LS_CO_TRY(co_await tidy);
  }
  co_return std::move(report_);
}

Status CollectionPass::Take(const Status& step, bool model::PassFacts::*fact) {
  facts_.*fact = step.ok();
  if (first_flaw_.ok()) first_flaw_ = step;
  return Broken(Rule::kIncompletePassesCountNothing) ? OkStatus() : step;
}

Task<Status> CollectionPass::ReadHolds() {
  Task<Result<std::vector<CollectionHold>>> list = ListHolds(parts_.meta, context_);
  LS_CO_ASSIGN(const std::vector<CollectionHold> holds, co_await list);
  report_.holds.clear();
  for (const CollectionHold& hold : holds) report_.holds.push_back(hold.name);
  co_return OkStatus();
}

Task<Status> CollectionPass::FinishDrops() {
  Task<Result<SweepReport>> sweep = parts_.catalog.Sweep(context_);
  const Result<SweepReport> swept = co_await sweep;
  report_.sweep_status = swept.status();
  if (swept.ok()) report_.sweep = *swept;
  Task<Result<std::int64_t>> mark = MarkDroppedLogs(parts_.runtime, parts_.meta, context_);
  LS_CO_ASSIGN(report_.dropped_logs, co_await mark);
  co_return OkStatus();
}

Task<Status> CollectionPass::Begin() {
  Task<Result<CandidateBase>> read = ReadCandidateBase(parts_.meta, context_);
  LS_CO_ASSIGN(base_, co_await read);
  if (dry_run_) {
    boot_ = parts_.runtime.clock.Boot();
    report_.started = parts_.runtime.clock.Wall();
    object_clocks_.fill(report_.started);
    facts_.clocks_agree = true;
    co_return OkStatus();
  }
  // Asked before the record is made: of two moments the earlier one makes objects younger.
  Task<Status> clocks = ReadClocks();
  LS_CO_TRY(co_await clocks);
  boot_ = parts_.runtime.clock.Boot();
  Task<Status> create = CreatePassRecord();
  LS_CO_TRY(co_await create);
  facts_.clocks_agree = true;
  for (const ObjectRoot root : {ObjectRoot::kCompacted, ObjectRoot::kWal}) {
    const WallTime clock = object_clocks_[static_cast<std::size_t>(root)];
    if (model::ClocksAgree(report_.started, clock, options_.grace)) continue;
    const Status apart = Unavailable("the clocks of the stores do not agree; nothing is collected until they do")
                             .With("root", ObjectRootName(root))
                             .With("object_store_ms", ToMillis(clock))
                             .With("metadata_store_ms", ToMillis(report_.started));
    LS_CO_TRY(Take(apart, &model::PassFacts::clocks_agree));
  }
  co_return OkStatus();
}

Task<Status> CollectionPass::ReadClocks() {
  for (const ObjectRoot root : {ObjectRoot::kCompacted, ObjectRoot::kWal}) {
    Task<Result<WallTime>> ask = AskClock(root);
    LS_CO_ASSIGN(object_clocks_[static_cast<std::size_t>(root)], co_await ask);
    if (Broken(Rule::kAgeIsByTheStoresClock)) {
      object_clocks_[static_cast<std::size_t>(root)] = parts_.runtime.clock.Wall();
    }
  }
  co_return OkStatus();
}

/// What the store says of an object that was written just now.
Task<Result<WallTime>> CollectionPass::AskClock(ObjectRoot root) {
  const std::string key = CollectionProbeName(parts_.runtime.random.Uuid());
  const BufferChain bytes(Buffer::CopyOf("what time is it?\n"));
  Task<Status> put = Store(root).Put(context_, key, bytes, PutMode::kCreate);
  LS_CO_TRY(co_await put);
  Task<Result<ObjectInfo>> head = Store(root).Head(context_, key);
  LS_CO_ASSIGN(const ObjectInfo info, co_await head);
  std::vector<std::string> keys(1, key);
  Task<Status> remove = Store(root).Delete(context_, std::move(keys));
  const Status removed = co_await remove;
  (void)removed;  // one that stays is garbage like any other
  co_return info.modified;
}

Task<Status> CollectionPass::CreatePassRecord() {
  const std::string last = CollectionPassKey(std::numeric_limits<std::int64_t>::max());
  Task<Result<ReadAnswer>> look = parts_.meta.Floor(context_, CollectionHome(), last);
  LS_CO_ASSIGN(const ReadAnswer answer, co_await look);
  std::int64_t number = base_.result ? base_.result->pass : 0;
  if (answer) number = std::max(number, NumberOfCollectionPassKey(answer->key).value_or(0));
  CollectionPassRecord record;
  record.collector = parts_.runtime.random.Uuid();
  LS_CO_ASSIGN(const std::string value, EncodeCollectionPass(record));
  for (int attempt = 0; attempt < kNumberAttempts; ++attempt) {
    const std::string key = CollectionPassKey(++number);
    const Buffer bytes = Buffer::CopyOf(value);
    Task<Result<WriteAnswer>> create =
        parts_.meta.CreateIfAbsent(context_, CollectionHome(), key, bytes, WriteGuard());
    const Result<WriteAnswer> created = co_await create;
    if (created.status().code() == StatusCode::kAlreadyExists) continue;
    LS_CO_TRY(created.status());
    report_.pass = number;
    report_.started = WallTimeFromMillis(created->created_ms);
    co_return OkStatus();
  }
  co_return Unavailable("other collectors took every number");
}

Task<Status> CollectionPass::FindWhatIsNamed() {
  const NameScan::Sink mark_named = [this](std::uint64_t reference, const std::string&) {
    for (ObjectTable& table : tables_) table.MarkNamed(reference);
  };
  NameScan names(parts_.meta, context_, mark_named);
  if (!dry_run_) {
    Task<Status> mark = names.Mark(report_.pass);
    LS_CO_TRY(co_await mark);
  }
  Task<Status> list = ListAll(&CollectionPass::TakeListed);
  const Status listed = co_await list;
  LS_CO_TRY(Take(listed, &model::PassFacts::listed));
  for (ObjectTable& table : tables_) table.Seal();
  // A file goes from a compaction record into the index: who looks the other way round may see it in neither.
  const bool index_first = Broken(Rule::kWorkIsReadBeforeTheIndex);
  for (const bool index : {index_first, !index_first}) {
    Task<Status> scan = index ? names.ScanIndex() : names.ReadWork();
    const Status scanned = co_await scan;
    LS_CO_TRY(Take(scanned, index ? &model::PassFacts::index_scanned : &model::PassFacts::work_read));
  }
  report_.compaction_records = names.work_records();
  report_.index_records = names.index_records();
  co_return OkStatus();
}

Task<Status> CollectionPass::ListAll(Visit visit) {
  for (const ObjectRoot root : {ObjectRoot::kCompacted, ObjectRoot::kWal}) {
    std::string before;
    std::optional<std::string> after = "";
    while (after) {
      Task<Result<ListPage>> list = Store(root).List(context_, "", *after, kObjectsPerPage);
      LS_CO_ASSIGN(ListPage listed, co_await list);
      for (const ObjectInfo& info : listed.objects) {
        if (info.key <= before) co_return Corrupt("a listing is not in order").With("object", info.key);
        before = info.key;
      }
      after = std::move(listed.next);
      Page page;
      page.root = root;
      page.objects = std::move(listed.objects);
      Task<Status> take = (this->*visit)(std::move(page));
      LS_CO_TRY(co_await take);
    }
  }
  co_return OkStatus();
}

Duration CollectionPass::AgeOf(ObjectRoot root, const ObjectInfo& info) const {
  return object_clocks_[static_cast<std::size_t>(root)] - info.modified;
}

Task<Status> CollectionPass::TakeListed(Page page) {
  CollectedRoot& found = Found(page.root);
  for (const ObjectInfo& info : page.objects) {
    Count(found.all, BytesOf(info));
    const std::optional<std::uint64_t> reference = OurReference(page.root, info.key);
    if (!reference) {
      Count(found.foreign, BytesOf(info));
    } else if (!model::IsOldEnough(AgeOf(page.root, info), options_.grace)) {
      Count(found.young, BytesOf(info));
    } else {
      Table(page.root).Add(*reference);
    }
  }
  co_return OkStatus();
}

Task<Status> CollectionPass::Publish() {
  CandidateBase base = base_;
  for (int attempt = 0; attempt < kPublishAttempts; ++attempt) {
    report_.overtaken = attempt > 0;
    if (report_.overtaken) {
      Task<Result<CandidateBase>> read = ReadCandidateBase(parts_.meta, context_);
      LS_CO_ASSIGN(base, co_await read);
    }
    if (!dry_run_) writer_.emplace(parts_.meta, context_, report_.pass);
    Task<Status> choose = Choose(base);
    const Status chosen = co_await choose;
    if (base_is_gone_) {
      Task<Result<CandidateBase>> read = ReadCandidateBase(parts_.meta, context_);
      LS_CO_ASSIGN(const CandidateBase last, co_await read);
      if (last.number != base.number) {
        // Another collector has ended a pass, and tidied up.
        Task<Status> discard = Discard();
        LS_CO_TRY(co_await discard);
        continue;
      }
    }
    LS_CO_TRY(Take(chosen, &model::PassFacts::listed));
    if (!model::IsComplete(facts_)) co_return first_flaw_;
    if (dry_run_) co_return OkStatus();
    Task<Result<bool>> publish = writer_->Publish(base.number + 1, StampNow());
    LS_CO_ASSIGN(bool published, co_await publish);
    if (published) {
      // Numbers before the last are free again, once that has been tidied up.
      Task<Result<CandidateBase>> read = ReadCandidateBase(parts_.meta, context_);
      LS_CO_ASSIGN(const CandidateBase last, co_await read);
      published = last.result && last.result->pass == report_.pass;
    }
    if (published) {
      published_ = base.number + 1;
      superseded_ = base.result ? base.result->pass : 0;
      co_return OkStatus();
    }
    Task<Status> discard = Discard();
    LS_CO_TRY(co_await discard);
  }
  co_return Unavailable("other collectors were faster each time");
}

Task<Status> CollectionPass::Discard() {
  if (!writer_) co_return OkStatus();
  Task<Status> discard = writer_->Discard();
  co_return co_await discard;
}

std::optional<BootStamp> CollectionPass::StampNow() const {
  if (options_.boot_id.empty()) return std::nullopt;
  return BootStamp{options_.boot_id, ToMillis(parts_.runtime.clock.Boot().time_since_epoch())};
}

Task<Status> CollectionPass::Choose(const CandidateBase& base) {
  for (CollectedRoot* found : {&report_.wal, &report_.compacted}) {
    found->named = found->waiting = found->garbage = CollectedRoot::Count();
  }
  report_.next.reset();
  reader_.reset();
  base_is_gone_ = false;
  base_ended_ = WallTimeFromMillis(base.ended_ms);
  ran_ahead_ = Duration::zero();
  report_.waiting_anew = base.number > 0 && !base.result;
  if (base.result) {
    model::PassMoment before;
    before.by_store = base_ended_;
    const std::optional<BootStamp>& stamp = base.result->boot;
    if (stamp && stamp->boot_id == options_.boot_id) before.boot = BootTime(std::chrono::milliseconds(stamp->ms));
    model::PassMoment now;
    now.by_store = report_.started;
    now.boot = boot_;
    ran_ahead_ = model::RanAhead(before, now);
    reader_.emplace(parts_.meta, context_, base.result->pass, base.result->records);
    Task<Status> first = AdvanceBase();
    LS_CO_TRY(co_await first);
  }
  Task<Status> list = ListAll(&CollectionPass::ChooseFrom);
  LS_CO_TRY(co_await list);
  const std::string behind_all = "~";
  Task<Result<std::optional<CollectionCandidate>>> rest = BaseCandidate(behind_all);
  LS_CO_TRY((co_await rest).status());
  // Compacted files are also deleted by hard trims.
  if (!Table(ObjectRoot::kWal).AllSeen() && !Broken(Rule::kListingsAreWhole)) {
    co_return Unavailable("objects of one listing are not in the next; one of them was cut short");
  }
  co_return OkStatus();
}

/// Where the rest of them cannot be read, because another collector has ended a pass or bytes were changed, the objects
/// that it names wait anew.
Task<Status> CollectionPass::AdvanceBase() {
  Task<Status> advance = reader_->Advance();
  const Status advanced = co_await advance;
  if (advanced.code() != StatusCode::kNotFound && advanced.code() != StatusCode::kCorrupt) co_return advanced;
  reader_.reset();
  base_is_gone_ = report_.waiting_anew = true;
  co_return OkStatus();
}

Task<Result<std::optional<CollectionCandidate>>> CollectionPass::BaseCandidate(std::string object) {
  std::optional<CollectionCandidate> found;
  while (reader_ && reader_->current() != nullptr && reader_->current()->object <= object) {
    const CollectionCandidate candidate = *reader_->current();
    if (candidate.object == object) {
      found = candidate;
    } else if (const std::optional<RootedName> name = RootedName::Parse(candidate.object)) {
      // Whoever deleted it had waited for it as well.
      const std::optional<std::uint64_t> reference = OurReference(name->root, name->key);
      if (reference) Table(name->root).MarkSeen(*reference);
    }
    Task<Status> advance = AdvanceBase();
    LS_CO_TRY(co_await advance);
  }
  co_return found;
}

Task<Status> CollectionPass::ChooseFrom(Page page) {
  for (const ObjectInfo& info : page.objects) {
    const std::optional<std::uint64_t> reference = OurReference(page.root, info.key);
    if (!reference) continue;
    RootedName name;
    name.root = page.root;
    name.key = info.key;
    Task<Result<std::optional<CollectionCandidate>>> look = BaseCandidate(name.ToString());
    LS_CO_ASSIGN(const std::optional<CollectionCandidate> known, co_await look);
    if (!model::IsOldEnough(AgeOf(page.root, info), options_.grace)) continue;
    if (!Table(page.root).Holds(*reference)) {
      if (Broken(Rule::kListingsAreWhole)) continue;
      co_return Unavailable("an old object was not in the listing before; that was cut short").With("object", info.key);
    }
    Table(page.root).MarkSeen(*reference);
    Task<Status> weigh = Weigh(page.root, info, *reference, known);
    LS_CO_TRY(co_await weigh);
  }
  co_return OkStatus();
}

Duration CollectionPass::WaitedSince(WallTime since) const {
  const WallTime until = Broken(Rule::kGraceEndsBeforeThePass) ? parts_.runtime.clock.Wall() : report_.started;
  return model::Waited(since, until);
}

Task<Status> CollectionPass::Weigh(ObjectRoot root, const ObjectInfo& info, std::uint64_t reference,
                                   std::optional<CollectionCandidate> known) {
  model::ObjectFacts facts;
  facts.ours = true;
  facts.named = Table(root).IsNamed(reference);
  facts.age = AgeOf(root, info);
  std::optional<WallTime> since;
  if (known) {
    const bool waits_anew = !known->since_ms || Broken(Rule::kCandidateKeepsItsTime);
    since = (waits_anew ? base_ended_ : WallTimeFromMillis(*known->since_ms)) + ran_ahead_;
    facts.waited = WaitedSince(*since);
  }
  const model::ObjectVerdict verdict = model::JudgeObject(facts, options_.grace);
  CollectedRoot& found = Found(root);
  if (verdict == model::ObjectVerdict::kNamed) Count(found.named, BytesOf(info));
  const bool garbage = verdict == model::ObjectVerdict::kGarbage;
  if (!garbage && verdict != model::ObjectVerdict::kCandidate) co_return OkStatus();
  Count(garbage ? found.garbage : found.waiting, BytesOf(info));
  if (!garbage) {
    const WallTime due = since.value_or(report_.started) + options_.grace;
    if (!report_.next || due < *report_.next) report_.next = due;
  }
  CollectionCandidate candidate;
  RootedName name;
  name.root = root;
  name.key = info.key;
  candidate.object = name.ToString();
  candidate.bytes = BytesOf(info);
  if (since) candidate.since_ms = ToMillis(*since);
  if (dry_run_) {
    if (!garbage) co_return OkStatus();
    Tell(candidate, CollectedOutcome::kWouldBeDeleted);
    co_return OkStatus();
  }
  Task<Status> add = writer_->Add(std::move(candidate));
  co_return co_await add;
}

Task<Status> CollectionPass::DeleteGarbage() {
  CandidateReader mine(parts_.meta, context_, report_.pass, writer_->result().records);
  std::vector<CollectionCandidate> batch;
  ObjectRoot root = ObjectRoot::kCompacted;
  next_delete_ = parts_.runtime.Now();
  while (!stopped_by_hold_) {
    Task<Status> advance = mine.Advance();
    const Status advanced = co_await advance;
    // Another collector ended a pass meanwhile: the rest is his.
    if (advanced.code() == StatusCode::kNotFound) co_return OkStatus();
    LS_CO_TRY(advanced);
    const CollectionCandidate* const candidate = mine.current();
    const std::optional<RootedName> name = candidate != nullptr ? RootedName::Parse(candidate->object) : std::nullopt;
    const bool full = batch.size() >= static_cast<std::size_t>(options_.deletes_at_once);
    if (!batch.empty() && (!name || name->root != root || full)) {
      Task<Status> remove = DeleteBatch(root, std::exchange(batch, {}));
      LS_CO_TRY(co_await remove);
    }
    if (!name) co_return OkStatus();
    root = name->root;
    model::ObjectFacts facts;
    facts.ours = true;
    facts.age = Duration::max();  // or it would be no candidate
    if (candidate->since_ms) facts.waited = WaitedSince(WallTimeFromMillis(*candidate->since_ms));
    if (model::JudgeObject(facts, options_.grace) == model::ObjectVerdict::kGarbage) batch.push_back(*candidate);
  }
  co_return OkStatus();
}

Task<Status> CollectionPass::DeleteBatch(ObjectRoot root, std::vector<CollectionCandidate> batch) {
  Task<Status> sleep = SleepUntil(parts_.runtime, context_, next_delete_);
  LS_CO_TRY(co_await sleep);
  const auto pause = std::chrono::nanoseconds(std::chrono::seconds(batch.size())) / options_.deletes_per_second;
  next_delete_ = parts_.runtime.Now() + pause;
  // A process that stood still while the deployment was moved or restored cannot write, and must not delete either.
  CollectionPassRecord record;
  record.collector = parts_.runtime.random.Uuid();
  LS_CO_ASSIGN(std::string value, EncodeCollectionPass(record));
  const Buffer bytes(std::move(value));
  Task<Result<WriteAnswer>> renew =
      parts_.meta.Put(context_, CollectionHome(), CollectionPassKey(report_.pass), bytes, WriteGuard());
  LS_CO_TRY((co_await renew).status());
  Task<Status> holds = ReadHolds();
  LS_CO_TRY(co_await holds);
  stopped_by_hold_ = !report_.holds.empty() && !Broken(Rule::kHoldsStopDeletions);
  if (stopped_by_hold_) co_return OkStatus();
  std::vector<std::string> keys;
  for (const CollectionCandidate& candidate : batch) {
    Tell(candidate, CollectedOutcome::kDeleting);
    keys.push_back(RootedName::Parse(candidate.object)->key);
  }
  Task<Status> remove = Store(root).Delete(context_, std::move(keys));
  const Status removed = co_await remove;
  for (const CollectionCandidate& candidate : batch) {
    // Of a call that failed some may be gone, whatever it says.
    Tell(candidate, removed.ok() ? CollectedOutcome::kDeleted : CollectedOutcome::kUnknown);
    if (removed.ok()) Count(Found(root).deleted, candidate.bytes);
  }
  co_return removed;
}

void CollectionPass::Tell(const CollectionCandidate& candidate, CollectedOutcome outcome) const {
  CollectedObject object;
  object.outcome = outcome;
  object.object = candidate.object;
  object.bytes = candidate.bytes;
  object.since = candidate.since_ms ? WallTimeFromMillis(*candidate.since_ms) : report_.started;
  observer_(object);
}

/// Holds do not matter here: what was not completed is no object, and no record can ever name it.
Task<Status> CollectionPass::RemoveLeftovers() {
  for (const ObjectRoot root : {ObjectRoot::kCompacted, ObjectRoot::kWal}) {
    const WallTime before = object_clocks_[static_cast<std::size_t>(root)] - options_.grace;
    Task<Result<ObjectLeftovers>> remove = Store(root).RemoveLeftovers(context_, before);
    LS_CO_ASSIGN(const ObjectLeftovers removed, co_await remove);
    Found(root).leftovers.objects = removed.uploads;
    Found(root).leftovers.bytes = removed.bytes;
  }
  co_return OkStatus();
}

/// Removes what later passes have no use for: results but the last, and what older passes left, also those that were cut
/// short.
Task<Status> CollectionPass::Tidy() {
  Task<Status> results = parts_.meta.DeleteRange(context_, CollectionHome(), CollectionResultKey(0),
                                                 CollectionResultKey(published_), WriteGuard());
  LS_CO_TRY(co_await results);
  KeyRange range;
  range.partition = CollectionHome();
  range.from = CollectionPassKeys().first;
  range.to = CollectionPassKey(report_.pass);
  std::int64_t oldest = report_.pass;  // that stays
  std::optional<std::string> cursor = "";
  while (cursor) {
    LS_CO_ASSIGN(ScanPage page, co_await parts_.meta.Scan(context_, range, *cursor, kPassesPerPage));
    for (const MetadataRecord& record : page.records) {
      const std::optional<std::int64_t> number = NumberOfCollectionPassKey(record.key);
      if (!number) continue;
      const bool given_up = report_.started - WallTimeFromMillis(record.created_ms) > options_.grace;
      if (*number != superseded_ && !given_up) {
        oldest = std::min(oldest, *number);
        continue;
      }
      const KeyBounds bounds = CandidatesKeys(*number);
      Task<Status> candidates =
          parts_.meta.DeleteRange(context_, CollectionHome(), bounds.first, bounds.end, WriteGuard());
      LS_CO_TRY(co_await candidates);
      Task<Status> pass = parts_.meta.Delete(context_, CollectionHome(), record.key, WriteGuard());
      LS_CO_TRY(co_await pass);
    }
    cursor = std::move(page.next);
  }
  // A pass that stood still until it was given up writes candidates that no record of a pass leads to.
  Task<Status> strays = parts_.meta.DeleteRange(context_, CollectionHome(), CandidatesKeys(0).first,
                                                CandidatesKeys(oldest).first, WriteGuard());
  co_return co_await strays;
}

}  // namespace lakestream
