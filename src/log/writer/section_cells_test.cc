// Drives every cell of model::NextSection through the writer, on each metadata store, with faults at the seams.
// A cell that can occur and that no scenario reaches fails the test.

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <functional>
#include <set>

#include "base/logging.h"
#include "base/testing/temp_directory.h"
#include "format/entry_index.h"
#include "format/index_key.h"
#include "format/log_records.h"
#include "log/writer/log_writer.h"
#include "meta/lmdb/lmdb_metadata_store.h"
#include "meta/memory/memory_metadata_store.h"
#include "meta/wrap/fault_metadata_store.h"
#include "meta/wrap/unguarded_metadata_store.h"
#include "objstore/memory/memory_object_store.h"
#include "objstore/wrap/fault_object_store.h"
#include "runtime/sim/sim_runtime.h"
#include "runtime/thread_runtime.h"
#include "runtime/wait.h"

namespace lakestream {
namespace {

using namespace std::chrono_literals;
using model::SectionEvent;
using model::SectionState;

constexpr LogId kLog{1};
constexpr Duration kIndexDeadline = 300ms;
constexpr Duration kSettleTime = 500ms;
constexpr Duration kOlderThanPublishDeadline = 31s;
constexpr Duration kOlderThanHalfTheGrace = 10min;

WriterOptions Options() {
  WriterOptions options;
  options.times.publish_deadline = 30s;
  options.times.index_deadline = kIndexDeadline;
  options.times.grace = 20min - 1s;
  options.settle_time = kSettleTime;
  options.put_budget_per_second = 1000;
  return options;
}

/// Where a scenario plays: a runtime whose wall clock can be moved, and a metadata store.
class Place {
 public:
  virtual ~Place() = default;
  virtual Runtime& runtime() = 0;
  virtual MetadataStore& store() = 0;
  virtual void MoveWall(Duration by) = 0;
  virtual void RunTask(Task<void> task) = 0;
};

class MemoryPlace final : public Place {
 public:
  Runtime& runtime() override { return node_.runtime(); }
  MetadataStore& store() override { return store_; }
  void MoveWall(Duration by) override { node_.ShiftWall(by); }
  void RunTask(Task<void> task) override {
    const Status ran = scheduler_.Run(std::move(task));
    ASSERT_TRUE(ran.ok()) << ran.ToString();
  }

 private:
  SimScheduler scheduler_{11};
  SimNode& node_ = scheduler_.AddNode("writer");
  MemoryMetadataStore store_{node_.runtime()};
};

/// A store that holds no guard, as Oxia: the last check alone stops a put of a lost session.
class UnguardedPlace final : public Place {
 public:
  Runtime& runtime() override { return memory_.runtime(); }
  MetadataStore& store() override { return store_; }
  void MoveWall(Duration by) override { memory_.MoveWall(by); }
  void RunTask(Task<void> task) override { memory_.RunTask(std::move(task)); }

 private:
  MemoryPlace memory_;
  UnguardedMetadataStore store_{memory_.store()};
};

class MovedClock final : public Clock {
 public:
  explicit MovedClock(const Clock& inner) : inner_(inner) {}
  WallTime Wall() const override { return inner_.Wall() + Duration(moved_ns_.load()); }
  MonotonicTime Monotonic() const override { return inner_.Monotonic(); }
  BootTime Boot() const override { return inner_.Boot(); }
  void Move(Duration by) { moved_ns_ += by.count(); }

 private:
  const Clock& inner_;
  std::atomic<std::int64_t> moved_ns_{0};
};

class LmdbPlace final : public Place {
 public:
  LmdbPlace() {
    LmdbOptions options;
    options.directory = directory_.path() + "/meta";
    options.create = true;
    options.shards = 4;
    Result<std::unique_ptr<LmdbMetadataStore>> store =
        Wait(LmdbMetadataStore::Open(runtime_, OpContext(), std::move(options)));
    if (!store.ok()) std::fprintf(stderr, "%s\n", store.status().ToString().c_str());
    store_ = *std::move(store);
  }
  ~LmdbPlace() override {
    EXPECT_TRUE(Wait(store_->Stop(OpContext())).ok());
    store_.reset();
  }
  Runtime& runtime() override { return runtime_; }
  MetadataStore& store() override { return *store_; }
  void MoveWall(Duration by) override { clock_.Move(by); }
  void RunTask(Task<void> task) override { Wait(std::move(task)); }

 private:
  ThreadRuntime threads_{ThreadRuntimeOptions{}};
  MovedClock clock_{threads_.runtime().clock};
  Runtime runtime_{threads_.runtime().executor, clock_, threads_.runtime().random, threads_.runtime().blocking};
  const TempDirectory directory_;
  std::unique_ptr<LmdbMetadataStore> store_;
};

template <class T>
Task<void> KeepResult(Task<T> task, std::optional<T>* out) {
  out->emplace(co_await task);
}

struct Started {
  Event done;
  std::optional<Result<LogEntryHeader>> answer;
  explicit Started(Executor& executor) : done(executor) {}
};

/// One writer over faulty stores; counts the cells it takes.
class World {
 public:
  using Cells = std::set<std::pair<SectionState, SectionEvent>>;

  World(std::unique_ptr<Place> place, Cells& visited) : place_(std::move(place)), visited_(visited) {
    leases_ = std::make_unique<LeaseKeeper>(rt(), meta, Options());
    leases_->Start();
    writer_ = *LogWriter::Open(rt(), meta, wal, *leases_, Options());
    writer_->Start();
  }

  ~World() {
    Stop(1min);
    Run(appends_.Close());
    Run(meta.Stop());
    Run(wal.Stop());
  }

  Runtime& rt() { return place_->runtime(); }
  /// The store itself, without faults.
  MetadataStore& store() { return place_->store(); }
  void MoveWall(Duration by) { place_->MoveWall(by); }

  template <class T>
  T Run(Task<T> task) {
    if constexpr (std::is_void_v<T>) {
      place_->RunTask(std::move(task));
    } else {
      std::optional<T> out;
      place_->RunTask(KeepResult(std::move(task), &out));
      return std::move(*out);
    }
  }

  std::shared_ptr<Started> Start(std::string_view payload, CallerId caller = 0) {
    auto started = std::make_shared<Started>(rt().executor);
    AppendRequest request{kLog, 1, Buffer::CopyOf(payload), caller};
    appends_.Spawn(AppendInto(writer_.get(), std::move(request), started));
    return started;
  }
  Result<LogEntryHeader> Answer(const std::shared_ptr<Started>& started) {
    Run(AwaitEvent(started));
    return *started->answer;
  }
  Result<LogEntryHeader> Append(std::string_view payload) { return Answer(Start(payload)); }

  void Reach(Hold hold) {
    Run(AwaitHold(std::move(hold)));
  }
  void Sleep(Duration d) { ASSERT_TRUE(Run(SleepFor(rt(), OpContext(), d)).ok()); }

  /// Stops the writer and the leases, once. False when the writer had to abandon something.
  bool Stop(Duration within) {
    if (stopped_) return true;
    stopped_ = true;
    const bool ended = Run(writer_->Stop(OpContext().WithDeadline(rt().Now() + within))).ok();
    EXPECT_TRUE(Run(leases_->Stop(OpContext().WithDeadline(rt().Now() + 1min))).ok());
    const WriterStats stats = writer_->stats();
    for (int state = 0; state < model::kSectionStates; ++state) {
      for (int event = 0; event < model::kSectionEvents; ++event) {
        if (stats.cells[state][event] > 0) Visit(static_cast<SectionState>(state), static_cast<SectionEvent>(event));
      }
    }
    return ended;
  }
  /// A cell that the engine never looks at, because the section has ended: the scenario has checked the effect.
  void Visit(SectionState state, SectionEvent event) { visited_.emplace(state, event); }

  WriterStats stats() const { return writer_->stats(); }
  /// The payload-size deltas tell the entries apart: "end:size" of each index record.
  std::string Records() {
    const KeyRange range{Partition::OfLog(kLog), FirstIndexKey(kLog), LastIndexKey(kLog)};
    std::string text;
    const Result<ScanPage> page = Run(store().Scan(OpContext(), range, "", 1000));
    for (const MetadataRecord& record : page->records) {
      const Result<EntryIndex> index = DecodeEntryIndex(record.value.span(), record.key);
      text += (text.empty() ? "" : " ") + std::to_string(IndexKey::Decode(record.key)->end.value()) + ":" +
              std::to_string(index->entry_size_bytes);
    }
    return text;
  }
  /// One record of one entry, in an object of its own.
  void AppendAsAnotherWriter(int bytes) {
    const WalSection section{kLog, {WalEntry{0, bytes, 1}}};
    SequencedPutRequest request{Partition::OfLog(kLog), IndexKeyPrefix(kLog), 1, bytes, Buffer(), {}, {}};
    request.value = Buffer(EncodeEntryIndex(*MakeRawEntryIndex(section, "another-object", bytes, true)));
    std::vector<SequencedPutRequest> requests;
    requests.push_back(std::move(request));
    ASSERT_TRUE(Run(store().SequencedPut(OpContext(), std::move(requests))).front().ok());
  }
  std::size_t Leases() {
    const std::string prefix = "/stream-write-leases/1/";
    const KeyRange range{Partition::OfLog(kLog), prefix, prefix + "\x7f"};
    return Run(store().List(OpContext(), range, "", 100))->keys.size();
  }
  void FenceLog() {
    ASSERT_TRUE(Run(store().CreateIfAbsent(OpContext(), Partition::OfLog(kLog), WriteFenceKey(kLog),
                                           Buffer::CopyOf(kWriteFenceValue)))
                    .ok());
  }

 private:
  static Task<void> AppendInto(LogWriter* writer, AppendRequest request, std::shared_ptr<Started> started) {
    started->answer.emplace(co_await writer->Append(OpContext(), std::move(request)));
    started->done.Set();
  }
  static Task<void> AwaitEvent(std::shared_ptr<Started> started) { co_await started->done.Wait(); }
  static Task<void> AwaitHold(Hold hold) {
    co_await hold.Reached();
  }

  std::unique_ptr<Place> place_;
  Cells& visited_;
  bool stopped_ = false;

 public:
  MetadataFaultPlan meta_faults{rt()};
  FaultMetadataStore meta{rt(), store(), meta_faults};
  MemoryObjectStore objects{rt()};
  FaultPlan wal_faults{rt()};
  FaultObjectStore wal{rt(), objects, wal_faults};

 private:
  std::unique_ptr<LeaseKeeper> leases_;
  std::unique_ptr<LogWriter> writer_;
  Gate appends_{rt()};
};

Task<void> AwaitDone(Hold hold) {
  co_await hold.Done();
}

// --- waiting ---------------------------------------------------------------------------------------------

void IssueAndAnswer(World& w) {
  EXPECT_EQ(w.Append("a")->offset, Offset(0));
  EXPECT_EQ(w.Append("bb")->offset, Offset(1));
  EXPECT_EQ(w.Records(), "1:1 2:2");
}

void WaitingTooOldMovesToANewObject(World& w) {
  const Hold put = w.wal_faults.HoldNext(ObjectOp::kPut, "", HoldPoint::kAfterApply);
  const auto append = w.Start("a");
  w.Reach(put);
  w.MoveWall(kOlderThanPublishDeadline);
  put.Release();
  EXPECT_TRUE(w.Answer(append).ok());
  EXPECT_EQ(w.Records(), "1:1");
  EXPECT_EQ(w.stats().objects, 2);
  EXPECT_EQ(w.stats().rewritten_sections, 1);
}

void AMovedSectionKeepsItsPlace(World& w) {
  const Hold put = w.wal_faults.HoldNext(ObjectOp::kPut, "", HoldPoint::kAfterApply);
  const auto first = w.Start("a");
  w.Reach(put);
  w.MoveWall(kOlderThanPublishDeadline);
  const Hold behind_put = w.wal_faults.HoldNext(ObjectOp::kPut, "", HoldPoint::kAfterApply);
  const auto behind = w.Start("bb");
  w.Reach(behind_put);
  behind_put.Release();
  w.Run(AwaitDone(behind_put));  // Young and durable, it waits for its turn.
  put.Release();
  EXPECT_EQ(w.Answer(first)->offset, Offset(0));
  EXPECT_EQ(w.Answer(behind)->offset, Offset(1));
  EXPECT_EQ(w.Records(), "1:1 2:2");
  EXPECT_EQ(w.stats().rewritten_sections, 1);
}

void WaitingSessionLostMovesUnderANewLease(World& w) {
  const Hold put = w.wal_faults.HoldNext(ObjectOp::kPut, "", HoldPoint::kAfterApply);
  const auto append = w.Start("a");
  w.Reach(put);
  ASSERT_TRUE(w.Run(w.meta.LoseSessions()).ok());
  EXPECT_EQ(w.Leases(), 0u);
  put.Release();
  EXPECT_TRUE(w.Answer(append).ok());
  EXPECT_EQ(w.Records(), "1:1");
  EXPECT_EQ(w.stats().objects, 2) << "the object, too, comes after the new lease";
  EXPECT_EQ(w.Leases(), 1u);
}

void WaitingObjectFailed(World& w) {
  w.wal_faults.OnNext(ObjectOp::kPut, "", Fault::Fail(ResourceExhausted("disk full")));
  EXPECT_EQ(w.Append("a").status().code(), StatusCode::kResourceExhausted);
  EXPECT_EQ(w.Records(), "");
  // A failed section stays failed, whatever becomes of the session.
  ASSERT_TRUE(w.Run(w.meta.LoseSessions()).ok());
  EXPECT_TRUE(w.Append("bb").ok());
  EXPECT_EQ(w.Records(), "1:2");
  w.Visit(SectionState::kFailed, SectionEvent::kSessionLost);
  EXPECT_TRUE(w.Stop(1min));
  EXPECT_EQ(w.Records(), "1:2");
  w.Visit(SectionState::kFailed, SectionEvent::kProcessStopped);
}

void WaitingProcessStopped(World& w) {
  const Hold put = w.wal_faults.HoldNext(ObjectOp::kPut, "", HoldPoint::kBeforeApply);
  const auto append = w.Start("a");
  w.Reach(put);
  EXPECT_FALSE(w.Stop(100ms));
  EXPECT_EQ(w.Answer(append).status().code(), StatusCode::kUnavailable) << "nothing was sent: not done";
  put.Release();
  w.Sleep(50ms);
  EXPECT_EQ(w.Records(), "");
}

// --- issued ----------------------------------------------------------------------------------------------

void IssuedLateAnswerIsNeverAcknowledged(World& w) {
  const Hold put = w.meta_faults.HoldNext(MetadataOp::kSequencedPut, "", HoldPoint::kAfterApply);
  const auto append = w.Start("a");
  w.Reach(put);
  w.MoveWall(kOlderThanHalfTheGrace);
  put.Release();
  EXPECT_EQ(w.Answer(append).status().code(), StatusCode::kIndeterminate);
  EXPECT_EQ(w.stats().damaged_sections, 1);
  EXPECT_EQ(w.Records(), "1:1") << "it was appended; it is only not vouched for";
}

void IssuedLogDeleted(World& w) {
  ASSERT_TRUE(w.Append("a").ok());
  const Hold put = w.meta_faults.HoldNext(MetadataOp::kSequencedPut, "", HoldPoint::kBeforeApply);
  const auto append = w.Start("bb");
  w.Reach(put);
  ASSERT_TRUE(w.Run(w.store().DeleteRange(OpContext(), Partition::OfLog(kLog), FirstIndexKey(kLog),
                                          LastIndexKey(kLog)))
                  .ok());
  put.Release();
  EXPECT_EQ(w.Answer(append).status().code(), StatusCode::kIndeterminate);
}

void IssuedRefusedIsSentAgain(World& w) {
  w.meta_faults.OnNext(MetadataOp::kSequencedPut, "", MetadataFault::FailUnavailable(), 3);
  EXPECT_TRUE(w.Append("a").ok());
  EXPECT_EQ(w.Records(), "1:1");
  EXPECT_EQ(w.stats().objects, 1);
  EXPECT_EQ(w.meta_faults.rules_left(), 0);
}

void IssuedRejectedFails(World& w) {
  w.meta_faults.OnNext(MetadataOp::kSequencedPut, "", MetadataFault::Fail(ResourceExhausted("disk full")));
  EXPECT_EQ(w.Append("a").status().code(), StatusCode::kResourceExhausted);
  EXPECT_EQ(w.Records(), "");
}

void IssuedLostAnswerIsFound(World& w) {
  w.meta_faults.OnNext(MetadataOp::kSequencedPut, "", MetadataFault::LoseAnswer());
  const auto first = w.Start("a");
  const Result<LogEntryHeader> answer = w.Answer(first);
  ASSERT_TRUE(answer.ok()) << answer.status().ToString();
  EXPECT_EQ(answer->offset, Offset(0));
  EXPECT_EQ(answer->cumulative_size, 1);
  EXPECT_EQ(w.Append("bb")->offset, Offset(1));
  EXPECT_EQ(w.Records(), "1:1 2:2") << "a lost put is never sent again";
  EXPECT_EQ(w.stats().unknown_sections, 1);
  EXPECT_EQ(w.stats().parked_logs, 0);
  // Nothing that happens to the session changes what was acknowledged.
  ASSERT_TRUE(w.Run(w.meta.LoseSessions()).ok());
  EXPECT_TRUE(w.Append("ccc").ok());
  EXPECT_EQ(w.Records(), "1:1 2:2 3:3");
  w.Visit(SectionState::kCommitted, SectionEvent::kSessionLost);
  EXPECT_TRUE(w.Stop(1min));
  EXPECT_EQ(w.Records(), "1:1 2:2 3:3");
  w.Visit(SectionState::kCommitted, SectionEvent::kProcessStopped);
}

void IssuedDeadlineParksUntilFound(World& w) {
  const Hold put = w.meta_faults.HoldNext(MetadataOp::kSequencedPut, "", HoldPoint::kAfterApply);
  const auto append = w.Start("a");
  w.Reach(put);
  EXPECT_TRUE(w.Answer(append).ok()) << "unanswered for index_deadline, but its record was found";
  EXPECT_EQ(w.stats().unknown_sections, 1);
  put.Release();
  EXPECT_EQ(w.Records(), "1:1");
}

void IssuedTooOldAtTheLastCheck(World& w) {
  const Hold put = w.meta_faults.HoldNext(MetadataOp::kSequencedPut, "", HoldPoint::kBeforeApply);
  const auto append = w.Start("a");
  w.Reach(put);
  w.MoveWall(kOlderThanPublishDeadline);
  put.Release();
  EXPECT_TRUE(w.Answer(append).ok());
  EXPECT_EQ(w.Records(), "1:1");
  EXPECT_EQ(w.stats().objects, 2);
}

void IssuedSessionSuspectChecksTheFence(World& w) {
  const Hold put = w.meta_faults.HoldNext(MetadataOp::kSequencedPut, "", HoldPoint::kAfterApply);
  const auto append = w.Start("a");
  w.Reach(put);
  w.meta.SuspectSessions(true);
  // Seven pauses, each twice the one before: the last one is longer than kSettleTime. The lease keeper looks, too.
  w.meta_faults.OnNext(MetadataOp::kRead, "/stream-write-fences/", MetadataFault::FailUnavailable(), 9);
  put.Release();
  EXPECT_TRUE(w.Answer(append).ok()) << "no fence: the record counts";
  EXPECT_EQ(w.meta_faults.rules_left(), 0) << "the fence was read before the acknowledgement";
}

void IssuedSessionSuspectAndFenced(World& w) {
  const Hold put = w.meta_faults.HoldNext(MetadataOp::kSequencedPut, "", HoldPoint::kAfterApply);
  const auto append = w.Start("a");
  w.Reach(put);
  w.meta.SuspectSessions(true);
  w.FenceLog();
  put.Release();
  EXPECT_EQ(w.Answer(append).status().code(), StatusCode::kIndeterminate);
}

void IssuedSessionRefusedMoves(World& w) {
  w.meta_faults.OnNext(MetadataOp::kSequencedPut, "", MetadataFault::LoseSessions());
  EXPECT_TRUE(w.Append("a").ok());
  EXPECT_EQ(w.Records(), "1:1");
  EXPECT_EQ(w.stats().objects, 2);
}

void IssuedProcessStoppedIsIndeterminate(World& w) {
  const Hold put = w.meta_faults.HoldNext(MetadataOp::kSequencedPut, "", HoldPoint::kBeforeApply);
  const auto append = w.Start("a");
  w.Reach(put);
  EXPECT_FALSE(w.Stop(100ms));
  EXPECT_EQ(w.Answer(append).status().code(), StatusCode::kIndeterminate);
  EXPECT_EQ(w.Leases(), 1u) << "the put may still happen: its lease stays";
}

// --- unknown ---------------------------------------------------------------------------------------------

void UnknownLateAnswerIsDamage(World& w) {
  w.meta_faults.OnNext(MetadataOp::kSequencedPut, "", MetadataFault::LoseAnswer());
  const Hold scan = w.meta_faults.HoldNext(MetadataOp::kScan, "", HoldPoint::kAfterApply);
  const auto append = w.Start("a");
  w.Reach(scan);
  w.MoveWall(kOlderThanHalfTheGrace);
  scan.Release();
  EXPECT_EQ(w.Answer(append).status().code(), StatusCode::kIndeterminate);
  EXPECT_EQ(w.stats().damaged_sections, 1);
  EXPECT_EQ(w.stats().parked_logs, 0);
}

void UnknownUntilSettleTimeGivesUp(World& w) {
  const Hold put = w.meta_faults.HoldNext(MetadataOp::kSequencedPut, "", HoldPoint::kBeforeApply);
  const auto append = w.Start("a", 5);
  w.Reach(put);
  w.AppendAsAnotherWriter(7);
  const auto behind = w.Start("bb", 5);
  EXPECT_EQ(w.Answer(append).status().code(), StatusCode::kIndeterminate) << "another writer's record proves nothing";
  EXPECT_EQ(w.Answer(behind).status().code(), StatusCode::kUnavailable) << "behind an unknown append: not done";
  EXPECT_TRUE(w.Append("ccc").ok()) << "the log is no longer parked";
  EXPECT_EQ(w.Records(), "1:7 2:3");
  put.Release();  // The late put may still land: absence proved nothing.
  w.Run(AwaitDone(put));
  EXPECT_EQ(w.Records(), "1:7 2:3 3:1");
  EXPECT_TRUE(w.Stop(1min));
  EXPECT_EQ(w.Leases(), 1u) << "settle_time does not end the change";
}

void UnknownSessionLostChecksTheFence(World& w) {
  w.meta_faults.OnNext(MetadataOp::kSequencedPut, "", MetadataFault::LoseAnswer());
  const Hold scan = w.meta_faults.HoldNext(MetadataOp::kScan, "", HoldPoint::kAfterApply);
  const auto append = w.Start("a");
  w.Reach(scan);
  ASSERT_TRUE(w.Run(w.meta.LoseSessions()).ok());
  scan.Release();
  EXPECT_TRUE(w.Answer(append).ok());
  EXPECT_EQ(w.Records(), "1:1");
}

void UnknownLogDeleted(World& w) {
  w.meta_faults.OnNext(MetadataOp::kSequencedPut, "", MetadataFault::LoseAnswer());
  const Hold scan = w.meta_faults.HoldNext(MetadataOp::kScan, "", HoldPoint::kAfterApply);
  const auto append = w.Start("a");
  w.Reach(scan);
  ASSERT_TRUE(w.Run(w.meta.LoseSessions()).ok());
  w.FenceLog();
  scan.Release();
  EXPECT_EQ(w.Answer(append).status().code(), StatusCode::kIndeterminate);
}

void UnknownProcessStopped(World& w) {
  w.meta_faults.OnNext(MetadataOp::kSequencedPut, "", MetadataFault::LoseAnswer());
  w.meta_faults.Always(MetadataOp::kScan, "", MetadataFault::FailUnavailable());
  const auto append = w.Start("a");
  w.Sleep(kIndexDeadline);
  EXPECT_FALSE(w.Stop(100ms));
  EXPECT_EQ(w.Answer(append).status().code(), StatusCode::kIndeterminate);
  EXPECT_EQ(w.Records(), "1:1");
}

// ---------------------------------------------------------------------------------------------------------

struct Scenario {
  const char* name;
  void (*run)(World&);
};

constexpr Scenario kScenarios[] = {
    {"IssueAndAnswer", IssueAndAnswer},
    {"WaitingTooOldMovesToANewObject", WaitingTooOldMovesToANewObject},
    {"AMovedSectionKeepsItsPlace", AMovedSectionKeepsItsPlace},
    {"WaitingSessionLostMovesUnderANewLease", WaitingSessionLostMovesUnderANewLease},
    {"WaitingObjectFailed", WaitingObjectFailed},
    {"WaitingProcessStopped", WaitingProcessStopped},
    {"IssuedLateAnswerIsNeverAcknowledged", IssuedLateAnswerIsNeverAcknowledged},
    {"IssuedLogDeleted", IssuedLogDeleted},
    {"IssuedRefusedIsSentAgain", IssuedRefusedIsSentAgain},
    {"IssuedRejectedFails", IssuedRejectedFails},
    {"IssuedLostAnswerIsFound", IssuedLostAnswerIsFound},
    {"IssuedDeadlineParksUntilFound", IssuedDeadlineParksUntilFound},
    {"IssuedTooOldAtTheLastCheck", IssuedTooOldAtTheLastCheck},
    {"IssuedSessionSuspectChecksTheFence", IssuedSessionSuspectChecksTheFence},
    {"IssuedSessionSuspectAndFenced", IssuedSessionSuspectAndFenced},
    {"IssuedSessionRefusedMoves", IssuedSessionRefusedMoves},
    {"IssuedProcessStoppedIsIndeterminate", IssuedProcessStoppedIsIndeterminate},
    {"UnknownLateAnswerIsDamage", UnknownLateAnswerIsDamage},
    {"UnknownUntilSettleTimeGivesUp", UnknownUntilSettleTimeGivesUp},
    {"UnknownSessionLostChecksTheFence", UnknownSessionLostChecksTheFence},
    {"UnknownLogDeleted", UnknownLogDeleted},
    {"UnknownProcessStopped", UnknownProcessStopped},
};

template <class P>
void DriveEveryCell() {
  SetLogSink(LogLevel::kError, [](LogLevel, std::string_view) {});
  World::Cells visited;
  for (const Scenario& scenario : kScenarios) {
    SCOPED_TRACE(scenario.name);
    World world(std::make_unique<P>(), visited);
    scenario.run(world);
  }
  int cells = 0;
  for (int s = 0; s < model::kSectionStates; ++s) {
    for (int e = 0; e < model::kSectionEvents; ++e) {
      const auto state = static_cast<SectionState>(s);
      const auto event = static_cast<SectionEvent>(e);
      if (model::NextSection(state, event).action == model::SectionAction::kImpossible) continue;
      ++cells;
      EXPECT_TRUE(visited.contains({state, event}))
          << "no scenario reaches " << model::SectionStateName(state) << " / " << model::SectionEventName(event);
    }
  }
  std::printf("%d cells that can occur, %zu reached\n", cells, visited.size());
}

TEST(SectionCells, Memory) { DriveEveryCell<MemoryPlace>(); }
TEST(SectionCells, MemoryWithoutGuards) { DriveEveryCell<UnguardedPlace>(); }
TEST(SectionCells, Lmdb) { DriveEveryCell<LmdbPlace>(); }

}  // namespace
}  // namespace lakestream
