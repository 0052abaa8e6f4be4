#include <algorithm>
#include <utility>

#include "base/broken_rule.h"
#include "base/invariant.h"
#include "base/logging.h"
#include "base/try.h"
#include "format/entry_index.h"
#include "format/index_key.h"
#include "format/log_records.h"
#include "log/writer/writer_parts.h"

namespace lakestream {
namespace {

using model::SectionAction;
using model::SectionEvent;
using model::SectionState;

constexpr int kMostIndexTries = 10;
constexpr int kMostObjects = 8;  ///< of one section, before it fails
constexpr Duration kFirstPause = std::chrono::milliseconds(10);
constexpr Duration kLongestPause = std::chrono::seconds(2);
constexpr Duration kFenceReadTime = std::chrono::seconds(5);
constexpr int kSettlePage = 256;

Status NotDoneBehind() { return Unavailable("an earlier append of the same caller on this log was not done"); }

SectionEvent EventOf(const Status& refused, bool unanswered) {
  switch (refused.code()) {
    case StatusCode::kIndeterminate:
      if (Broken(Rule::kLostAnswerIsNotRetried)) return SectionEvent::kRefused;
      if (Broken(Rule::kUnknownSectionsStay)) return SectionEvent::kObjectTooOld;
      return unanswered ? SectionEvent::kDeadline : SectionEvent::kLostAnswer;
    case StatusCode::kFenced: return SectionEvent::kSessionRefused;
    case StatusCode::kPreconditionFailed: return SectionEvent::kObjectTooOld;
    case StatusCode::kUnavailable:
    case StatusCode::kDeadlineExceeded:
    case StatusCode::kCancelled: return SectionEvent::kRefused;
    default: return SectionEvent::kRejected;
  }
}

/// What a writer would say that does not wait for the store. Only where a rule is broken.
CommittedRecord GuessOf(const Section& section) {
  CommittedRecord guess;
  guess.end = section.end_before + section.records;
  return guess;
}

std::set<CallerId> CallersOf(const Section& section) {
  std::set<CallerId> callers;
  for (const PendingAppendPtr& append : section.entries) {
    if (append->request.caller != 0) callers.insert(append->request.caller);
  }
  return callers;
}

}  // namespace

// ---------------------------------------------------------------------------------------------------------
// What the table says

void LogWriter::Parts::ApplyLocked(const SectionPtr& section, SectionEvent event, const Status& why) {
  const model::SectionCell cell = model::NextSection(section->state, event);
  LS_INVARIANT(cell.action != SectionAction::kImpossible, model::SectionEventName(event));
  ++stats.cells[static_cast<std::size_t>(section->state)][static_cast<std::size_t>(event)];
  section->state = cell.next;
  switch (cell.action) {
    case SectionAction::kNone:
    case SectionAction::kSend:
    case SectionAction::kCheckFence:
    case SectionAction::kAcknowledge:
      // The caller holds what these need, and does them.
      return;
    case SectionAction::kMoveObject: {
      if (section->objects >= kMostObjects) {
        return ApplyLocked(section, SectionEvent::kObjectFailed, Unavailable("no object was young enough to publish"));
      }
      if (!section->lease.Usable() || event == SectionEvent::kSessionRefused) section->lease.Invalidate();
      section->lease = LeaseUse();
      section->object = nullptr;
      ++stats.rewritten_sections;
      const std::int64_t entries_before = queue.ready_entries();
      queue.AddSection(section);
      NoteReadyLocked(entries_before);
      return KickFlusherLocked();
    }
    case SectionAction::kRetrySoon:
      if (++section->index_tries >= kMostIndexTries) return ApplyLocked(section, SectionEvent::kObjectFailed, why);
      section->retry_pending = true;
      gate.Spawn(RetryLater(section));
      return;
    case SectionAction::kFail: return FailLocked(section, why);
    case SectionAction::kAnswerDeleted:
      section->lease.Invalidate();
      // Stored, so it is not answered as not done (docs/adr/0003).
      return FailLocked(section, Indeterminate("the append was stored in a log that is being deleted, and goes with it")
                                     .With("log", section->log.value()));
    case SectionAction::kPark:
      ++stats.unknown_sections;
      gate.Spawn(SettleUnknown(section));
      if (Broken(Rule::kUnknownSectionParksItsLog)) return IssueReadyLocked(section->log);
      if (!std::exchange(logs[section->log].parked, true)) ++stats.parked_logs;
      queue.Block(section->log);
      return;
    case SectionAction::kGiveUp:
      // The change may still happen, so the lease that covers it is not given back.
      section->lease.KeepForUnknownChange();
      if (Broken(Rule::kGivenUpIsIndeterminate)) return FailLocked(section, Unavailable("the append was not done"));
      return FailLocked(section, Indeterminate("the append may have been done, now or later")
                                     .With("log", section->log.value())
                                     .With("object", section->object->name));
    case SectionAction::kReportDamage: {
      ++stats.damaged_sections;
      const Status damage = Indeterminate("an index record names an object that may already be a candidate for deletion")
                                .With("log", section->log.value())
                                .With("object", section->object->name);
      Log(LogLevel::kError, "not acknowledged: the answer came later than half of the grace", damage);
      return FailLocked(section, damage);
    }
    case SectionAction::kImpossible: break;
  }
}

void LogWriter::Parts::AcknowledgeLocked(const SectionPtr& section, const CommittedRecord& record) {
  LogEntryHeader header;
  header.offset = record.end - section->records;
  header.timestamp_ms = record.created_ms;
  header.cumulative_size = record.cumulative_size - section->bytes;
  ++stats.index_puts;
  stats.entries += static_cast<std::int64_t>(section->entries.size());
  stats.bytes += section->bytes;
  const MonotonicTime now = runtime.Now();
  index_time.Record(now - section->object->times.durable);
  total_time.Record(now - section->object->times.queued);
  for (const PendingAppendPtr& append : section->entries) {
    header.number_of_records = append->request.records;
    header.entry_size = static_cast<std::int32_t>(append->request.payload.size());
    if (!Broken(Rule::kSizesAddUp)) header.cumulative_size += header.entry_size;
    EndLocked(append, header);
    header.offset = Broken(Rule::kOffsetsCountRecords) ? header.offset + 1 : header.end();
  }
  LogState& state = logs[section->log];
  state.known_end = std::max(state.known_end, record.end);
  EndSectionLocked(section, OkStatus());
  ContinueLocked(section->log);
}

void LogWriter::Parts::EndSectionLocked(const SectionPtr& section, const Status& why) {
  LS_INVARIANT(!section->ended, "a section ends once");
  section->ended = true;
  section->lease = LeaseUse();
  if (!why.ok()) {
    stats.failed_entries += static_cast<std::int64_t>(section->entries.size());
    for (const PendingAppendPtr& append : section->entries) EndLocked(append, why);
  }
  std::erase(logs[section->log].order, section);
  --open_sections;
}

void LogWriter::Parts::ContinueLocked(LogId log) {
  UnparkLocked(log);
  IssueReadyLocked(log);
  AdmitLocked();
  std::exchange(progress, std::make_shared<Event>(runtime.executor))->Set();
}

void LogWriter::Parts::UnparkLocked(LogId log) {
  LogState& state = logs[log];
  const bool unknown_left = std::any_of(state.order.begin(), state.order.end(), [](const SectionPtr& section) {
    return section->state == SectionState::kUnknown;
  });
  if (!state.parked || unknown_left || Broken(Rule::kParkedLogGoesOn)) return;
  state.parked = false;
  --stats.parked_logs;
  const std::int64_t entries_before = queue.ready_entries();
  queue.Unblock(log);
  NoteReadyLocked(entries_before);
  KickFlusherLocked();
}

void LogWriter::Parts::FailLocked(const SectionPtr& section, const Status& why) {
  const LogId log = section->log;
  std::set<CallerId> callers = Broken(Rule::kFailureTakesWhatIsBehind) ? std::set<CallerId>() : CallersOf(*section);
  // Nothing behind may be issued before all that must fail with this has failed.
  const std::deque<SectionPtr> order = logs[log].order;
  EndSectionLocked(section, why);
  const Status behind = NotDoneBehind().With("log", log.value());
  for (auto later = std::find(order.begin(), order.end(), section) + 1; later < order.end(); ++later) {
    const std::set<CallerId> of_later = CallersOf(**later);
    const bool shared = std::any_of(of_later.begin(), of_later.end(),
                                    [&callers](CallerId caller) { return callers.contains(caller); });
    if (!shared || (*later)->state != SectionState::kWaiting) continue;
    (*later)->state = model::NextSection((*later)->state, SectionEvent::kObjectFailed).next;
    EndSectionLocked(*later, behind);
    callers.insert(of_later.begin(), of_later.end());
  }
  for (const PendingAppendPtr& append : queue.TakeByCaller(log, callers)) EndLocked(append, behind);
  const auto waits_behind = [log, &callers](const PendingAppend& append) {
    return append.request.log == log && callers.contains(append.request.caller);
  };
  RefuseWaitingLocked(waits_behind, behind);
  ContinueLocked(log);
}

// ---------------------------------------------------------------------------------------------------------
// A3: the index puts

SectionPtr LogWriter::Parts::NextToIssueLocked(LogId log) {
  const LogState& state = logs[log];
  if (stopped || state.parked) return nullptr;
  for (const SectionPtr& section : state.order) {
    const bool waiting = section->state == SectionState::kWaiting && !section->retry_pending;
    if (waiting && section->object != nullptr) return section;
    const bool passed = section->state == SectionState::kUnknown && Broken(Rule::kUnknownSectionParksItsLog);
    // Only the first of a log's sections may be issued.
    if (!passed && !Broken(Rule::kOrderInALog)) break;
  }
  return nullptr;
}

void LogWriter::Parts::IssueReadyLocked(const std::vector<LogId>& candidates) {
  std::vector<SectionPtr> batch;
  std::vector<SequencedPutRequest> requests;
  for (const LogId log : candidates) {
    const SectionPtr section = NextToIssueLocked(log);
    if (!section) continue;
    if (!MayPublish(*section->object)) {
      ApplyLocked(section, SectionEvent::kObjectTooOld, OkStatus());
    } else if (!section->lease.Usable()) {
      ApplyLocked(section, SectionEvent::kSessionLost, OkStatus());
    } else {
      ApplyLocked(section, SectionEvent::kIssue, OkStatus());
      section->end_before = logs[log].known_end;
      requests.push_back(IndexPutLocked(section));
      batch.push_back(section);
    }
  }
  if (!batch.empty()) gate.Spawn(Publish(std::move(batch), std::move(requests)));
}

bool LogWriter::Parts::MayPublish(const WalObject& object) const {
  return model::MayPublish(object.begun, Now(), options.times.publish_deadline) || Broken(Rule::kAgeRule);
}

SequencedPutRequest LogWriter::Parts::IndexPutLocked(const SectionPtr& section) {
  const std::shared_ptr<WalObject> object = section->object;
  const Result<EntryIndex> index =
      MakeRawEntryIndex(section->layout, object->name, object->payload_bytes, object->only_section);
  LS_INVARIANT(index.ok(), "a section that could be laid out has an index record");
  SequencedPutRequest request{Partition::OfLog(section->log), IndexKeyPrefix(section->log), section->records,
                              section->bytes, Buffer(EncodeEntryIndex(*index)), {}, {}};
  if (Broken(Rule::kRightPartition)) request.partition = Partition::Named(object->name);
  if (Broken(Rule::kBytesCount)) request.second_delta = object->payload_bytes;
  if (!Broken(Rule::kSessionGuard)) request.guard.session = section->lease.session();
  // Runs where the put can last be dropped; EventOf reads its codes back. The copy of the lease counts as a
  // change under way for as long as the store holds the request.
  request.admit = [this, object, lease = section->lease] {
    if (!MayPublish(*object) && !Broken(Rule::kAgeRuleAtTheLastCheck)) {
      return PreconditionFailed("the object is too old to be published");
    }
    if (!lease.Usable() && !Broken(Rule::kSessionGuard)) return Fenced("the session behind the lease may have ended");
    return OkStatus();
  };
  return request;
}

Task<void> LogWriter::Parts::Publish(std::vector<SectionPtr> sections, std::vector<SequencedPutRequest> requests) {
  if (Broken(Rule::kAcknowledgedAfterTheCommit)) {
    for (const SectionPtr& section : sections) co_await TakeCommitted(section, GuessOf(*section));
  }
  const OpContext context = CallContext(options.times.index_deadline);
  std::vector<Result<SequencedPutAnswer>> answers = co_await meta.SequencedPut(context, std::move(requests));
  LS_INVARIANT(answers.size() == sections.size(), "each sequenced put has its answer");
  const bool unanswered = runtime.Now() >= context.deadline;
  for (std::size_t i = 0; i < sections.size(); ++i) {
    // One log's wait for its fence holds up no other log.
    gate.Spawn(TakeAnswer(sections[i], std::move(answers[i]), unanswered));
  }
}

Task<void> LogWriter::Parts::TakeAnswer(SectionPtr section, Result<SequencedPutAnswer> answer, bool unanswered) {
  if (answer.ok()) {
    Result<IndexKey> key = IndexKey::Decode(answer->key);
    if (key.ok() && key->log == section->log) {
      CommittedRecord record;
      record.end = key->end;
      record.cumulative_size = key->cumulative_size;
      record.created_ms = answer->created_ms;
      co_await TakeCommitted(section, record);
      co_return;
    }
    // The store did something that it should not have: nothing can be said about the entries.
    Log(LogLevel::kError, "a sequenced put was answered with a key that is not this log's", key.status());
    answer = Indeterminate("a sequenced put was answered with a foreign key").With("key", answer->key);
  }
  if (Broken(Rule::kLostAnswerIsNotSuccess) && answer.status().code() == StatusCode::kIndeterminate) {
    co_return co_await TakeCommitted(section, GuessOf(*section));
  }
  if (Broken(Rule::kLostAnswerIsNotFailure) && answer.status().code() == StatusCode::kIndeterminate) {
    answer = ResourceExhausted("the store gave no answer");
  }
  const std::lock_guard lock(mutex);
  if (!section->ended) ApplyLocked(section, EventOf(answer.status(), unanswered), answer.status());
}

// A4, once the record is known to be committed.
Task<void> LogWriter::Parts::TakeCommitted(SectionPtr section, CommittedRecord record) {
  bool check_fence = false;
  {
    const std::lock_guard lock(mutex);
    if (section->ended) co_return;
    check_fence = !section->lease.Usable() && !Broken(Rule::kFenceReadWhenSuspect);
    if (check_fence) ApplyLocked(section, SectionEvent::kSessionLost, OkStatus());
  }
  Duration pause = kFirstPause;
  bool fenced = false;
  while (check_fence) {
    const Result<ReadAnswer> fence = co_await meta.Get(CallContext(kFenceReadTime), Partition::OfLog(section->log),
                                                       WriteFenceKey(section->log));
    fenced = fence.ok() && fence->has_value();
    if (fence.ok()) break;
    const OpContext until_stopped = OpContext().WithCancel(stop.get_token());
    const Status slept = co_await SleepFor(runtime, until_stopped, pause);
    // The writer stops: AbandonAllLocked answers the entries.
    if (!slept.ok()) co_return;
    pause = std::min(pause * 2, kLongestPause);
  }
  const std::lock_guard lock(mutex);
  if (section->ended) co_return;
  // Records of this put below an end that was seen before: the log began anew in between.
  const bool deleted = fenced || record.end - section->records < section->end_before;
  if (deleted && !Broken(Rule::kDeletionIsNoticed)) {
    ApplyLocked(section, SectionEvent::kLogDeleted, OkStatus());
  } else if (!model::MayAcknowledge(section->object->begun, Now(), options.times.grace) &&
             !Broken(Rule::kLateAnswerIsNotAcknowledged)) {
    ApplyLocked(section, SectionEvent::kLateAnswer, OkStatus());
  } else {
    ApplyLocked(section, SectionEvent::kAnswer, OkStatus());
    AcknowledgeLocked(section, record);
  }
}

Task<void> LogWriter::Parts::RetryLater(SectionPtr section) {
  const Duration pause = std::min(kFirstPause * (1 << std::min(section->index_tries, 8)), kLongestPause);
  const Status slept = co_await SleepFor(runtime, CallContext(kLongestPause * 2), pause);
  const std::lock_guard lock(mutex);
  section->retry_pending = false;
  if (slept.ok() && !section->ended) IssueReadyLocked(section->log);
}

// ---------------------------------------------------------------------------------------------------------
// Settling

Task<Result<std::optional<CommittedRecord>>> LogWriter::Parts::FindRecord(SectionPtr section) {
  const Partition partition = Partition::OfLog(section->log);
  // From the end known before, past the trim marker: a trim does not undo an append.
  KeyRange range{partition, IndexKeyFloorOf(section->log, section->end_before + 1), LastIndexKey(section->log)};
  std::string cursor;
  while (true) {
    LS_CO_ASSIGN(const ScanPage page, co_await meta.Scan(CallContext(kFenceReadTime), range, cursor, kSettlePage));
    for (const MetadataRecord& record : page.records) {
      if (!IsIndexKeyOf(record.key, section->log)) continue;
      LS_CO_ASSIGN(const EntryIndex index, DecodeEntryIndex(record.value.span(), record.key));
      const bool own = index.file_type == FileType::kRaw && index.location == section->object->name;
      if (!own && !Broken(Rule::kSettledByOwnObject)) continue;
      LS_CO_ASSIGN(const IndexKey key, IndexKey::Decode(record.key));
      CommittedRecord found;
      found.end = key.end;
      found.cumulative_size = key.cumulative_size;
      found.created_ms = record.created_ms;
      co_return std::optional<CommittedRecord>(found);
    }
    if (!page.next) co_return std::optional<CommittedRecord>();
    cursor = *page.next;
  }
}

Task<void> LogWriter::Parts::SettleUnknown(SectionPtr section) {
  const MonotonicTime give_up = runtime.Now() + options.settle_time;
  Duration pause = kFirstPause;
  while (true) {
    const Result<std::optional<CommittedRecord>> found = co_await FindRecord(section);
    if (found.ok() && found->has_value()) {
      co_await TakeCommitted(section, **found);
      co_return;
    }
    if (!found.ok()) Log(LogLevel::kWarning, "an unknown index put could not be looked for", found.status());
    const OpContext context = OpContext().WithCancel(stop.get_token());
    const MonotonicTime next = std::min(runtime.Now() + pause, give_up);
    const Status slept = co_await SleepUntil(runtime, context, next);
    if (!slept.ok()) co_return;
    pause = std::min(pause * 2, kLongestPause);
    if (runtime.Now() < give_up) continue;
    const std::lock_guard lock(mutex);
    if (!section->ended) ApplyLocked(section, SectionEvent::kDeadline, OkStatus());
    co_return;
  }
}

}  // namespace lakestream
