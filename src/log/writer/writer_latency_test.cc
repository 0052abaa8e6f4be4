#include <gtest/gtest.h>

#include <optional>

#include "log/writer/log_writer.h"
#include "meta/memory/memory_metadata_store.h"
#include "meta/wrap/fault_metadata_store.h"
#include "objstore/memory/memory_object_store.h"
#include "objstore/wrap/fault_object_store.h"
#include "runtime/gate.h"
#include "runtime/sim/sim_runtime.h"
#include "runtime/when_all.h"

// Where a writer says that its time went, in virtual time: what is held back for seconds shows in its own part alone.

namespace lakestream {
namespace {

using namespace std::chrono_literals;

/// What else takes time in these tests is far below this.
constexpr Duration kLittle = 100ms;

class WriterLatencyTest : public ::testing::Test {
 protected:
  WriterLatencyTest() {
    leases_.Start();
    writer_ = *LogWriter::Open(rt(), meta_, wal_, leases_, Options());
    writer_->Start();
  }
  ~WriterLatencyTest() override {
    const OpContext soon = OpContext().WithDeadline(rt().Now() + 10min);
    EXPECT_TRUE(scheduler_.Run(writer_->Stop(soon)).ok());
    EXPECT_TRUE(scheduler_.Run(leases_.Stop(soon)).ok());
    EXPECT_TRUE(scheduler_.Run(wal_.Stop()).ok());
    EXPECT_TRUE(scheduler_.Run(meta_.Stop()).ok());
  }

  static WriterOptions Options() {
    WriterOptions options;
    options.max_puts_in_flight = 1;
    options.put_budget_per_second = 1000;
    return options;
  }
  Runtime& rt() { return scheduler_.runtime(); }
  static AppendRequest Entry(std::int64_t log) { return AppendRequest{LogId(log), 1, Buffer::CopyOf("x")}; }
  static Task<void> Reached(const Hold* hold) { co_await hold->Reached(); }
  StatusCode Append(std::int64_t log) {
    return scheduler_.Run(writer_->Append(OpContext(), Entry(log))).status().code();
  }
  void Spawn(Gate* gate, std::int64_t log) {
    auto run = [](LogWriter* writer, AppendRequest request) -> Task<void> {
      const Result<LogEntryHeader> answer = co_await writer->Append(OpContext(), std::move(request));
      EXPECT_TRUE(answer.ok()) << answer.status().ToString();
    };
    gate->Spawn(run(writer_.get(), Entry(log)));
  }

  static void ExpectAbout(const HistogramSnapshot& seen, Duration sum, std::int64_t count) {
    EXPECT_GE(seen.sum(), sum);
    EXPECT_LT(seen.sum(), sum + kLittle);
    EXPECT_EQ(seen.count(), count);
  }

  SimScheduler scheduler_{7};
  MemoryMetadataStore meta_store_{rt()};
  MetadataFaultPlan meta_faults_{rt()};
  FaultMetadataStore meta_{rt(), meta_store_, meta_faults_};
  MemoryObjectStore objects_{rt()};
  FaultPlan faults_{rt()};
  FaultObjectStore wal_{rt(), objects_, faults_};
  LeaseKeeper leases_{rt(), meta_, Options()};
  std::unique_ptr<LogWriter> writer_;
};

TEST_F(WriterLatencyTest, ASlowPutShowsInPut) {
  faults_.OnNext(ObjectOp::kPut, "", Fault::Delay(5s));
  ASSERT_EQ(Append(1), StatusCode::kOk);
  const WriterLatency latency = writer_->latency();
  ExpectAbout(latency.queue, 0s, 1);
  ExpectAbout(latency.put, 5s, 1);
  ExpectAbout(latency.index, 0s, 1);
  ExpectAbout(latency.total, 5s, 1);
}

TEST_F(WriterLatencyTest, ASlowLeaseAndAPutThatIsTriedAgainShowInPut) {
  meta_faults_.OnNext(MetadataOp::kCreateEphemeral, "", MetadataFault::Delay(2s));
  faults_.OnNext(ObjectOp::kPut, "", Fault::FailUnavailable());
  faults_.OnNext(ObjectOp::kPut, "", Fault::Delay(3s));
  ASSERT_EQ(Append(1), StatusCode::kOk);
  const WriterLatency latency = writer_->latency();
  ExpectAbout(latency.put, 5s, 1);
  ExpectAbout(latency.total, 5s, 1);
}

TEST_F(WriterLatencyTest, ASlowIndexPutShowsInIndexOnceForEachLog) {
  ASSERT_EQ(Append(1), StatusCode::kOk);
  ASSERT_EQ(Append(2), StatusCode::kOk);
  Gate gate(rt());
  Hold hold = faults_.HoldNext(ObjectOp::kPut, "", HoldPoint::kBeforeApply);
  Spawn(&gate, 3);
  ASSERT_TRUE(scheduler_.Run(Reached(&hold)).ok());
  // The two share the next object, and their index puts travel together.
  meta_faults_.OnNext(MetadataOp::kSequencedPut, "00000000000000000002", MetadataFault::Delay(7s));
  Spawn(&gate, 1);
  Spawn(&gate, 2);
  ASSERT_TRUE(scheduler_.RunFor(kLittle / 4).ok());
  hold.Release();
  ASSERT_TRUE(scheduler_.Run(gate.Close()).ok());
  EXPECT_EQ(writer_->stats().objects, 4);
  const WriterLatency latency = writer_->latency();
  ExpectAbout(latency.put, 0s, 4);
  ExpectAbout(latency.index, 14s, 5);
  EXPECT_LT(latency.index.Quantile(0.6), kLittle);
  ExpectAbout(latency.total, 14s, 5);
}

TEST_F(WriterLatencyTest, WaitingForASlotShowsInQueueOnceForAFlush) {
  ASSERT_EQ(Append(1), StatusCode::kOk);
  Gate gate(rt());
  Hold hold = faults_.HoldNext(ObjectOp::kPut, "", HoldPoint::kBeforeApply);
  Spawn(&gate, 2);
  ASSERT_TRUE(scheduler_.Run(Reached(&hold)).ok());
  Spawn(&gate, 1);  // waits for three seconds
  ASSERT_TRUE(scheduler_.RunFor(2s).ok());
  Spawn(&gate, 1);  // for one, and does not show: the oldest entry stands for its flush
  ASSERT_TRUE(scheduler_.RunFor(1s).ok());
  hold.Release();
  ASSERT_TRUE(scheduler_.Run(gate.Close()).ok());
  const WriterLatency latency = writer_->latency();
  ExpectAbout(latency.queue, 3s, 3);
  ExpectAbout(latency.put, 3s, 3);  // of the one that was held
  ExpectAbout(latency.index, 0s, 3);
  ExpectAbout(latency.total, 6s, 3);
}

TEST_F(WriterLatencyTest, WhatFailsIsNotInTheWhole) {
  faults_.OnNext(ObjectOp::kPut, "", Fault::Fail(ResourceExhausted("disk full")));
  ASSERT_EQ(Append(1), StatusCode::kResourceExhausted);
  EXPECT_EQ(writer_->latency().total.count(), 0);
  EXPECT_EQ(writer_->latency().index.count(), 0);
}

}  // namespace
}  // namespace lakestream
