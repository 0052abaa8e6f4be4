#include "log/lease/lease_keeper.h"

#include <gtest/gtest.h>

#include <optional>
#include <utility>
#include <vector>

#include "base/try.h"
#include "format/log_records.h"
#include "log/isolation/isolation.h"
#include "meta/memory/memory_metadata_store.h"
#include "meta/wrap/fault_metadata_store.h"
#include "runtime/gate.h"
#include "runtime/sim/sim_runtime.h"

namespace lakestream {
namespace {

using namespace std::chrono_literals;

constexpr LogId kLog(5);

class LeaseKeeperTest : public ::testing::Test {
 protected:
  using Taken = std::optional<Result<LeaseUse>>;

  void SetUp() override { leases_.Start(); }
  void TearDown() override {
    const OpContext soon = OpContext().WithDeadline(rt().Now() + 10min);
    EXPECT_TRUE(scheduler_.Run(leases_.Stop(soon)).ok());
    EXPECT_TRUE(scheduler_.Run(meta_.Stop()).ok());
  }

  Runtime& rt() { return scheduler_.runtime(); }
  void Start(Gate& gate, Taken* taken) {
    const auto acquire = [](LeaseKeeper* leases, Taken* out) -> Task<void> {
      out->emplace(co_await leases->Acquire(OpContext(), kLog));
    };
    gate.Spawn(acquire(&leases_, taken));
  }
  static Task<void> Reached(const Hold* hold) { co_await hold->Reached(); }
  std::size_t Records() {
    const KeyRange range{Partition::OfLog(kLog), WriteLeaseKey(kLog, ""), WriteLeaseKey(kLog, "\xff")};
    return scheduler_.Run(store_.List(OpContext(), range, "", 10))->keys.size();
  }

  SimScheduler scheduler_{3};
  MemoryMetadataStore store_{rt()};
  MetadataFaultPlan faults_{rt()};
  FaultMetadataStore meta_{rt(), store_, faults_};
  LeaseKeeper leases_{rt(), meta_, WriterOptions()};
};

TEST_F(LeaseKeeperTest, ThoseWhoAskAtOnceShareOneLease) {
  std::vector<Taken> taken(5);
  Gate gate(rt());
  for (Taken& one : taken) Start(gate, &one);
  ASSERT_TRUE(scheduler_.Run(gate.Close()).ok());
  for (const Taken& one : taken) EXPECT_EQ((*one)->serial(), (*taken[0])->serial());
  EXPECT_EQ(Records(), 1u);
}

TEST_F(LeaseKeeperTest, OneWhoComesWhileOthersTryAgainWaitsForThem) {
  faults_.OnNext(MetadataOp::kCreateEphemeral, "", MetadataFault::FailUnavailable());
  const Hold second = faults_.HoldNext(MetadataOp::kCreateEphemeral, "", HoldPoint::kBeforeApply);
  Taken failed, waiting, late;
  Gate gate(rt());
  Start(gate, &failed);
  ASSERT_TRUE(scheduler_.RunFor(0s).ok());
  Start(gate, &waiting);
  ASSERT_TRUE(scheduler_.Run(Reached(&second)).ok());
  Start(gate, &late);
  ASSERT_TRUE(scheduler_.RunFor(1s).ok());
  EXPECT_FALSE(late.has_value()) << "it took a lease of its own beside the one that is being taken";
  second.Release();
  ASSERT_TRUE(scheduler_.Run(gate.Close()).ok());
  EXPECT_FALSE(failed->ok());
  ASSERT_TRUE(waiting->ok() && late->ok());
  EXPECT_EQ((*late)->serial(), (*waiting)->serial());
  EXPECT_EQ(Records(), 1u);
}

TEST_F(LeaseKeeperTest, AFencedLogGivesNoLeaseAndKeepsNoRecord) {
  ASSERT_TRUE(scheduler_.Run(store_.CreateIfAbsent(OpContext(), Partition::OfLog(kLog), WriteFenceKey(kLog),
                                                   Buffer::CopyOf(kWriteFenceValue), WriteGuard()))
                  .ok());
  EXPECT_EQ(scheduler_.Run(leases_.Acquire(OpContext(), kLog)).status().code(), StatusCode::kFenced);
  ASSERT_TRUE(scheduler_.RunFor(1s).ok());
  EXPECT_EQ(Records(), 0u);
}

TEST_F(LeaseKeeperTest, ALeaseTellsWhetherItsLogIsIsolated) {
  const auto isolated = [this] { return scheduler_.Run(leases_.Acquire(OpContext(), kLog))->Isolated(); };
  const auto poll = [this] { return scheduler_.Run(SleepFor(rt(), OpContext(), WriterOptions().fence_poll + 100ms)).ok(); };
  EXPECT_FALSE(isolated());
  ASSERT_TRUE(*scheduler_.Run(Isolate(store_, OpContext(), kLog)));
  ASSERT_TRUE(poll());
  EXPECT_TRUE(isolated());
  faults_.OnNext(MetadataOp::kList, "", MetadataFault::FailUnavailable());
  ASSERT_TRUE(*scheduler_.Run(EndIsolation(store_, OpContext(), kLog)));
  ASSERT_TRUE(poll());
  EXPECT_TRUE(isolated()) << "nothing new is known";
  ASSERT_TRUE(poll());
  EXPECT_FALSE(isolated());
}

TEST_F(LeaseKeeperTest, OneThatCannotLookForIsolatedLogsGivesLeases) {
  ASSERT_TRUE(*scheduler_.Run(Isolate(store_, OpContext(), kLog)));
  faults_.OnNext(MetadataOp::kList, "", MetadataFault::FailUnavailable());
  const Result<LeaseUse> lease = scheduler_.Run(leases_.Acquire(OpContext(), kLog));
  ASSERT_TRUE(lease.ok()) << lease.status().ToString();
  EXPECT_FALSE(lease->Isolated());
  EXPECT_EQ(faults_.rules_left(), 0);
}

TEST_F(LeaseKeeperTest, ALeaseThatIsNotUsedIsGivenBack) {
  ASSERT_TRUE(scheduler_.Run(leases_.Acquire(OpContext(), kLog)).ok());
  EXPECT_EQ(Records(), 1u);
  ASSERT_TRUE(scheduler_.RunFor(WriterOptions().lease_idle + 1min).ok());
  EXPECT_EQ(Records(), 0u);
}

TEST_F(LeaseKeeperTest, ALeaseTellsTheTimeOfItsStore) {
  // The store's clock is a day behind this process's.
  SimNode& node = scheduler_.AddNode("behind");
  node.ShiftWall(-24h);
  MemoryMetadataStore store(node.runtime());
  LeaseKeeper leases(rt(), store, WriterOptions());
  {
    const Result<LeaseUse> lease = scheduler_.Run(leases.Acquire(OpContext(), kLog));
    ASSERT_TRUE(lease.ok()) << lease.status().ToString();
    EXPECT_EQ(lease->StoreMillis(rt().Now()), ToMillis(node.runtime().clock.Wall()));
    ASSERT_TRUE(scheduler_.RunFor(7s).ok());
    EXPECT_EQ(lease->StoreMillis(rt().Now()), ToMillis(node.runtime().clock.Wall()));
  }
  EXPECT_TRUE(scheduler_.Run(leases.Stop(OpContext())).ok());
}

TEST_F(LeaseKeeperTest, ASessionThatCannotBeClosedAtOnceIsClosedLater) {
  for (const MetadataFault& fault : {MetadataFault::FailUnavailable(), MetadataFault::LoseAnswer()}) {
    LeaseKeeper leases(rt(), meta_, WriterOptions());
    leases.Start();
    ASSERT_TRUE(scheduler_.Run(leases.Acquire(OpContext(), kLog)).ok());
    for (int i = 0; i < 3; ++i) faults_.OnNext(MetadataOp::kCloseSession, "", fault);
    const OpContext soon = OpContext().WithDeadline(rt().Now() + 1min);
    EXPECT_TRUE(scheduler_.Run(leases.Stop(soon)).ok());
    EXPECT_EQ(Records(), 0u);
    EXPECT_TRUE(store_.backend()->SessionIds().empty());
    EXPECT_EQ(faults_.rules_left(), 0);
  }
}

TEST_F(LeaseKeeperTest, AStopEndsWithItsContextWhereTheSessionCannotBeClosed) {
  LeaseKeeper leases(rt(), meta_, WriterOptions());
  leases.Start();
  ASSERT_TRUE(scheduler_.Run(leases.Acquire(OpContext(), kLog)).ok());
  for (int i = 0; i < 100; ++i) faults_.OnNext(MetadataOp::kCloseSession, "", MetadataFault::FailUnavailable());
  const OpContext soon = OpContext().WithDeadline(rt().Now() + 10s);
  EXPECT_EQ(scheduler_.Run(leases.Stop(soon)).code(), StatusCode::kUnavailable);
  EXPECT_EQ(rt().Now(), soon.deadline);
  EXPECT_EQ(Records(), 1u);
}

TEST_F(LeaseKeeperTest, ALeaseInUseIsKeptHoweverLongItTakes) {
  const Result<LeaseUse> use = scheduler_.Run(leases_.Acquire(OpContext(), kLog));
  ASSERT_TRUE(use.ok());
  ASSERT_TRUE(scheduler_.RunFor(WriterOptions().lease_idle + 1min).ok());
  EXPECT_EQ(Records(), 1u);
}

/// Before the call with this number reaches the store, does what a catalog does that deletes the log: puts up the
/// fence, then lists the lease records.
class FencingStore final : public ForwardingMetadataStore {
 public:
  FencingStore(MetadataStore& inner, int at) : ForwardingMetadataStore(inner), at_(at) {}

  bool fenced() const { return fenced_; }
  std::size_t listed() const { return listed_; }

  Task<Result<std::vector<ReadAnswer>>> Read(OpContext context, std::vector<ReadRequest> requests) override {
    LS_CO_TRY(co_await Count());
    co_return co_await inner().Read(std::move(context), std::move(requests));
  }
  Task<Result<WriteAnswer>> CreateEphemeral(OpContext context, Partition partition, std::string key, Buffer value,
                                            std::shared_ptr<MetadataSession> session) override {
    LS_CO_TRY(co_await Count());
    co_return co_await inner().CreateEphemeral(std::move(context), std::move(partition), std::move(key),
                                               std::move(value), std::move(session));
  }
  Task<Result<std::shared_ptr<MetadataSession>>> OpenSession(OpContext context, Duration timeout) override {
    LS_CO_TRY(co_await Count());
    co_return co_await inner().OpenSession(std::move(context), timeout);
  }

  Task<Result<std::size_t>> CountLeases() {
    KeyRange range;
    range.partition = Partition::OfLog(kLog);
    range.from = WriteLeaseKeys(kLog).first;
    range.to = WriteLeaseKeys(kLog).end;
    LS_CO_ASSIGN(const KeyPage page, co_await inner().List(OpContext(), range, "", 10));
    co_return page.keys.size();
  }

 private:
  Task<Status> Count() {
    if (calls_++ != at_) co_return OkStatus();
    const Buffer value = Buffer::CopyOf(kWriteFenceValue);
    const Result<WriteAnswer> put = co_await inner().CreateIfAbsent(OpContext(), Partition::OfLog(kLog),
                                                                    WriteFenceKey(kLog), value, WriteGuard());
    LS_CO_TRY(put.status());
    fenced_ = true;
    LS_CO_ASSIGN(listed_, co_await CountLeases());
    co_return OkStatus();
  }

  const int at_;
  int calls_ = 0;
  bool fenced_ = false;
  std::size_t listed_ = 0;
};

// The lease record comes first and the look at the fence second: the other way round there is a moment in which
// neither sees the other.
TEST(LeaseKeeperFenceTest, AFenceAtAnyMomentIsSeenByOneOfTheTwo) {
  int calls = 0;
  for (;; ++calls) {
    SCOPED_TRACE(testing::Message() << "fenced at call " << calls);
    SimScheduler sim(static_cast<std::uint64_t>(calls) + 1);
    MemoryMetadataStore memory(sim.runtime());
    FencingStore store(memory, calls);
    LeaseKeeper leases(sim.runtime(), store, WriterOptions());
    {
      const Result<LeaseUse> lease = sim.Run(leases.Acquire(OpContext(), kLog));
      if (lease.ok()) {
        const std::size_t seen = store.fenced() ? store.listed() : *sim.Run(store.CountLeases());
        EXPECT_EQ(seen, 1u) << "a writer that a catalog would not wait for";
      } else {
        EXPECT_EQ(lease.status().code(), StatusCode::kFenced) << lease.status().ToString();
        EXPECT_TRUE(sim.RunUntilIdle().ok());
        EXPECT_EQ(*sim.Run(store.CountLeases()), 0u) << "the lease record is given back";
      }
    }
    EXPECT_TRUE(sim.Run(leases.Stop(OpContext())).ok());
    if (!store.fenced()) break;
  }
  EXPECT_EQ(calls, 3) << "a session, the lease record, the fence";
}

}  // namespace
}  // namespace lakestream
