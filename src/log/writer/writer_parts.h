#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <vector>

#include "base/histogram.h"
#include "log/writer/append_queue.h"
#include "log/writer/log_writer.h"
#include "log/writer/section.h"
#include "model/flush.h"
#include "runtime/gate.h"

namespace lakestream {

/// An index record of a section, as the store answered it or as the settle scan found it.
struct CommittedRecord {
  Offset end;
  std::int64_t cumulative_size = 0;
  std::int64_t created_ms = 0;
};

/// The writer's state and the coroutines that move it. An append goes through: queue -> section in an
/// object (object_writer.cc) -> index put, answer, settling (index_publisher.cc). What happens to a section
/// is decided by model::NextSection alone.
struct LogWriter::Parts {
  /// One log's sections between their flush and their end, in the order of the appends.
  struct LogState {
    std::deque<SectionPtr> order;
    bool parked = false;
    Offset known_end;
    std::uint64_t known_under = 0;  ///< serial of the lease under which known_end was read
  };

  Parts(Runtime& runtime, MetadataStore& meta, ObjectStore& wal, LeaseKeeper& leases, WriterOptions options);

  Runtime& runtime;
  MetadataStore& meta;
  ObjectStore& wal;
  LeaseKeeper& leases;
  const WriterOptions options;
  const model::FlushRules flush_rules;
  AnswerQueue answers;

  std::mutex mutex;
  std::int64_t memory_left;  ///< of max_queued_bytes
  /// Appends for which no memory is left yet, in the order of the calls, by their turns.
  std::map<std::uint64_t, PendingAppendPtr> waiting;
  std::uint64_t last_turn = 0;
  AppendQueue queue;
  MonotonicTime oldest_queued;
  std::map<LogId, LogState> logs;
  std::int64_t open_sections = 0;
  int puts_in_flight = 0;
  MonotonicTime last_start;
  Duration put_time{};
  model::TokenBucket put_tokens;
  model::TokenBucket index_tokens;
  std::shared_ptr<Event> flusher_kick;
  std::shared_ptr<Event> progress;  ///< set and replaced whenever something ends
  bool started = false;
  bool stopping = false;
  bool stopped = false;
  WriterStats stats;
  Histogram queue_time;
  Histogram put_time_seen;
  Histogram index_time;
  Histogram total_time;

  std::stop_source stop;
  Gate gate;  ///< last, so that it goes first: its tasks use everything above

  model::Moment Now() const { return model::Moment{runtime.clock.Wall(), runtime.clock.Boot()}; }
  OpContext CallContext(Duration time) const {
    return OpContext().WithDeadline(runtime.Now() + time).WithCancel(stop.get_token());
  }

  class Limit;

  // log_writer.cc
  Status CheckRequest(const OpContext& context, const AppendRequest& request) const;
  /// Into the queue, at once or when there is memory and its turn has come.
  Status Enqueue(const PendingAppendPtr& append);
  std::int64_t CostOf(const PendingAppend& append) const;
  /// Memory may have been given back: those whose turn has come go into the queue.
  void AdmitLocked();
  /// Answers those that wait for memory and are chosen.
  void RefuseWaitingLocked(const std::function<bool(const PendingAppend&)>& chosen, const Status& why);
  /// The caller's context has ended before the append was answered.
  void GiveUp(const PendingAppendPtr& append, const Status& why);
  void EnqueueLocked(PendingAppendPtr append);
  void NoteReadyLocked(std::int64_t entries_before);
  void KickFlusherLocked();
  /// Gives its memory back; AdmitLocked must follow.
  void EndLocked(const PendingAppendPtr& append, Result<LogEntryHeader> answer);
  void AnswerLocked(const PendingAppendPtr& append, Result<LogEntryHeader> answer);
  bool IdleLocked() const;
  model::FlushSituation SituationLocked() const;
  Task<void> Flusher();
  void StartFlushLocked(const model::FlushDecision& decision);
  void AbandonAllLocked();

  // object_writer.cc
  /// Leases, and then the object, or several where logs are isolated.
  Task<void> WriteFlush(std::vector<SectionPtr> sections, FlushTimes times);
  Task<void> WriteObject(std::vector<SectionPtr> sections, FlushTimes times);
  void EndPutLocked(const std::shared_ptr<WalObject>& object, const std::vector<SectionPtr>& sections,
                    const Status& outcome);
  Task<Status> LeaseSection(SectionPtr section);
  Task<Status> LearnLogEnds(std::vector<SectionPtr> sections);
  Task<Status> PutUnderNewNames(std::shared_ptr<WalObject> object, BufferChain bytes);

  // index_publisher.cc
  /// Moves a section by one event and does what the table says. `why` is for those whose append fails.
  void ApplyLocked(const SectionPtr& section, model::SectionEvent event, const Status& why);
  void AcknowledgeLocked(const SectionPtr& section, const CommittedRecord& record);
  /// Answers the entries with `why` unless it is ok, which means that they are answered already.
  void EndSectionLocked(const SectionPtr& section, const Status& why);
  /// Ends the section, and with it what its callers queued behind it on its log.
  void FailLocked(const SectionPtr& section, const Status& why);
  /// A section of the log has ended: what waited for it goes on.
  void ContinueLocked(LogId log);
  void UnparkLocked(LogId log);
  void IssueReadyLocked(const std::vector<LogId>& candidates);
  void IssueReadyLocked(LogId log) { IssueReadyLocked(std::vector<LogId>(1, log)); }
  SectionPtr NextToIssueLocked(LogId log);
  bool MayPublish(const WalObject& object) const;
  SequencedPutRequest IndexPutLocked(const SectionPtr& section);
  Task<void> Publish(std::vector<SectionPtr> sections, std::vector<SequencedPutRequest> requests);
  Task<void> TakeAnswer(SectionPtr section, Result<SequencedPutAnswer> answer, bool unanswered);
  Task<void> TakeCommitted(SectionPtr section, CommittedRecord record);
  Task<void> RetryLater(SectionPtr section);
  Task<void> SettleUnknown(SectionPtr section);
  Task<Result<std::optional<CommittedRecord>>> FindRecord(SectionPtr section);
};

}  // namespace lakestream
