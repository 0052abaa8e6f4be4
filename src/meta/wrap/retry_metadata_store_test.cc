#include "meta/wrap/retry_metadata_store.h"

#include <gtest/gtest.h>

#include "meta/memory/memory_metadata_store.h"
#include "meta/wrap/fault_metadata_store.h"
#include "meta/wrap/metrics_metadata_store.h"
#include "runtime/testing/world.h"

namespace lakestream {
namespace {

using namespace std::chrono_literals;
const Partition kLog7 = Partition::OfLog(LogId(7));
const Partition kLog8 = Partition::OfLog(LogId(8));
using Answers = std::vector<Result<SequencedPutAnswer>>;

MetadataRetryOptions Options() {
  MetadataRetryOptions options;
  options.max_attempts = 4;
  options.first_wait = 1ms;
  options.max_wait = 4ms;
  return options;
}

/// retry over metrics over fault over memory: the metrics count the attempts.
struct World {
  explicit World(Runtime& r)
      : runtime(r), memory(r), plan(r), fault(r, memory, plan), metrics(r, fault), retry(r, metrics, Options()) {}
  std::int64_t Attempts(MetadataOp op) const { return metrics.Snapshot().of(op).calls(); }
  Runtime& runtime;
  MemoryMetadataStore memory;
  MetadataFaultPlan plan;
  FaultMetadataStore fault;
  MetricsMetadataStore metrics;
  RetryMetadataStore retry;
  MetadataStore& store = retry;
};

class RetryMetadataStoreTest : public WorldTest {
 protected:
  void RunBody(Task<void> (*body)(World&)) {
    World world(runtime());
    Run(body(world));
    Run(world.fault.Stop());
  }
};

Task<void> RetriesEveryCall(World& w) {
  const MetadataFault down = MetadataFault::FailUnavailable();
  for (const MetadataOp op : kMetadataOps) {
    if (op != MetadataOp::kAwaitChange && op != MetadataOp::kSequencedPut) w.plan.OnNext(op, "", down, 2);
  }
  const Buffer value;
  const auto session = co_await w.store.OpenSession(OpContext(), 10s);
  CO_ASSERT_OK(session);
  CO_ASSERT_OK(co_await w.store.CreateEphemeral(OpContext(), kLog7, "/e", value, *session));
  const Result<WriteAnswer> put = co_await w.store.Put(OpContext(), kLog7, "k", value);
  CO_ASSERT_OK(put);
  CO_ASSERT_OK(co_await w.store.CompareAndSet(OpContext(), kLog7, "k", value, put->version));
  CO_ASSERT_OK(co_await w.store.CreateIfAbsent(OpContext(), kLog7, "new", value));
  CO_ASSERT_OK(co_await w.store.Get(OpContext(), kLog7, "k"));
  const KeyRange range{kLog7, "a", "z"};
  const Result<KeyPage> keys = co_await w.store.List(OpContext(), range, "", 9);
  CO_ASSERT_OK(keys);
  EXPECT_EQ(keys->keys.size(), 2u);
  CO_ASSERT_OK(co_await w.store.Scan(OpContext(), range, "", 9));
  CO_ASSERT_OK(co_await w.store.Delete(OpContext(), kLog7, "k"));
  CO_ASSERT_OK(co_await w.store.DeleteRange(OpContext(), kLog7, "a", "z"));
  CO_ASSERT_OK(co_await (*session)->Close(OpContext()));
  EXPECT_EQ(w.plan.rules_left(), 0);
  for (const MetadataOp op : kMetadataOps) {
    if (op == MetadataOp::kAwaitChange || op == MetadataOp::kSequencedPut) continue;
    EXPECT_EQ(w.Attempts(op), 3) << MetadataOpName(op);
    EXPECT_EQ(w.metrics.Snapshot().of(op).count(StatusCode::kUnavailable), 2) << MetadataOpName(op);
  }
}
TEST_P(RetryMetadataStoreTest, RepeatsWhatWasNotDone) { RunBody(RetriesEveryCall); }

Task<void> LeavesOtherErrors(World& w) {
  const Buffer value;
  for (const Status& error : {Indeterminate("?"), Fenced("no"), ResourceExhausted("full"), Corrupt("bad"),
                              DeadlineExceeded("late"), Cancelled("gone"), Internal("bug")}) {
    const std::int64_t before = w.Attempts(MetadataOp::kPut);
    w.plan.OnNext(MetadataOp::kPut, "", MetadataFault::Fail(error));
    const Result<WriteAnswer> put = co_await w.store.Put(OpContext(), kLog7, "k", value);
    EXPECT_EQ(put.status().code(), error.code());
    EXPECT_EQ(w.Attempts(MetadataOp::kPut), before + 1) << error.ToString();
  }
  w.plan.OnNext(MetadataOp::kCompareAndSet, "", MetadataFault::LoseAnswer());
  const Result<WriteAnswer> there = co_await w.store.Put(OpContext(), kLog7, "k", value);
  CO_ASSERT_OK(there);
  CO_ASSERT_CODE(co_await w.store.CompareAndSet(OpContext(), kLog7, "k", value, there->version), kIndeterminate);
  EXPECT_EQ(w.Attempts(MetadataOp::kCompareAndSet), 1);
}
TEST_P(RetryMetadataStoreTest, NeverRepeatsWhatMayHaveBeenDone) { RunBody(LeavesOtherErrors); }

Task<void> Bounds(World& w) {
  const Buffer value;
  w.plan.Always(MetadataOp::kPut, "", MetadataFault::FailUnavailable());
  const Result<WriteAnswer> attempts = co_await w.store.Put(OpContext(), kLog7, "k", value);
  CO_ASSERT_CODE(attempts, kUnavailable);
  EXPECT_NE(attempts.status().message().find("attempts=4"), std::string_view::npos);
  EXPECT_EQ(w.Attempts(MetadataOp::kPut), 4);
  OpContext poor;
  poor.retry_budget = std::make_shared<RetryBudget>(1);
  CO_ASSERT_CODE(co_await w.store.Put(poor, kLog7, "k", value), kUnavailable);
  EXPECT_EQ(w.Attempts(MetadataOp::kPut), 6);
  CO_ASSERT_CODE(co_await w.store.Put(poor, kLog7, "k", value), kUnavailable);
  EXPECT_EQ(w.Attempts(MetadataOp::kPut), 7) << "the budget is shared";
}
TEST_P(RetryMetadataStoreTest, AttemptsAndBudgetAreBounded) { RunBody(Bounds); }

Task<void> Deadline(Runtime& runtime) {
  MemoryMetadataStore memory(runtime);
  MetadataFaultPlan plan(runtime);
  FaultMetadataStore fault(runtime, memory, plan);
  MetadataRetryOptions slow;
  slow.first_wait = slow.max_wait = std::chrono::hours(1000);
  RetryMetadataStore retry(runtime, fault, slow);
  MetadataStore& store = retry;
  plan.Always(MetadataOp::kPut, "", MetadataFault::FailUnavailable());
  const MonotonicTime start = runtime.Now();
  const OpContext context = OpContext().WithDeadline(start + 5s);
  const Buffer value;
  CO_ASSERT_CODE(co_await store.Put(context, kLog7, "k", value), kUnavailable);
  EXPECT_LT(runtime.Now() - start, 5s) << "a wait beyond the deadline is not begun";
}
TEST_P(RetryMetadataStoreTest, NoWaitGoesBeyondTheDeadline) { Run(Deadline(runtime())); }

SequencedPutRequest Request(const Partition& partition, std::string prefix) {
  return SequencedPutRequest{partition, std::move(prefix), 1, 1, Buffer(), WriteGuard(), nullptr};
}

Task<void> RetriesRequests(World& w) {
  // "b" fails twice; the others of its batch are done once.
  w.plan.OnNext(MetadataOp::kSequencedPut, "b", MetadataFault::FailUnavailable(), 2);
  std::vector<SequencedPutRequest> requests;
  requests.push_back(Request(kLog7, "a"));
  requests.push_back(Request(kLog8, "b"));
  requests.push_back(Request(kLog8, "b"));
  requests.push_back(Request(kLog7, "c"));
  const Answers answers = co_await w.store.SequencedPut(OpContext(), std::move(requests));
  CO_ASSERT_EQ(answers.size(), 4u);
  for (const auto& answer : answers) CO_ASSERT_OK(answer);
  EXPECT_EQ(answers[0]->key, "a-00000000000000000001-00000000000000000001");
  EXPECT_EQ(answers[1]->key, "b-00000000000000000001-00000000000000000001");
  EXPECT_EQ(answers[2]->key, "b-00000000000000000002-00000000000000000002");
  EXPECT_EQ(answers[3]->key, "c-00000000000000000001-00000000000000000001");
  EXPECT_EQ(w.memory.backend()->Dump().size(), 4u);
  EXPECT_EQ(w.metrics.Snapshot().of(MetadataOp::kSequencedPut).count(StatusCode::kOk), 4);
  EXPECT_EQ(w.metrics.Snapshot().of(MetadataOp::kSequencedPut).count(StatusCode::kUnavailable), 4);
}
TEST_P(RetryMetadataStoreTest, RepeatsSingleRequestsOfABatch) { RunBody(RetriesRequests); }

Task<void> KeepsOrder(World& w) {
  // The first of log 7 fails, the second is done or lost: the first must not come after it.
  w.plan.OnNext(MetadataOp::kSequencedPut, "first", MetadataFault::FailUnavailable());
  std::vector<SequencedPutRequest> requests;
  requests.push_back(Request(kLog7, "first"));
  requests.push_back(Request(kLog7, "second"));
  const Answers answers = co_await w.store.SequencedPut(OpContext(), std::move(requests));
  EXPECT_EQ(answers[0].status().code(), StatusCode::kUnavailable);
  CO_ASSERT_OK(answers[1]);
  EXPECT_EQ(w.Attempts(MetadataOp::kSequencedPut), 1);
  // Where nothing after it can have been done, it may be repeated.
  w.plan.OnNext(MetadataOp::kSequencedPut, "last", MetadataFault::FailUnavailable());
  std::vector<SequencedPutRequest> more;
  more.push_back(Request(kLog7, "second"));
  more.push_back(Request(kLog7, "last"));
  more.push_back(Request(kLog7, ""));
  const Answers ends = co_await w.store.SequencedPut(OpContext(), std::move(more));
  CO_ASSERT_OK(ends[0]);
  CO_ASSERT_OK(ends[1]);
  EXPECT_EQ(ends[2].status().code(), StatusCode::kInvalidArgument);
}
TEST_P(RetryMetadataStoreTest, ARepeatedRequestOvertakesNone) { RunBody(KeepsOrder); }

Task<void> KeepsOrderBehindARefusal(World& w) {
  // A refusal tells of a moment; the first request must not be done after it.
  w.plan.OnNext(MetadataOp::kSequencedPut, "first", MetadataFault::FailUnavailable());
  std::vector<SequencedPutRequest> requests;
  requests.push_back(Request(kLog7, "first"));
  requests.push_back(Request(kLog7, "last"));
  requests.back().admit = [] { return PreconditionFailed("not now"); };
  const Answers answers = co_await w.store.SequencedPut(OpContext(), std::move(requests));
  EXPECT_EQ(answers[0].status().code(), StatusCode::kUnavailable);
  EXPECT_EQ(answers[1].status().code(), StatusCode::kPreconditionFailed);
  EXPECT_EQ(w.Attempts(MetadataOp::kSequencedPut), 1);
}
TEST_P(RetryMetadataStoreTest, ARepeatedRequestOvertakesNoRefusal) { RunBody(KeepsOrderBehindARefusal); }

Task<void> NeverRepeatsSequenced(World& w) {
  w.plan.OnNext(MetadataOp::kSequencedPut, "", MetadataFault::LoseAnswer());
  std::vector<SequencedPutRequest> requests;
  for (int i = 0; i < 3; ++i) requests.push_back(Request(kLog7, "a"));
  const Answers answers = co_await w.store.SequencedPut(OpContext(), std::move(requests));
  for (const auto& answer : answers) EXPECT_EQ(answer.status().code(), StatusCode::kIndeterminate);
  EXPECT_EQ(w.Attempts(MetadataOp::kSequencedPut), 1);
  EXPECT_EQ(w.memory.backend()->Dump().size(), 3u);
}
TEST_P(RetryMetadataStoreTest, NeverRepeatsALostSequencedPut) { RunBody(NeverRepeatsSequenced); }

Task<void> Measures(World& w) {
  const Buffer value;
  w.plan.OnNext(MetadataOp::kRead, "", MetadataFault::Delay(20ms));
  CO_ASSERT_OK(co_await w.store.Get(OpContext(), kLog7, "k"));
  CO_ASSERT_OK(co_await w.store.Put(OpContext(), kLog7, "k", value));
  CO_ASSERT_CODE(co_await w.store.CreateIfAbsent(OpContext(), kLog7, "k", value), kAlreadyExists);
  const MetadataStoreMetrics metrics = w.metrics.Snapshot();
  EXPECT_EQ(metrics.of(MetadataOp::kRead).calls(), 1);
  EXPECT_GE(metrics.of(MetadataOp::kRead).latency.max(), 20ms);
  EXPECT_EQ(metrics.of(MetadataOp::kPut).count(StatusCode::kOk), 1);
  EXPECT_EQ(metrics.of(MetadataOp::kCreateIfAbsent).count(StatusCode::kAlreadyExists), 1);
  EXPECT_EQ(metrics.of(MetadataOp::kPut).in_flight, 0);
  EXPECT_EQ(metrics.of(MetadataOp::kDelete).calls(), 0);
}
TEST_P(RetryMetadataStoreTest, MetricsCountAndMeasure) { RunBody(Measures); }

TEST(MetadataOps, AreNamedAndNumbered) {
  for (std::size_t i = 0; i < kMetadataOps.size(); ++i) {
    EXPECT_EQ(static_cast<std::size_t>(kMetadataOps[i]), i);
    EXPECT_NE(MetadataOpName(kMetadataOps[i]), "unknown");
  }
  EXPECT_EQ(MetadataOpName(MetadataOp::kSequencedPut), "sequenced_put");
}

LS_INSTANTIATE_WORLDS(RetryMetadataStoreTest);

}  // namespace
}  // namespace lakestream
