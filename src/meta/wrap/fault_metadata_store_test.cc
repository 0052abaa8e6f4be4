#include "meta/wrap/fault_metadata_store.h"

#include <gtest/gtest.h>

#include <stop_token>

#include "base/try.h"
#include "meta/memory/memory_metadata_store.h"
#include "meta/wrap/unguarded_metadata_store.h"
#include "runtime/testing/world.h"
#include "runtime/when_all.h"

namespace lakestream {
namespace {

using namespace std::chrono_literals;
const Partition kLog7 = Partition::OfLog(LogId(7));
const Partition kLog8 = Partition::OfLog(LogId(8));
const std::string kSeven = "00000000000000000007";
const std::string kEight = "00000000000000000008";
using Answers = std::vector<Result<SequencedPutAnswer>>;

struct World {
  World(Runtime& r, Duration p) : runtime(r), patience(p), plan(r), fault(r, memory, plan) {}
  /// A context that lasts until the call has surely begun, and then ends.
  OpContext Patient() const { return OpContext().WithDeadline(runtime.Now() + patience); }
  Runtime& runtime;
  const Duration patience;
  MemoryMetadataStore memory{runtime};
  MetadataFaultPlan plan;
  FaultMetadataStore fault;
  MetadataStore& store = fault;
  MetadataStore& truth = memory;  // what is really there
};

class FaultMetadataStoreTest : public WorldTest {
 protected:
  /// Runs the body and stops the store.
  void RunBody(Task<void> (*body)(World&)) {
    World world(runtime(), simulated() ? Duration(20ms) : Duration(1s));
    Run(body(world));
    Run(world.fault.Stop());
  }
};

Task<bool> Has(MetadataStore& store, std::string key) {
  const Result<ReadAnswer> answer = co_await store.Get(OpContext(), kLog7, std::move(key));
  EXPECT_TRUE(answer.ok());
  co_return answer.ok() && answer->has_value();
}

SequencedPutRequest Request(const Partition& partition, std::string prefix) {
  return SequencedPutRequest{partition, std::move(prefix), 1, 1, Buffer(), WriteGuard(), nullptr};
}
std::vector<SequencedPutRequest> SevenAndEight() {
  std::vector<SequencedPutRequest> requests;
  requests.push_back(Request(kLog8, kEight));
  requests.push_back(Request(kLog7, kSeven));
  requests.push_back(Request(kLog8, kEight));
  return requests;
}

Task<void> Rules(World& w) {
  const Buffer value;
  w.plan.OnNth(MetadataOp::kPut, "a", 2, MetadataFault::Fail(ResourceExhausted("full")));
  CO_ASSERT_OK(co_await w.store.Put(OpContext(), kLog7, "b1", value));
  CO_ASSERT_OK(co_await w.store.Put(OpContext(), kLog7, "a1", value));
  CO_ASSERT_OK(co_await w.store.CreateIfAbsent(OpContext(), kLog7, "a2", value));
  CO_ASSERT_CODE(co_await w.store.Put(OpContext(), kLog7, "a3", value), kResourceExhausted);
  EXPECT_FALSE(co_await Has(w.truth, "a3"));
  CO_ASSERT_OK(co_await w.store.Put(OpContext(), kLog7, "a3", value));
  EXPECT_EQ(w.plan.rules_left(), 0);
  EXPECT_EQ(w.plan.injected(MetadataFaultKind::kFail), 1);
  w.plan.Always(MetadataOp::kDelete, "", MetadataFault::FailUnavailable());
  for (int i = 0; i < 3; ++i) CO_ASSERT_CODE(co_await w.store.Delete(OpContext(), kLog7, "a1"), kUnavailable);
  w.plan.Heal();
  CO_ASSERT_OK(co_await w.store.Delete(OpContext(), kLog7, "a1"));
}
TEST_P(FaultMetadataStoreTest, RulesNameOperationPrefixAndOccurrence) { RunBody(Rules); }

Task<void> LosesAnswers(World& w) {
  const Buffer value;
  w.plan.OnNext(MetadataOp::kCreateIfAbsent, "/fence", MetadataFault::LoseAnswer());
  CO_ASSERT_CODE(co_await w.store.CreateIfAbsent(OpContext(), kLog7, "/fence/7", value), kIndeterminate);
  EXPECT_TRUE(co_await Has(w.truth, "/fence/7"));
  w.plan.OnNext(MetadataOp::kRead, "", MetadataFault::LoseAnswer());
  CO_ASSERT_CODE(co_await w.store.Get(OpContext(), kLog7, "/fence/7"), kUnavailable);
  // An answer that says no is lost too.
  w.plan.OnNext(MetadataOp::kCreateIfAbsent, "/fence", MetadataFault::LoseAnswer());
  CO_ASSERT_CODE(co_await w.store.CreateIfAbsent(OpContext(), kLog7, "/fence/7", value), kIndeterminate);
  EXPECT_FALSE(w.store.capabilities().definite_answers);
}
TEST_P(FaultMetadataStoreTest, ALostAnswerIsOfACallThatWasDone) { RunBody(LosesAnswers); }

Task<void> AppliesLate(World& w) {
  const Buffer value;
  w.plan.OnNext(MetadataOp::kPut, "k", MetadataFault::ApplyLate(30ms));
  const OpContext context = w.Patient();
  CO_ASSERT_CODE(co_await w.store.Put(context, kLog7, "k", value), kIndeterminate);
  EXPECT_GE(w.runtime.Now(), context.deadline);
  EXPECT_FALSE(co_await Has(w.truth, "k"));
  const std::uint64_t seen = w.truth.ChangeHint(kLog7);
  CO_ASSERT_OK(co_await w.truth.AwaitChange(OpContext(), kLog7, seen));
  EXPECT_TRUE(co_await Has(w.truth, "k"));
  EXPECT_GE(w.runtime.Now(), context.deadline + 30ms);
}
TEST_P(FaultMetadataStoreTest, AZombieWriteArrivesAfterItsCallerGaveUp) { RunBody(AppliesLate); }

Task<void> LateIsAdmittedFirst(World& w) {
  w.plan.OnNext(MetadataOp::kSequencedPut, kSeven, MetadataFault::ApplyLate(10ms));
  std::vector<SequencedPutRequest> requests = SevenAndEight();
  requests.push_back(Request(kLog7, kSeven));
  int asked = 0;
  requests[1].admit = [&asked] {
    ++asked;
    return OkStatus();
  };
  requests[3].admit = [&asked] {
    ++asked;
    return Fenced("too old");
  };
  const std::uint64_t seen = w.truth.ChangeHint(kLog7);
  const OpContext context = w.Patient();
  const Answers answers = co_await w.store.SequencedPut(context, std::move(requests));
  CO_ASSERT_EQ(answers.size(), 4u);
  CO_ASSERT_OK(answers[0]);
  EXPECT_EQ(answers[1].status().code(), StatusCode::kIndeterminate);
  CO_ASSERT_OK(answers[2]);
  EXPECT_EQ(answers[3].status().code(), StatusCode::kFenced);
  EXPECT_EQ(asked, 2);
  CO_ASSERT_OK(co_await w.truth.AwaitChange(OpContext(), kLog7, seen));
  EXPECT_TRUE(co_await Has(w.truth, kSeven + "-00000000000000000001-00000000000000000001"));
  EXPECT_EQ(asked, 2) << "what is on its way is not asked again";
}
TEST_P(FaultMetadataStoreTest, ALateSequencedPutWasAdmittedInTime) { RunBody(LateIsAdmittedFirst); }

Task<void> DropsOneOfABatch(World& w) {
  w.plan.OnNext(MetadataOp::kSequencedPut, kSeven, MetadataFault::FailUnavailable());
  std::vector<SequencedPutRequest> requests = SevenAndEight();
  const Answers answers = co_await w.store.SequencedPut(OpContext(), std::move(requests));
  CO_ASSERT_EQ(answers.size(), 3u);
  CO_ASSERT_OK(answers[0]);
  EXPECT_EQ(answers[1].status().code(), StatusCode::kUnavailable);
  CO_ASSERT_OK(answers[2]);
  EXPECT_EQ(answers[0]->key, kEight + "-00000000000000000001-00000000000000000001");
  EXPECT_EQ(answers[2]->key, kEight + "-00000000000000000002-00000000000000000002");
  EXPECT_FALSE(co_await Has(w.truth, kSeven + "-00000000000000000001-00000000000000000001"));
  w.plan.OnNext(MetadataOp::kSequencedPut, kEight, MetadataFault::LoseAnswer());
  std::vector<SequencedPutRequest> again = SevenAndEight();
  const Answers lost = co_await w.store.SequencedPut(OpContext(), std::move(again));
  EXPECT_EQ(lost[0].status().code(), StatusCode::kIndeterminate);
  CO_ASSERT_OK(lost[1]);
  EXPECT_EQ(lost[2].status().code(), StatusCode::kIndeterminate);
  const Result<ReadAnswer> last = co_await w.truth.Floor(OpContext(), kLog8, kEight + "-9");
  CO_ASSERT_OK(last);
  CO_ASSERT_TRUE(last->has_value());
  EXPECT_EQ((*last)->key, kEight + "-00000000000000000004-00000000000000000004");
}
TEST_P(FaultMetadataStoreTest, AFaultOfABatchIsForTheRequestsItNames) { RunBody(DropsOneOfABatch); }

Task<void> HoldsBefore(World& w) {
  const Buffer value;
  const Hold hold = w.plan.HoldNext(MetadataOp::kPut, "k", HoldPoint::kBeforeApply);
  const OpContext context = w.Patient();
  EXPECT_FALSE(hold.reached());
  CO_ASSERT_CODE(co_await w.store.Put(context, kLog7, "key", value), kIndeterminate);
  co_await hold.Reached();
  EXPECT_EQ(hold.key(), "key");
  EXPECT_FALSE(co_await Has(w.truth, "key"));
  hold.Release();
  co_await hold.Done();
  EXPECT_TRUE(co_await Has(w.truth, "key"));
}
TEST_P(FaultMetadataStoreTest, AHeldCallReachesTheStoreWhenLetGo) { RunBody(HoldsBefore); }

Task<Status> PutKey(MetadataStore& store, std::string key) {
  const Buffer value;
  const Result<WriteAnswer> put = co_await store.Put(OpContext(), kLog7, std::move(key), value);
  co_return put.status();
}
Task<Status> LetGo(World& w, Hold hold, std::optional<Status> answer, bool applied) {
  co_await hold.Reached();
  EXPECT_EQ(co_await Has(w.truth, hold.key()), applied);
  if (answer) {
    hold.Release(*answer);
  } else {
    hold.Release();
  }
  co_return OkStatus();
}
Task<void> HoldsAndAnswers(World& w) {
  struct Case {
    HoldPoint point;
    std::optional<Status> answer;
    StatusCode expected;
    bool there;
  };
  const std::vector<Case> cases = {
      {HoldPoint::kBeforeApply, std::nullopt, StatusCode::kOk, true},
      {HoldPoint::kBeforeApply, Unavailable("no"), StatusCode::kUnavailable, false},
      {HoldPoint::kAfterApply, std::nullopt, StatusCode::kOk, true},
      {HoldPoint::kAfterApply, Indeterminate("lost"), StatusCode::kIndeterminate, true},
  };
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const std::string key = "case" + std::to_string(i);
    const Hold hold = w.plan.HoldNext(MetadataOp::kPut, key, cases[i].point);
    std::vector<Task<Status>> tasks;
    tasks.push_back(PutKey(w.store, key));
    tasks.push_back(LetGo(w, hold, cases[i].answer, cases[i].point == HoldPoint::kAfterApply));
    const std::vector<Status> ends = co_await WhenAll(w.runtime, std::move(tasks));
    EXPECT_EQ(ends[0].code(), cases[i].expected) << i;
    EXPECT_EQ(co_await Has(w.truth, key), cases[i].there) << i;
  }
}
TEST_P(FaultMetadataStoreTest, AHeldCallEndsAsTheTestSays) { RunBody(HoldsAndAnswers); }

Task<void> Delays(World& w) {
  const Buffer value;
  w.plan.OnNext(MetadataOp::kPut, "", MetadataFault::Delay(5ms, 5ms));
  const MonotonicTime start = w.runtime.Now();
  CO_ASSERT_OK(co_await w.store.Put(OpContext(), kLog7, "slow", value));
  EXPECT_GE(w.runtime.Now() - start, 10ms);
  // Too late on its way there: not done. Too late on its way back: nobody knows.
  w.plan.OnNext(MetadataOp::kPut, "", MetadataFault::Delay(60s));
  const OpContext there = OpContext().WithDeadline(w.runtime.Now() + 5ms);
  CO_ASSERT_CODE(co_await w.store.Put(there, kLog7, "there", value), kDeadlineExceeded);
  EXPECT_FALSE(co_await Has(w.truth, "there"));
  w.plan.OnNext(MetadataOp::kPut, "", MetadataFault::Delay(0s, 60s));
  const OpContext back = w.Patient();
  CO_ASSERT_CODE(co_await w.store.Put(back, kLog7, "back", value), kIndeterminate);
  EXPECT_TRUE(co_await Has(w.truth, "back"));
}
TEST_P(FaultMetadataStoreTest, Delays) { RunBody(Delays); }

Task<void> DelaysKeepTheOrder(World& w) {
  w.plan.OnNext(MetadataOp::kSequencedPut, kSeven, MetadataFault::Delay(5ms));
  std::vector<SequencedPutRequest> requests;
  requests.push_back(Request(kLog7, "before"));
  requests.push_back(Request(kLog7, kSeven));
  requests.push_back(Request(kLog7, "behind"));
  const Answers answers = co_await w.store.SequencedPut(OpContext(), std::move(requests));
  for (const auto& answer : answers) CO_ASSERT_OK(answer);
  EXPECT_LT(answers[0]->version, answers[1]->version);
  EXPECT_LT(answers[1]->version, answers[2]->version);
  EXPECT_EQ(w.plan.rules_left(), 0);
}
TEST_P(FaultMetadataStoreTest, ADelayKeepsTheOrderOfAPartition) { RunBody(DelaysKeepTheOrder); }

Task<Status> PutKeySoon(World& w, std::string key) {
  LS_CO_TRY(co_await SleepFor(w.runtime, OpContext(), 10ms));
  co_return co_await PutKey(w.truth, std::move(key));
}
Task<Status> ScanTorn(World& w, ScanPage* first) {
  const KeyRange range{kLog7, "a", "z"};
  LS_CO_ASSIGN(*first, co_await w.store.Scan(OpContext(), range, "", 4));
  if (!first->next) co_return Internal("one page");
  LS_CO_ASSIGN(const ScanPage second, co_await w.store.Scan(OpContext(), range, *first->next, 4));
  for (const MetadataRecord& record : second.records) first->records.push_back(record);
  co_return OkStatus();
}
Task<void> TearsScans(World& w) {
  CO_ASSERT_OK(co_await PutKey(w.truth, "b"));
  CO_ASSERT_OK(co_await PutKey(w.truth, "d"));
  w.plan.OnNext(MetadataOp::kScan, "", MetadataFault::TearScan(1, 300ms));
  ScanPage torn;
  std::vector<Task<Status>> tasks;
  tasks.push_back(ScanTorn(w, &torn));
  tasks.push_back(PutKeySoon(w, "a"));
  tasks.push_back(PutKeySoon(w, "c"));
  const std::vector<Status> ends = co_await WhenAll(w.runtime, std::move(tasks));
  for (const Status& end : ends) CO_ASSERT_OK(end);
  std::string keys;
  for (const MetadataRecord& record : torn.records) keys += record.key;
  EXPECT_EQ(keys, "bcd") << "c came between the pages, and a too late";
}
TEST_P(FaultMetadataStoreTest, TearsScans) { RunBody(TearsScans); }

Task<void> CutsPages(World& w) {
  const Buffer value;
  for (const char* key : {"a", "b", "c", "d", "e"})
    CO_ASSERT_OK(co_await w.truth.Put(OpContext(), kLog7, key, value));
  const KeyRange range{kLog7, "a", "z"};
  w.plan.OnNext(MetadataOp::kScan, "", MetadataFault::ShortPage(2));
  const Result<ScanPage> shortened = co_await w.store.Scan(OpContext(), range, "", 4);
  CO_ASSERT_OK(shortened);
  EXPECT_EQ(shortened->records.size(), 2u);
  CO_ASSERT_TRUE(shortened->next.has_value());
  w.plan.OnNext(MetadataOp::kScan, "", MetadataFault::CutPages(2));
  const Result<ScanPage> cut = co_await w.store.Scan(OpContext(), range, *shortened->next, 4);
  CO_ASSERT_OK(cut);
  CO_ASSERT_EQ(cut->records.size(), 2u);
  EXPECT_EQ(cut->records.back().key, "d");
  EXPECT_FALSE(cut->next.has_value()) << "e is missing and nobody is told";
  w.plan.OnNth(MetadataOp::kList, "", 2, MetadataFault::FailUnavailable());
  const Result<KeyPage> first = co_await w.store.List(OpContext(), range, "", 2);
  CO_ASSERT_OK(first);
  CO_ASSERT_CODE(co_await w.store.List(OpContext(), range, *first->next, 2), kUnavailable);
}
TEST_P(FaultMetadataStoreTest, ScansAreCutBetweenPages) { RunBody(CutsPages); }

Task<void> LosesSessions(World& w) {
  const Buffer value;
  const auto session = co_await w.store.OpenSession(OpContext(), 10s);
  CO_ASSERT_OK(session);
  CO_ASSERT_OK(co_await w.store.CreateEphemeral(OpContext(), kLog7, "/lease", value, *session));
  w.fault.SuspectSessions(true);
  EXPECT_FALSE((*session)->ProvablyAlive());
  EXPECT_TRUE(co_await Has(w.truth, "/lease"));
  w.fault.SuspectSessions(false);
  EXPECT_TRUE((*session)->ProvablyAlive());
  w.plan.OnNext(MetadataOp::kSequencedPut, kSeven, MetadataFault::LoseSessions());
  std::vector<SequencedPutRequest> requests;
  requests.push_back(Request(kLog7, kSeven));
  requests.back().guard.session = *session;
  const Answers answers = co_await w.store.SequencedPut(OpContext(), std::move(requests));
  EXPECT_EQ(answers.front().status().code(), StatusCode::kFenced);
  EXPECT_FALSE((*session)->ProvablyAlive());
  EXPECT_FALSE(co_await Has(w.truth, "/lease"));
  CO_ASSERT_OK(co_await (*session)->Close(OpContext()));
  const auto next = co_await w.store.OpenSession(OpContext(), 10s);
  CO_ASSERT_OK(next);
  EXPECT_TRUE((*next)->ProvablyAlive());
}
TEST_P(FaultMetadataStoreTest, LosesSessions) { RunBody(LosesSessions); }

Task<void> SessionCallsFail(World& w) {
  w.plan.OnNext(MetadataOp::kOpenSession, "", MetadataFault::FailUnavailable());
  CO_ASSERT_CODE(co_await w.store.OpenSession(OpContext(), 10s), kUnavailable);
  const auto session = co_await w.store.OpenSession(OpContext(), 10s);
  CO_ASSERT_OK(session);
  w.plan.OnNext(MetadataOp::kCloseSession, "", MetadataFault::LoseAnswer());
  CO_ASSERT_CODE(co_await (*session)->Close(OpContext()), kIndeterminate);
  EXPECT_FALSE((*session)->ProvablyAlive());
}
TEST_P(FaultMetadataStoreTest, SessionCallsFail) { RunBody(SessionCallsFail); }

Task<Status> AwaitUntil(World& w, OpContext context) { co_return co_await w.store.AwaitChange(context, kLog7, 0); }
Task<Status> ChangeOnce(World& w) { return PutKey(w.truth, "k"); }
Task<void> Watches(World& w) {
  const MonotonicTime start = w.runtime.Now();
  w.plan.OnNext(MetadataOp::kAwaitChange, "7", MetadataFault::WatchLate(30ms));
  std::vector<Task<Status>> tasks;
  const OpContext endless;
  tasks.push_back(AwaitUntil(w, endless));
  tasks.push_back(ChangeOnce(w));
  const std::vector<Status> ends = co_await WhenAll(w.runtime, std::move(tasks));
  EXPECT_TRUE(ends[0].ok());
  EXPECT_GE(w.runtime.Now() - start, 30ms);
  // The hint differs, and the wait ends only at its deadline.
  w.plan.OnNext(MetadataOp::kAwaitChange, "7", MetadataFault::WatchMissed());
  const OpContext context = w.Patient();
  CO_ASSERT_OK(co_await w.store.AwaitChange(context, kLog7, 0));
  EXPECT_GE(w.runtime.Now(), context.deadline);
  CO_ASSERT_OK(co_await w.store.AwaitChange(endless, kLog7, 0));
}
TEST_P(FaultMetadataStoreTest, WatchesAreLateAndMissed) { RunBody(Watches); }

Task<void> WatchesTellTwice(World& w) {
  CO_ASSERT_OK(co_await PutKey(w.truth, "k"));
  w.plan.OnNext(MetadataOp::kAwaitChange, "7", MetadataFault::WatchTwice());
  const OpContext endless;
  CO_ASSERT_OK(co_await w.store.AwaitChange(endless, kLog7, 0));
  // Nothing has changed since; without the second telling this would never end.
  const std::uint64_t seen = w.store.ChangeHint(kLog7);
  CO_ASSERT_OK(co_await w.store.AwaitChange(endless, kLog7, seen));
  const OpContext context = w.Patient();
  CO_ASSERT_OK(co_await w.store.AwaitChange(context, kLog7, seen));
  EXPECT_GE(w.runtime.Now(), context.deadline) << "it is told twice and no more";
}
TEST_P(FaultMetadataStoreTest, WatchesTellTwice) { RunBody(WatchesTellTwice); }

Task<void> HeldUntilStop(World& w) {
  const Buffer value;
  (void)w.plan.HoldNext(MetadataOp::kPut, "", HoldPoint::kBeforeApply);
  const OpContext context = w.Patient();
  CO_ASSERT_CODE(co_await w.store.Put(context, kLog7, "k", value), kIndeterminate);
  co_await w.fault.Stop();
  EXPECT_TRUE(co_await Has(w.truth, "k"));
}
TEST_P(FaultMetadataStoreTest, StopLetsHeldCallsGo) { RunBody(HeldUntilStop); }

Task<void> Chance(World& w) {
  MetadataFaultRates rates;
  rates.fail = rates.lose_answer = rates.delay = 1500;
  rates.lose_sessions = 500;
  rates.max_delay = 1ms;
  w.plan.Randomize(rates, w.runtime.random);
  for (int i = 0; i < 300; ++i) {
    const std::string key = "k" + std::to_string(i);
    const Status put = co_await PutKey(w.store, key);
    const bool there = co_await Has(w.truth, key);
    // Only an indeterminate answer leaves it open.
    EXPECT_TRUE(put.code() == StatusCode::kIndeterminate || there == put.ok()) << put.ToString();
  }
  for (const MetadataFaultKind kind : {MetadataFaultKind::kFail, MetadataFaultKind::kLoseAnswer,
                                       MetadataFaultKind::kDelay, MetadataFaultKind::kLoseSessions}) {
    EXPECT_GT(w.plan.injected(kind), 0) << static_cast<int>(kind);
  }
}
TEST_P(FaultMetadataStoreTest, ChanceMakesFaithfulFaults) { RunBody(Chance); }

Task<void> IgnoresGuards(Runtime& runtime) {
  MemoryMetadataStore memory(runtime);
  UnguardedMetadataStore unguarded(memory);
  MetadataStore& store = unguarded;
  const auto session = co_await store.OpenSession(OpContext(), 10s);
  CO_ASSERT_OK(session);
  CO_ASSERT_OK(co_await (*session)->Close(OpContext()));
  const WriteGuard guard(*session);
  const Buffer value;
  CO_ASSERT_OK(co_await store.Put(OpContext(), kLog7, "k", value, guard));
  CO_ASSERT_OK(co_await store.CreateIfAbsent(OpContext(), kLog7, "new", value, guard));
  CO_ASSERT_CODE(co_await store.CompareAndSet(OpContext(), kLog7, "k", value, 99, guard), kPreconditionFailed);
  CO_ASSERT_OK(co_await store.Delete(OpContext(), kLog7, "k", guard));
  CO_ASSERT_OK(co_await store.DeleteRange(OpContext(), kLog7, "a", "z", guard));
  std::vector<SequencedPutRequest> requests;
  requests.push_back(Request(kLog7, kSeven));
  requests.back().guard = guard;
  const Answers answers = co_await store.SequencedPut(OpContext(), std::move(requests));
  CO_ASSERT_OK(answers.front());
  CO_ASSERT_CODE(co_await store.CreateEphemeral(OpContext(), kLog7, "/e", value, *session), kFenced);
  EXPECT_FALSE(store.capabilities().guarded_writes);
}
TEST_P(FaultMetadataStoreTest, AnUnguardedStoreIgnoresGuards) { Run(IgnoresGuards(runtime())); }

LS_INSTANTIATE_WORLDS(FaultMetadataStoreTest);

}  // namespace
}  // namespace lakestream
