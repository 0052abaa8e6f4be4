#include "log/writer/log_writer.h"

#include <gtest/gtest.h>

#include "format/entry_index.h"
#include "format/index_key.h"
#include "format/log_records.h"
#include "log/isolation/isolation.h"
#include "meta/memory/memory_metadata_store.h"
#include "meta/wrap/fault_metadata_store.h"
#include "objstore/memory/memory_object_store.h"
#include "objstore/wrap/fault_object_store.h"
#include "runtime/sim/sim_runtime.h"
#include "runtime/when_all.h"

namespace lakestream {
namespace {

using namespace std::chrono_literals;

/// A writer in the simulator, over memory stores with a fault plan for the objects.
class LogWriterTest : public ::testing::Test {
 protected:
  void Open(WriterOptions options = {}) {
    leases_ = std::make_unique<LeaseKeeper>(rt(), meta_, options);
    leases_->Start();
    Result<std::unique_ptr<LogWriter>> writer = LogWriter::Open(rt(), meta_, wal_, *leases_, options);
    ASSERT_TRUE(writer.ok()) << writer.status().ToString();
    writer_ = *std::move(writer);
    writer_->Start();
  }

  void TearDown() override {
    if (!writer_) return;
    const OpContext soon = OpContext().WithDeadline(rt().Now() + 10min);
    EXPECT_TRUE(scheduler_.Run(writer_->Stop(soon)).ok());
    EXPECT_TRUE(scheduler_.Run(leases_->Stop(soon)).ok());
    EXPECT_TRUE(scheduler_.Run(wal_.Stop()).ok());
  }

  Runtime& rt() { return scheduler_.runtime(); }
  static Task<void> Reached(const Hold* hold) { co_await hold->Reached(); }

  static AppendRequest Entry(std::int64_t log, std::string_view payload, int records = 1, CallerId caller = 0) {
    return AppendRequest{LogId(log), records, Buffer::CopyOf(payload), caller};
  }
  Result<LogEntryHeader> Append(std::int64_t log, std::string_view payload, int records = 1) {
    return scheduler_.Run(writer_->Append(OpContext(), Entry(log, payload, records)));
  }
  /// Appends in this order, all at once.
  std::vector<Result<LogEntryHeader>> AppendAll(std::vector<AppendRequest> requests, OpContext context = {}) {
    std::vector<Task<Result<LogEntryHeader>>> tasks;
    for (AppendRequest& request : requests) tasks.push_back(writer_->Append(context, std::move(request)));
    auto answers = scheduler_.Run(WhenAll(rt(), std::move(tasks)));
    EXPECT_TRUE(answers.ok()) << answers.status().ToString();
    return answers.ok() ? *std::move(answers) : std::vector<Result<LogEntryHeader>>();
  }
  std::vector<MetadataRecord> IndexRecords(std::int64_t log) {
    const KeyRange range{Partition::OfLog(LogId(log)), FirstIndexKey(LogId(log)), LastIndexKey(LogId(log))};
    return scheduler_.Run(meta_.Scan(OpContext(), range, "", 10000))->records;
  }
  std::size_t Objects() { return scheduler_.Run(objects_.List(OpContext(), "", "", 10000))->objects.size(); }

  SimScheduler scheduler_{7};
  MemoryMetadataStore store_{rt()};
  MetadataStore& meta_ = store_;
  MemoryObjectStore objects_{rt()};
  FaultPlan faults_{rt()};
  FaultObjectStore wal_{rt(), objects_, faults_};
  std::unique_ptr<LeaseKeeper> leases_;
  std::unique_ptr<LogWriter> writer_;
};

TEST_F(LogWriterTest, AnAppendIsOneObjectAndOneIndexRecord) {
  Open();
  const Result<LogEntryHeader> first = Append(7, "hello", 2);
  ASSERT_TRUE(first.ok()) << first.status().ToString();
  EXPECT_EQ(first->offset, Offset(0));
  EXPECT_EQ(first->number_of_records, 2);
  EXPECT_EQ(first->entry_size, 5);
  EXPECT_EQ(first->cumulative_size, 5);
  const Result<LogEntryHeader> second = Append(7, "abc");
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(second->offset, Offset(2));
  EXPECT_EQ(second->cumulative_size, 8);

  const std::vector<MetadataRecord> records = IndexRecords(7);
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0].key, "00000000000000000007-00000000000000000002-00000000000000000005");
  EXPECT_EQ(records[1].key, "00000000000000000007-00000000000000000003-00000000000000000008");
  EXPECT_EQ(first->timestamp_ms, records[0].created_ms);
  const Result<EntryIndex> index = DecodeEntryIndex(records[0].value.span(), "test");
  ASSERT_TRUE(index.ok());
  const Result<Buffer> object = scheduler_.Run(objects_.Get(OpContext(), index->location, ByteRange()));
  ASSERT_TRUE(object.ok());
  // index_length, index_version, log_id, entry_count, payload_offset, payload_size, record_count, payload
  EXPECT_EQ(object->text(), std::string_view("\0\0\0\x10\0\0\0\3\0\0\0\0\0\0\0\7\1\0\5\2hello", 25));
}

TEST_F(LogWriterTest, AppendsOfManyLogsShareAnObject) {
  Open();
  std::vector<AppendRequest> requests;
  for (int log = 1; log <= 20; ++log) requests.push_back(Entry(log, "x"));
  for (const auto& answer : AppendAll(std::move(requests))) EXPECT_TRUE(answer.ok()) << answer.status().ToString();
  EXPECT_LE(Objects(), 2u) << "the first may go alone, the rest goes together";
}

TEST_F(LogWriterTest, AnIsolatedLogSharesNoObject) {
  const auto isolate = [this](std::int64_t log) { ASSERT_TRUE(*scheduler_.Run(Isolate(meta_, OpContext(), LogId(log)))); };
  // An append of each, in one flush: the objects and the logs in each of them.
  const auto logs_by_object = [this](const std::vector<std::int64_t>& logs) {
    std::map<std::string, std::vector<std::int64_t>> by_object;
    std::vector<AppendRequest> requests;
    for (const std::int64_t log : logs) requests.push_back(Entry(log, "x"));
    for (const auto& answer : AppendAll(std::move(requests))) EXPECT_TRUE(answer.ok()) << answer.status().ToString();
    for (const std::int64_t log : logs) {
      const MetadataRecord last = IndexRecords(log).back();
      by_object[DecodeEntryIndex(last.value.span(), last.key)->location].push_back(log);
    }
    std::set<std::vector<std::int64_t>> together;
    for (auto& [location, of_object] : by_object) together.insert(of_object);
    return together;
  };
  const auto next_poll = [this] { ASSERT_TRUE(scheduler_.Run(SleepFor(rt(), OpContext(), 600ms)).ok()); };
  using Together = std::set<std::vector<std::int64_t>>;

  isolate(2);
  Open();
  EXPECT_EQ(logs_by_object({0, 1, 2, 3}), (Together{{0, 1, 3}, {2}})) << "known when the first lease is taken";
  isolate(3);
  next_poll();
  EXPECT_EQ(logs_by_object({0, 1, 2, 3}), (Together{{0, 1}, {2}, {3}}));
  ASSERT_TRUE(*scheduler_.Run(EndIsolation(meta_, OpContext(), LogId(2))));
  ASSERT_TRUE(*scheduler_.Run(EndIsolation(meta_, OpContext(), LogId(3))));
  next_poll();
  EXPECT_EQ(logs_by_object({0, 1, 2, 3}), (Together{{0, 1, 2, 3}}));
}

TEST_F(LogWriterTest, AnIsolatedLogAloneIsOneObject) {
  ASSERT_TRUE(*scheduler_.Run(Isolate(meta_, OpContext(), LogId(2))));
  Open();
  ASSERT_TRUE(Append(2, "x").ok());
  EXPECT_EQ(Objects(), 1u);
}

TEST_F(LogWriterTest, ObjectsOfOneFlushDoNotWaitForEachOther) {
  ASSERT_TRUE(*scheduler_.Run(Isolate(meta_, OpContext(), LogId(2))));
  Open();
  const auto timed = [this](std::int64_t log) -> Task<Duration> {
    const MonotonicTime begun = rt().Now();
    const Result<LogEntryHeader> answer = co_await writer_->Append(OpContext(), Entry(log, "x"));
    EXPECT_TRUE(answer.ok()) << answer.status().ToString();
    co_return rt().Now() - begun;
  };
  // The first object has logs 1 and 3, the second one log 2.
  faults_.OnNext(ObjectOp::kPut, "", Fault::Delay(5s));
  std::vector<Task<Duration>> tasks;
  for (const std::int64_t log : {1, 2, 3}) tasks.push_back(timed(log));
  const auto took = scheduler_.Run(WhenAll(rt(), std::move(tasks)));
  ASSERT_TRUE(took.ok());
  EXPECT_GE((*took)[0], 5s);
  EXPECT_LT((*took)[1], 1s);
  EXPECT_GE((*took)[2], 5s);
}

TEST_F(LogWriterTest, OffsetsFollowTheOrderOfTheCalls) {
  WriterOptions options;
  options.target_object_bytes = 50;  // many objects in flight
  options.put_budget_per_second = 1000;
  Open(options);
  std::vector<AppendRequest> requests;
  for (int i = 0; i < 300; ++i) requests.push_back(Entry(i % 3, std::to_string(i), 1 + i % 2));
  const auto answers = AppendAll(std::move(requests));
  std::map<int, std::int64_t> next;
  for (int i = 0; i < 300; ++i) {
    ASSERT_TRUE(answers[i].ok()) << answers[i].status().ToString();
    EXPECT_EQ(answers[i]->offset.value(), next[i % 3]) << i;
    next[i % 3] += 1 + i % 2;
  }
}

TEST_F(LogWriterTest, RefusesWhatCannotBeAnEntry) {
  WriterOptions options;
  options.max_entry_bytes = 10;
  Open(options);
  EXPECT_EQ(Append(1, "x", 0).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(Append(-1, "x").status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(Append(1, "01234567890").status().code(), StatusCode::kInvalidArgument);
  EXPECT_TRUE(Append(1, "0123456789").ok());
  EXPECT_TRUE(Append(1, "").ok());
}

TEST_F(LogWriterTest, OptionsThatContradictEachOtherAreRefused) {
  WriterOptions options;
  options.put_budget_per_second = 1;
  options.linger_max = 999ms;
  LeaseKeeper leases(rt(), meta_, options);
  EXPECT_EQ(LogWriter::Open(rt(), meta_, wal_, leases, options).status().code(), StatusCode::kInvalidArgument);
  options.linger_max = 1s;
  EXPECT_TRUE(LogWriter::Open(rt(), meta_, wal_, leases, options).ok());
  options.times.grace = 10min - 1ms;
  EXPECT_EQ(LogWriter::Open(rt(), meta_, wal_, leases, options).status().code(), StatusCode::kInvalidArgument);
}

TEST_F(LogWriterTest, AFencedLogRefusesAndOthersGoOn) {
  Open();
  ASSERT_TRUE(scheduler_.Run(meta_.CreateIfAbsent(OpContext(), Partition::OfLog(LogId(3)), WriteFenceKey(LogId(3)),
                                                  Buffer::CopyOf(kWriteFenceValue)))
                  .ok());
  const auto answers = AppendAll({Entry(3, "a"), Entry(4, "b")});
  EXPECT_EQ(answers[0].status().code(), StatusCode::kFenced);
  EXPECT_TRUE(answers[1].ok());
  EXPECT_TRUE(IndexRecords(3).empty());
  const auto leases = scheduler_.Run(meta_.List(OpContext(), KeyRange{Partition::OfLog(LogId(3)), "/stream-write-leases/3/",
                                                                     "/stream-write-leases/3/\xff"}, "", 10));
  EXPECT_TRUE(leases->keys.empty()) << "the lease record is given back";
}

TEST_F(LogWriterTest, AFailedPutIsTriedAgainUnderAnotherName) {
  Open();
  faults_.OnNext(ObjectOp::kPut, "", Fault::FailUnavailable());
  faults_.OnNext(ObjectOp::kPut, "", Fault::LoseAnswer());
  const Result<LogEntryHeader> answer = Append(1, "x");
  ASSERT_TRUE(answer.ok()) << answer.status().ToString();
  EXPECT_EQ(faults_.rules_left(), 0);
  EXPECT_EQ(writer_->stats().object_retries, 2);
  EXPECT_EQ(Objects(), 2u) << "the one whose answer was lost is an orphan";
  EXPECT_EQ(IndexRecords(1).size(), 1u);
}

TEST_F(LogWriterTest, AFullStoreFailsTheAppendAndNothingIsIndexed) {
  Open();
  faults_.OnNext(ObjectOp::kPut, "", Fault::Fail(ResourceExhausted("disk full")));
  EXPECT_EQ(Append(1, "x").status().code(), StatusCode::kResourceExhausted);
  EXPECT_TRUE(IndexRecords(1).empty());
  EXPECT_EQ(Append(1, "y")->offset, Offset(0));
}

TEST_F(LogWriterTest, ASlowPutHoldsBackItsOwnLogsOnly) {
  WriterOptions options;
  options.put_budget_per_second = 1000;
  Open(options);
  Hold hold = faults_.HoldNext(ObjectOp::kPut, "", HoldPoint::kBeforeApply);
  std::optional<Result<LogEntryHeader>> slow, behind;
  auto run = [](LogWriter* writer, AppendRequest request, std::optional<Result<LogEntryHeader>>* out) -> Task<void> {
    out->emplace(co_await writer->Append(OpContext(), std::move(request)));
  };
  Gate gate(rt());
  gate.Spawn(run(writer_.get(), Entry(1, "slow"), &slow));
  ASSERT_TRUE(scheduler_.Run(Reached(&hold)).ok());
  EXPECT_TRUE(Append(2, "other log").ok());
  gate.Spawn(run(writer_.get(), Entry(1, "behind"), &behind));
  ASSERT_TRUE(scheduler_.RunFor(1s).ok());
  EXPECT_FALSE(slow.has_value());
  EXPECT_FALSE(behind.has_value()) << "the log's order is kept";
  hold.Release();
  ASSERT_TRUE(scheduler_.Run(gate.Close()).ok());
  EXPECT_EQ((*slow)->offset, Offset(0));
  EXPECT_EQ((*behind)->offset, Offset(1));
}

TEST_F(LogWriterTest, AnAppendThatLandsInALogBegunAnewIsNotAcknowledged) {
  Open();
  ASSERT_TRUE(Append(1, "a").ok());
  Hold hold = faults_.HoldNext(ObjectOp::kPut, "", HoldPoint::kBeforeApply);
  std::optional<Result<LogEntryHeader>> answer;
  auto run = [](LogWriter* writer, AppendRequest request, std::optional<Result<LogEntryHeader>>* out) -> Task<void> {
    out->emplace(co_await writer->Append(OpContext(), std::move(request)));
  };
  Gate gate(rt());
  // More records than the log had: the end that comes back lies above the one known before all the same.
  gate.Spawn(run(writer_.get(), Entry(1, "five", 5), &answer));
  ASSERT_TRUE(scheduler_.Run(Reached(&hold)).ok());
  ASSERT_TRUE(scheduler_.Run(meta_.DeleteRange(OpContext(), Partition::OfLog(LogId(1)), FirstIndexKey(LogId(1)),
                                               LastIndexKey(LogId(1))))
                  .ok());
  hold.Release();
  ASSERT_TRUE(scheduler_.Run(gate.Close()).ok());
  EXPECT_EQ(answer->status().code(), StatusCode::kIndeterminate) << answer->status().ToString();
}

TEST_F(LogWriterTest, WhatACallerQueuedBehindAFailureFailsAsNotDone) {
  WriterOptions options;
  options.target_object_bytes = 1;
  options.put_budget_per_second = 1000;
  Open(options);
  ASSERT_TRUE(Append(1, "lease").ok());
  Hold hold = faults_.HoldNext(ObjectOp::kPut, "", HoldPoint::kBeforeApply);
  std::vector<std::optional<Result<LogEntryHeader>>> answers(4);
  auto run = [](LogWriter* writer, AppendRequest request, std::optional<Result<LogEntryHeader>>* out) -> Task<void> {
    out->emplace(co_await writer->Append(OpContext(), std::move(request)));
  };
  Gate gate(rt());
  gate.Spawn(run(writer_.get(), Entry(1, "fails", 1, 5), &answers[0]));
  ASSERT_TRUE(scheduler_.Run(Reached(&hold)).ok());
  gate.Spawn(run(writer_.get(), Entry(1, "same caller", 1, 5), &answers[1]));
  ASSERT_TRUE(scheduler_.RunFor(1s).ok());
  gate.Spawn(run(writer_.get(), Entry(1, "another caller", 1, 6), &answers[2]));
  gate.Spawn(run(writer_.get(), Entry(2, "another log", 1, 5), &answers[3]));
  ASSERT_TRUE(scheduler_.RunFor(1s).ok());
  hold.Release(ResourceExhausted("disk full"));
  ASSERT_TRUE(scheduler_.Run(gate.Close()).ok());
  EXPECT_EQ(answers[0]->status().code(), StatusCode::kResourceExhausted);
  EXPECT_EQ(answers[1]->status().code(), StatusCode::kUnavailable);
  EXPECT_TRUE(answers[2]->ok());
  EXPECT_TRUE(answers[3]->ok());
  EXPECT_EQ(IndexRecords(1).size(), 2u);
}

TEST_F(LogWriterTest, WhatACallerHasInTheQueueFailsToo) {
  WriterOptions options;
  options.max_puts_in_flight = 1;
  Open(options);
  Hold hold = faults_.HoldNext(ObjectOp::kPut, "", HoldPoint::kBeforeApply);
  std::vector<std::optional<Result<LogEntryHeader>>> answers(3);
  auto run = [](LogWriter* writer, AppendRequest request, std::optional<Result<LogEntryHeader>>* out) -> Task<void> {
    out->emplace(co_await writer->Append(OpContext(), std::move(request)));
  };
  Gate gate(rt());
  gate.Spawn(run(writer_.get(), Entry(1, "fails", 1, 5), &answers[0]));
  ASSERT_TRUE(scheduler_.Run(Reached(&hold)).ok());
  gate.Spawn(run(writer_.get(), Entry(1, "queued", 1, 5), &answers[1]));
  gate.Spawn(run(writer_.get(), Entry(1, "queued by another", 1, 6), &answers[2]));
  ASSERT_TRUE(scheduler_.RunFor(100ms).ok());
  hold.Release(ResourceExhausted("disk full"));
  ASSERT_TRUE(scheduler_.Run(gate.Close()).ok());
  EXPECT_EQ(answers[0]->status().code(), StatusCode::kResourceExhausted);
  EXPECT_EQ(answers[1]->status().code(), StatusCode::kUnavailable);
  EXPECT_TRUE(answers[2]->ok());
}

TEST_F(LogWriterTest, AQueuedAppendIsWithdrawnAtItsDeadline) {
  WriterOptions options;
  options.max_puts_in_flight = 1;
  Open(options);
  Hold hold = faults_.HoldNext(ObjectOp::kPut, "", HoldPoint::kBeforeApply);
  Gate gate(rt());
  std::optional<Result<LogEntryHeader>> on_its_way;
  auto run = [](LogWriter* writer, OpContext context, AppendRequest request,
                std::optional<Result<LogEntryHeader>>* out) -> Task<void> {
    out->emplace(co_await writer->Append(context, std::move(request)));
  };
  gate.Spawn(run(writer_.get(), OpContext().WithDeadline(rt().Now() + 2s), Entry(1, "a"), &on_its_way));
  ASSERT_TRUE(scheduler_.Run(Reached(&hold)).ok());
  const OpContext one_second = OpContext().WithDeadline(rt().Now() + 1s);
  const auto queued = scheduler_.Run(writer_->Append(one_second, Entry(1, "b")));
  EXPECT_EQ(queued.status().code(), StatusCode::kDeadlineExceeded) << "definitely not appended";
  ASSERT_TRUE(scheduler_.RunFor(2s).ok());
  EXPECT_EQ(on_its_way->status().code(), StatusCode::kIndeterminate) << "it may still be appended";
  hold.Release();
  ASSERT_TRUE(scheduler_.Run(gate.Close()).ok());
  EXPECT_EQ(Append(1, "c")->offset, Offset(1)) << "and it was";
}

TEST_F(LogWriterTest, ACancelledAppendIsWithdrawnFromTheQueueAndWaitedForOnItsWay) {
  WriterOptions options;
  options.max_puts_in_flight = 1;
  Open(options);
  Hold hold = faults_.HoldNext(ObjectOp::kPut, "", HoldPoint::kBeforeApply);
  Gate gate(rt());
  std::stop_source cancel;
  std::optional<Result<LogEntryHeader>> on_its_way, queued;
  auto run = [](LogWriter* writer, OpContext context, AppendRequest request,
                std::optional<Result<LogEntryHeader>>* out) -> Task<void> {
    out->emplace(co_await writer->Append(context, std::move(request)));
  };
  const OpContext context = OpContext().WithCancel(cancel.get_token());
  gate.Spawn(run(writer_.get(), context, Entry(1, "a"), &on_its_way));
  ASSERT_TRUE(scheduler_.Run(Reached(&hold)).ok());
  gate.Spawn(run(writer_.get(), context, Entry(1, "b"), &queued));
  ASSERT_TRUE(scheduler_.RunFor(100ms).ok());
  cancel.request_stop();
  ASSERT_TRUE(scheduler_.RunFor(1s).ok());
  ASSERT_TRUE(queued.has_value());
  EXPECT_EQ(queued->status().code(), StatusCode::kCancelled) << "definitely not appended";
  EXPECT_FALSE(on_its_way.has_value());
  hold.Release();
  ASSERT_TRUE(scheduler_.Run(gate.Close()).ok());
  EXPECT_EQ((*on_its_way)->offset, Offset(0));
  EXPECT_EQ(Append(1, "c")->offset, Offset(1));
}

TEST_F(LogWriterTest, AFullQueueMakesAppendsWaitAndTheyWakeOnProgress) {
  WriterOptions options;
  options.max_queued_bytes = 1000;
  options.max_puts_in_flight = 1;
  Open(options);
  std::vector<AppendRequest> requests;
  for (int i = 0; i < 50; ++i) requests.push_back(Entry(1, std::string(400, 'x')));
  for (const auto& answer : AppendAll(std::move(requests))) EXPECT_TRUE(answer.ok());
}

TEST_F(LogWriterTest, AppendsThatWaitForMemoryKeepTheOrderOfTheCalls) {
  WriterOptions options;
  options.max_queued_bytes = 1000;
  options.target_object_bytes = 50;
  options.put_budget_per_second = 1000;
  Open(options);
  std::vector<AppendRequest> requests;
  for (int i = 0; i < 300; ++i) requests.push_back(Entry(1, std::string(static_cast<std::size_t>(i % 7) * 20, 'x')));
  const auto answers = AppendAll(std::move(requests));
  for (int i = 0; i < 300; ++i) {
    ASSERT_TRUE(answers[i].ok()) << answers[i].status().ToString();
    EXPECT_EQ(answers[i]->offset, Offset(i));
  }
}

TEST_F(LogWriterTest, WhatWaitsForMemoryBehindAFailureOfItsCallerFailsToo) {
  WriterOptions options;
  options.max_queued_bytes = 200;  // one append at a time
  Open(options);
  faults_.OnNext(ObjectOp::kPut, "", Fault::Fail(ResourceExhausted("disk full")));
  std::vector<AppendRequest> requests;
  requests.push_back(Entry(1, "a", 1, 5));
  requests.push_back(Entry(1, "b", 1, 5));
  requests.push_back(Entry(1, "c", 1, 6));
  requests.push_back(Entry(2, "d", 1, 5));
  const auto answers = AppendAll(std::move(requests));
  EXPECT_EQ(answers[0].status().code(), StatusCode::kResourceExhausted);
  EXPECT_EQ(answers[1].status().code(), StatusCode::kUnavailable) << "behind the failure, though in no queue yet";
  EXPECT_TRUE(answers[2].ok()) << "another caller";
  EXPECT_TRUE(answers[3].ok()) << "another log";
}

TEST_F(LogWriterTest, StopAbandonsASectionThatWaitsForANewObject) {
  WriterOptions options;
  options.max_puts_in_flight = 1;
  options.put_deadline = 10min;
  options.times.index_deadline = 10min;
  options.times.grace = 2h;
  MetadataFaultPlan meta_faults(rt());
  FaultMetadataStore faulty(rt(), store_, meta_faults);
  LeaseKeeper leases(rt(), faulty, options);
  leases.Start();
  const std::unique_ptr<LogWriter> writer = *LogWriter::Open(rt(), faulty, wal_, leases, options);
  writer->Start();
  Gate gate(rt());
  std::optional<Result<LogEntryHeader>> first, second, other;
  auto run = [](LogWriter* w, AppendRequest request, std::optional<Result<LogEntryHeader>>* out) -> Task<void> {
    out->emplace(co_await w->Append(OpContext(), std::move(request)));
  };
  Hold index_put = meta_faults.HoldNext(MetadataOp::kSequencedPut, "", HoldPoint::kBeforeApply);
  gate.Spawn(run(writer.get(), Entry(1, "a"), &first));
  ASSERT_TRUE(scheduler_.Run(Reached(&index_put)).ok());
  gate.Spawn(run(writer.get(), Entry(1, "b"), &second));
  ASSERT_TRUE(scheduler_.RunFor(1s).ok());
  Hold object = faults_.HoldNext(ObjectOp::kPut, "", HoldPoint::kBeforeApply);
  gate.Spawn(run(writer.get(), Entry(2, "c"), &other));
  ASSERT_TRUE(scheduler_.Run(Reached(&object)).ok());
  // Both objects of log 1 grow too old; the first section waits for another one, the second stands behind it.
  ASSERT_TRUE(scheduler_.RunFor(options.times.publish_deadline).ok());
  index_put.Release();
  ASSERT_TRUE(scheduler_.RunFor(1s).ok());
  const OpContext soon = OpContext().WithDeadline(rt().Now() + 100ms);
  EXPECT_FALSE(scheduler_.Run(writer->Stop(soon)).ok());
  object.Release();
  ASSERT_TRUE(scheduler_.Run(gate.Close()).ok());
  for (const auto* answer : {&first, &second, &other}) {
    EXPECT_EQ((*answer)->status().code(), StatusCode::kUnavailable) << "definitely not done";
  }
  EXPECT_TRUE(IndexRecords(1).empty());
  EXPECT_TRUE(scheduler_.Run(leases.Stop(OpContext())).ok());
  EXPECT_TRUE(scheduler_.Run(faulty.Stop()).ok());
  EXPECT_TRUE(scheduler_.Run(wal_.Stop()).ok());
}

/// With a budget of 10 PUTs a second, of which one flush may need several.
class PutBudgetTest : public LogWriterTest {
 protected:
  void TrickleInto200Logs(double most_of_a_flush);
};

void PutBudgetTest::TrickleInto200Logs(double most_of_a_flush) {
  WriterOptions options;
  options.put_budget_per_second = 10;
  Open(options);
  Gate gate(rt());
  auto trickle = [](Runtime* runtime, LogWriter* writer, int log) -> Task<void> {
    for (int i = 0; i < 20; ++i) {
      const Result<LogEntryHeader> answer = co_await writer->Append(OpContext(), Entry(log, "x"));
      EXPECT_TRUE(answer.ok());
      (void)co_await SleepFor(*runtime, OpContext(), 100ms);
    }
  };
  const MonotonicTime start = rt().Now();
  for (int log = 0; log < 200; ++log) gate.Spawn(trickle(&rt(), writer_.get(), log));
  ASSERT_TRUE(scheduler_.Run(gate.Close()).ok());
  const double seconds = std::chrono::duration<double>(rt().Now() - start).count();
  EXPECT_LE(writer_->stats().objects, 10 + 10 * seconds + most_of_a_flush) << seconds << " s, a burst of ten";
}

TEST_F(PutBudgetTest, HoldsWhateverTheNumberOfLogs) { TrickleInto200Logs(1); }

TEST_F(PutBudgetTest, HoldsForObjectsOfIsolatedLogs) {
  for (int log = 0; log < 4; ++log) ASSERT_TRUE(*scheduler_.Run(Isolate(meta_, OpContext(), LogId(log))));
  TrickleInto200Logs(5);
}

TEST_F(LogWriterTest, StopWritesOutWhatIsQueued) {
  WriterOptions options;
  options.put_budget_per_second = 4;
  Open(options);
  Gate gate(rt());
  int acknowledged = 0;
  auto run = [](LogWriter* writer, AppendRequest request, int* count) -> Task<void> {
    const Result<LogEntryHeader> answer = co_await writer->Append(OpContext(), std::move(request));
    if (answer.ok()) ++*count;
  };
  for (int i = 0; i < 100; ++i) gate.Spawn(run(writer_.get(), Entry(i, "x"), &acknowledged));
  ASSERT_TRUE(scheduler_.RunFor(1ns).ok());
  EXPECT_TRUE(scheduler_.Run(writer_->Stop(OpContext())).ok());
  ASSERT_TRUE(scheduler_.Run(gate.Close()).ok());
  EXPECT_EQ(acknowledged, 100);
  EXPECT_EQ(Append(1, "late").status().code(), StatusCode::kUnavailable);
}

}  // namespace
}  // namespace lakestream
