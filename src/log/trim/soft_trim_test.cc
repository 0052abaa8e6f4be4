#include "log/trim/soft_trim.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "format/entry_index.h"
#include "format/index_key.h"
#include "format/log_records.h"
#include "meta/memory/memory_metadata_store.h"
#include "runtime/sim/sim_runtime.h"
#include "runtime/when_all.h"

namespace lakestream {
namespace {

const LogId kLog(7);

/// Does as it is told when the marker is written: `before` and `after` run around the write, and `answer`
/// takes the place of what the store said.
class TrimStore final : public ForwardingMetadataStore {
 public:
  using ForwardingMetadataStore::ForwardingMetadataStore;
  std::function<Task<void>()> before;
  bool drop_write = false;  ///< the next write never reaches the store
  std::optional<Status> answer;
  bool fail_reads = false;
  int writes = 0;
  bool guarded = true;  ///< every write of a marker named a session

  Task<Result<std::vector<ReadAnswer>>> Read(OpContext context, std::vector<ReadRequest> requests) override {
    return ReadOr(*this, std::move(context), std::move(requests));
  }
  Task<Result<WriteAnswer>> CreateIfAbsent(OpContext context, Partition partition, std::string key, Buffer value,
                                           WriteGuard guard) override {
    ++writes;
    guarded &= guard.session != nullptr;
    return Wrap(*this, inner().CreateIfAbsent(std::move(context), std::move(partition), std::move(key),
                                              std::move(value), std::move(guard)));
  }
  Task<Result<WriteAnswer>> CompareAndSet(OpContext context, Partition partition, std::string key, Buffer value,
                                          std::int64_t version, WriteGuard guard) override {
    ++writes;
    guarded &= guard.session != nullptr;
    return Wrap(*this, inner().CompareAndSet(std::move(context), std::move(partition), std::move(key),
                                             std::move(value), version, std::move(guard)));
  }

 private:
  static Task<Result<std::vector<ReadAnswer>>> ReadOr(TrimStore& self, OpContext context,
                                                      std::vector<ReadRequest> requests) {
    if (self.fail_reads) co_return Unavailable("no answer");
    Task<Result<std::vector<ReadAnswer>>> read = self.inner().Read(std::move(context), std::move(requests));
    co_return co_await read;
  }
  static Task<Result<WriteAnswer>> Wrap(TrimStore& self, Task<Result<WriteAnswer>> write) {
    if (self.before) {
      Task<void> first = std::exchange(self.before, nullptr)();
      co_await first;
    }
    if (!std::exchange(self.drop_write, false)) {
      const Result<WriteAnswer> done = co_await write;
      if (!self.answer) co_return done;
    }
    co_return *std::exchange(self.answer, std::nullopt);
  }
};

class SoftTrimTest : public testing::Test {
 protected:
  // One shard, so that logs lie side by side.
  SoftTrimTest()
      : memory_(sim_.runtime(), MemoryMetadataOptions{1}),
        store_(memory_),
        leases_(sim_.runtime(), memory_, WriterOptions()) {}
  ~SoftTrimTest() override { EXPECT_TRUE(sim_.Run(leases_.Stop(OpContext())).ok()); }

  /// Publishes a record of so many messages.
  void Publish(LogId log, int messages) {
    const WalSection section{log, {WalEntry{0, 10, messages}}};
    const EntryIndex index = *MakeRawEntryIndex(section, "object", 10, true);
    std::vector<SequencedPutRequest> requests(
        1, SequencedPutRequest{Partition::OfLog(log), IndexKeyPrefix(log), messages, 10,
                               Buffer(EncodeEntryIndex(index)), WriteGuard(), nullptr});
    auto put = sim_.RunUntilDone(memory_.SequencedPut(OpContext(), std::move(requests)));
    ASSERT_TRUE(put && put->front().ok());
  }
  Result<SoftTrimOutcome> Trim(std::int64_t through) {
    return sim_.Run(SoftTrim(sim_.runtime(), store_, leases_, OpContext(), kLog, Offset(through)));
  }
  std::string Marker() {
    const auto got = sim_.Run(memory_.Get(OpContext(), Partition::OfLog(kLog), "/mark-deleted-offsets/7"));
    EXPECT_TRUE(got.ok());
    return *got ? std::string((*got)->value.text()) : "none";
  }
  void SetMarker(std::int64_t b) {
    ASSERT_TRUE(sim_.Run(memory_.Put(OpContext(), Partition::OfLog(kLog), TrimMarkerKey(kLog),
                                     Buffer(std::to_string(b)), WriteGuard()))
                    .ok());
  }
  static Task<void> PutMarker(MetadataStore& meta, std::string value) {
    Buffer bytes(std::move(value));
    const auto put =
        co_await meta.Put(OpContext(), Partition::OfLog(kLog), TrimMarkerKey(kLog), std::move(bytes), WriteGuard());
    EXPECT_TRUE(put.ok());
  }

  SimScheduler sim_{1};
  MemoryMetadataStore memory_;
  TrimStore store_;
  LeaseKeeper leases_;
};

TEST_F(SoftTrimTest, WritesTheMarkerAndSaysWhatItDid) {
  for (int i = 0; i < 4; ++i) Publish(kLog, 10);
  auto outcome = Trim(4);
  ASSERT_TRUE(outcome.ok()) << outcome.status().ToString();
  EXPECT_EQ(outcome->before, Offset(0));
  EXPECT_EQ(outcome->after, Offset(5));
  EXPECT_FALSE(outcome->capped);
  EXPECT_EQ(Marker(), "5");
  outcome = Trim(14);
  EXPECT_EQ(outcome->before, Offset(5));
  EXPECT_EQ(outcome->after, Offset(15));
  EXPECT_EQ(Marker(), "15");
  EXPECT_TRUE(store_.guarded);
  EXPECT_EQ(store_.writes, 2);
}

TEST_F(SoftTrimTest, KeepsTheLastRecordAndNeverGoesBack) {
  for (int i = 0; i < 4; ++i) Publish(kLog, 10);
  auto outcome = Trim(1'000'000);
  ASSERT_TRUE(outcome.ok());
  EXPECT_EQ(outcome->after, Offset(30));
  EXPECT_TRUE(outcome->capped);
  outcome = Trim(3);
  EXPECT_EQ(outcome->before, Offset(30));
  EXPECT_EQ(outcome->after, Offset(30));
  EXPECT_EQ(Marker(), "30");
  EXPECT_EQ(store_.writes, 1);
}

TEST_F(SoftTrimTest, AnEmptyLogChangesNothingWhateverItsNeighboursHold) {
  for (int i = 0; i < 3; ++i) Publish(LogId(6), 10);
  Publish(LogId(8), 10);
  const auto outcome = Trim(4);
  ASSERT_TRUE(outcome.ok());
  EXPECT_EQ(outcome->after, Offset(0));
  EXPECT_EQ(Marker(), "none");
}

TEST_F(SoftTrimTest, AConflictIsReadAgain) {
  for (int i = 0; i < 4; ++i) Publish(kLog, 10);
  store_.before = [this] { return PutMarker(memory_, "9"); };
  auto outcome = Trim(19);
  ASSERT_TRUE(outcome.ok()) << outcome.status().ToString();
  EXPECT_EQ(outcome->before, Offset(9));
  EXPECT_EQ(outcome->after, Offset(20));
  EXPECT_EQ(Marker(), "20");
  // Another trim went further meanwhile: it stays.
  store_.before = [this] { return PutMarker(memory_, "29"); };
  outcome = Trim(24);
  ASSERT_TRUE(outcome.ok()) << outcome.status().ToString();
  EXPECT_EQ(outcome->before, Offset(29));
  EXPECT_EQ(outcome->after, Offset(29));
  EXPECT_EQ(Marker(), "29");
}

TEST_F(SoftTrimTest, GivesUpAfterManyConflictsAndSaysSo) {
  for (int i = 0; i < 4; ++i) Publish(kLog, 10);
  SetMarker(0);
  std::function<Task<void>()> again = [&] {
    store_.before = again;
    return PutMarker(memory_, "1");
  };
  store_.before = again;
  const auto outcome = Trim(19);
  EXPECT_EQ(outcome.status().code(), StatusCode::kUnavailable);
  EXPECT_EQ(Marker(), "1");
  EXPECT_EQ(store_.writes, 10);
  store_.before = nullptr;
}

TEST_F(SoftTrimTest, ALostAnswerIsReadBack) {
  for (int i = 0; i < 4; ++i) Publish(kLog, 10);
  store_.answer = Indeterminate("the answer was lost");
  auto outcome = Trim(4);
  ASSERT_TRUE(outcome.ok()) << outcome.status().ToString();
  EXPECT_EQ(outcome->before, Offset(0));
  EXPECT_EQ(outcome->after, Offset(5));
  // The write did not happen, and cannot any more because the version has changed.
  store_.answer = Indeterminate("the answer was lost");
  store_.before = [this] { return PutMarker(memory_, "7"); };
  outcome = Trim(19);
  ASSERT_TRUE(outcome.ok()) << outcome.status().ToString();
  EXPECT_EQ(outcome->before, Offset(7));
  EXPECT_EQ(Marker(), "20");
}

TEST_F(SoftTrimTest, AWriteThatMayStillComeIsIndeterminateAndKeepsItsLease) {
  for (int i = 0; i < 4; ++i) Publish(kLog, 10);
  store_.answer = Indeterminate("the answer was lost");
  store_.drop_write = true;
  const auto outcome = Trim(4);
  EXPECT_EQ(outcome.status().code(), StatusCode::kIndeterminate);
  // The lease record outlives the keeper: nobody may delete the log while the write can still come.
  ASSERT_TRUE(sim_.Run(leases_.Stop(OpContext())).ok());
  int lease_records = 0;
  for (const MetadataRecord& record : memory_.backend()->Dump()) {
    if (record.key.starts_with("/stream-write-leases/7/")) ++lease_records;
  }
  EXPECT_EQ(lease_records, 1);
}

TEST_F(SoftTrimTest, AFencedLogIsNotTrimmed) {
  for (int i = 0; i < 4; ++i) Publish(kLog, 10);
  ASSERT_TRUE(sim_.Run(memory_.CreateIfAbsent(OpContext(), Partition::OfLog(kLog), WriteFenceKey(kLog),
                                              Buffer::CopyOf(kWriteFenceValue), WriteGuard()))
                  .ok());
  EXPECT_EQ(Trim(4).status().code(), StatusCode::kFenced);
  EXPECT_EQ(Marker(), "none");
}

Task<void> ExpireAll(MemoryMetadataBackend& backend) {
  for (const std::string& id : backend.SessionIds()) backend.ExpireSession(id);
  co_return;
}

TEST_F(SoftTrimTest, ALostSessionIsReplaced) {
  for (int i = 0; i < 4; ++i) Publish(kLog, 10);
  store_.before = [this] { return ExpireAll(*memory_.backend()); };
  const auto outcome = Trim(4);
  ASSERT_TRUE(outcome.ok()) << outcome.status().ToString();
  EXPECT_EQ(Marker(), "5");
  EXPECT_EQ(store_.writes, 2);
}

TEST_F(SoftTrimTest, AFencedWriteMeansANewLeaseWhateverTheSessionSays) {
  for (int i = 0; i < 4; ++i) Publish(kLog, 10);
  const auto token = [this] {
    std::string last;
    for (const MetadataRecord& record : memory_.backend()->Dump()) {
      if (record.key.starts_with("/stream-write-leases/7/")) last = record.value.text();
    }
    return last;
  };
  ASSERT_TRUE(Trim(0).ok());
  const std::string before = token();
  ASSERT_NE(before, "");
  store_.drop_write = true;
  store_.answer = Fenced("the session has ended");
  const auto outcome = Trim(4);
  ASSERT_TRUE(outcome.ok()) << outcome.status().ToString();
  ASSERT_TRUE(sim_.RunFor(std::chrono::seconds(2)).ok());
  EXPECT_NE(token(), before);
}

TEST_F(SoftTrimTest, ErrorsAndBadArguments) {
  Publish(kLog, 10);
  EXPECT_EQ(Trim(-1).status().code(), StatusCode::kInvalidArgument);
  store_.fail_reads = true;
  EXPECT_EQ(Trim(1).status().code(), StatusCode::kUnavailable);
  store_.fail_reads = false;
  SetMarker(0);
  ASSERT_TRUE(sim_.Run(memory_.Put(OpContext(), Partition::OfLog(kLog), TrimMarkerKey(kLog), Buffer::CopyOf("x1"),
                                   WriteGuard()))
                  .ok());
  EXPECT_EQ(Trim(1).status().code(), StatusCode::kCorrupt);
}

TEST(SoftTrimRace, ManyAtOnceNeverMoveItBack) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    SimScheduler sim(seed);
    auto backend = std::make_shared<MemoryMetadataBackend>();
    MemoryMetadataStore first(sim.runtime(), backend);
    MemoryMetadataStore second(sim.runtime(), backend);
    LeaseKeeper first_leases(sim.runtime(), first, WriterOptions());
    LeaseKeeper second_leases(sim.runtime(), second, WriterOptions());
    for (int i = 0; i < 20; ++i) {
      const WalSection section{kLog, {WalEntry{0, 10, 1}}};
      const EntryIndex index = *MakeRawEntryIndex(section, "object", 10, true);
      std::vector<SequencedPutRequest> requests(
          1, SequencedPutRequest{Partition::OfLog(kLog), IndexKeyPrefix(kLog), 1, 10, Buffer(EncodeEntryIndex(index)),
                                 WriteGuard(), nullptr});
      ASSERT_TRUE(sim.RunUntilDone(first.SequencedPut(OpContext(), std::move(requests)))->front().ok());
    }
    std::vector<Task<Result<SoftTrimOutcome>>> trims;
    for (int i = 0; i < 10; ++i) {
      const bool odd = i % 2 != 0;
      trims.push_back(SoftTrim(sim.runtime(), odd ? first : second, odd ? first_leases : second_leases, OpContext(),
                               kLog, Offset(i)));
    }
    const auto outcomes = sim.RunUntilDone(WhenAll(sim.runtime(), std::move(trims)));
    ASSERT_TRUE(outcomes);
    for (int i = 0; i < 10; ++i) {
      ASSERT_TRUE((*outcomes)[i].ok()) << (*outcomes)[i].status().ToString();
      EXPECT_GE((*outcomes)[i]->after, Offset(i + 1));
      EXPECT_GE((*outcomes)[i]->after, (*outcomes)[i]->before);
    }
    const auto marker = sim.Run(first.Get(OpContext(), Partition::OfLog(kLog), TrimMarkerKey(kLog)));
    EXPECT_EQ((*marker)->value.text(), "10");
    EXPECT_TRUE(sim.Run(first_leases.Stop(OpContext())).ok());
    EXPECT_TRUE(sim.Run(second_leases.Stop(OpContext())).ok());
  }
}

}  // namespace
}  // namespace lakestream
