#include "objstore/memory/memory_object_store.h"
#include "objstore/wrap/fault_object_store.h"
#include "objstore/wrap/limit_object_store.h"
#include "objstore/wrap/metrics_object_store.h"
#include "runtime/gate.h"
#include "runtime/testing/world.h"

namespace lakestream {
namespace {

using std::chrono::milliseconds;

BufferChain Chain(std::string_view text) { return BufferChain(Buffer::CopyOf(text)); }

Task<void> PutInto(ObjectStore& store, OpContext context, std::string key, Future<Status> answer) {
  answer.Set(co_await store.Put(context, key, Chain("x"), PutMode::kCreate));
}

class LimitMetricsTest : public WorldTest {
 protected:
  LimitMetricsTest()
      : memory_(runtime()),
        faults_(runtime()),
        fault_(runtime(), memory_, faults_),
        below_(runtime(), fault_),
        store_(runtime(), below_, 2),
        gate_(runtime()) {}

  void RunAndStop(Task<void> task) {
    Run(std::move(task));
    Run(fault_.Stop());
    Run(gate_.Close());
  }
  /// So that a permit that never comes fails the test instead of hanging it.
  OpContext Patient() { return OpContext().WithDeadline(runtime().Now() + std::chrono::seconds(20)); }
  Future<Status> Start(std::string key) {
    const Future<Status> answer(runtime().executor);
    gate_.Spawn(PutInto(store_, Patient(), std::move(key), answer));
    return answer;
  }

  Task<void> NoMoreThanTheLimit();
  Task<void> WaitersHaveDeadlines();
  Task<void> PermitsComeBack();
  Task<void> CountsWhatHappened();

  MemoryObjectStore memory_;
  FaultPlan faults_;
  FaultObjectStore fault_;
  MetricsObjectStore below_;
  LimitObjectStore store_;
  Gate gate_;
};

Task<void> LimitMetricsTest::NoMoreThanTheLimit() {
  const Hold a = faults_.HoldNext(ObjectOp::kPut, "a", HoldPoint::kBeforeApply);
  const Hold b = faults_.HoldNext(ObjectOp::kPut, "b", HoldPoint::kBeforeApply);
  const Future<Status> put_a = Start("a");
  const Future<Status> put_b = Start("b");
  co_await a.Reached();
  co_await b.Reached();
  const Future<Status> put_c = Start("c");
  for (int i = 0; i < 20; ++i) co_await Yield(runtime());
  EXPECT_FALSE(put_c.IsSet());
  EXPECT_EQ(below_.Snapshot().of(ObjectOp::kPut).in_flight, 2);
  a.Release();
  co_await put_c.Ready();
  CO_ASSERT_OK(put_c.value());
  EXPECT_FALSE(put_b.IsSet());
  b.Release();
  co_await put_a.Ready();
  co_await put_b.Ready();
  CO_ASSERT_OK(put_b.value());
}
TEST_P(LimitMetricsTest, NoMoreThanTheLimit) { RunAndStop(NoMoreThanTheLimit()); }

Task<void> LimitMetricsTest::WaitersHaveDeadlines() {
  const Hold a = faults_.HoldNext(ObjectOp::kPut, "a", HoldPoint::kBeforeApply);
  const Hold b = faults_.HoldNext(ObjectOp::kPut, "b", HoldPoint::kBeforeApply);
  const Future<Status> put_a = Start("a");
  const Future<Status> put_b = Start("b");
  co_await a.Reached();
  co_await b.Reached();
  const OpContext soon = OpContext().WithDeadline(runtime().Now() + milliseconds(10));
  CO_ASSERT_CODE(co_await store_.Put(soon, "late", Chain("x"), PutMode::kCreate), kDeadlineExceeded);
  CO_ASSERT_CODE(co_await memory_.Head(OpContext(), "late"), kNotFound);
  a.Release();
  b.Release();
  co_await put_a.Ready();
  co_await put_b.Ready();
}
TEST_P(LimitMetricsTest, WaitersHaveDeadlines) { RunAndStop(WaitersHaveDeadlines()); }

Task<void> LimitMetricsTest::PermitsComeBack() {
  faults_.Always(ObjectOp::kPut, "fail", Fault::FailUnavailable());
  for (int i = 0; i < 5; ++i) {
    CO_ASSERT_CODE(co_await store_.Put(Patient(), "fail", Chain("x"), PutMode::kCreate), kUnavailable);
  }
  Result<std::unique_ptr<ObjectUpload>> upload = co_await store_.StartUpload(Patient(), "up", PutMode::kCreate);
  CO_ASSERT_OK(upload);
  for (int i = 0; i < 5; ++i) CO_ASSERT_OK(co_await (*upload)->Append(Patient(), Chain("x")));
  CO_ASSERT_OK(co_await (*upload)->Complete(Patient()));
  CO_ASSERT_OK(co_await store_.Put(Patient(), "ok", Chain("x"), PutMode::kCreate));
}
TEST_P(LimitMetricsTest, PermitsComeBack) { RunAndStop(PermitsComeBack()); }

Task<void> LimitMetricsTest::CountsWhatHappened() {
  faults_.OnNext(ObjectOp::kPut, "slow", Fault::Delay(milliseconds(10)));
  CO_ASSERT_OK(co_await below_.Put(OpContext(), "slow", Chain("12345"), PutMode::kCreate));
  CO_ASSERT_CODE(co_await below_.Put(OpContext(), "slow", Chain("123"), PutMode::kCreate), kAlreadyExists);
  CO_ASSERT_OK(co_await below_.Get(OpContext(), "slow", ByteRange()));
  CO_ASSERT_CODE(co_await below_.Get(OpContext(), "missing", ByteRange()), kNotFound);
  CO_ASSERT_OK(co_await below_.List(OpContext(), "", "", 5));
  Result<std::unique_ptr<ObjectUpload>> upload = co_await below_.StartUpload(OpContext(), "up", PutMode::kCreate);
  CO_ASSERT_OK(upload);
  CO_ASSERT_OK(co_await (*upload)->Append(OpContext(), Chain("1234567")));
  CO_ASSERT_OK(co_await (*upload)->Complete(OpContext()));
  CO_ASSERT_OK(co_await below_.RemoveLeftovers(OpContext(), WallTime::min()));

  const ObjectStoreMetrics seen = below_.Snapshot();
  const ObjectOpMetrics& put = seen.of(ObjectOp::kPut);
  EXPECT_EQ(put.calls(), 2);
  EXPECT_EQ(put.count(StatusCode::kOk), 1);
  EXPECT_EQ(put.count(StatusCode::kAlreadyExists), 1);
  EXPECT_EQ(put.bytes, 5);
  EXPECT_EQ(put.in_flight, 0);
  EXPECT_GE(put.latency.max(), Duration(milliseconds(10)));
  EXPECT_TRUE(!simulated() || put.latency.p50() < Duration(milliseconds(1)));
  EXPECT_EQ(seen.of(ObjectOp::kGet).bytes, 5);
  EXPECT_EQ(seen.of(ObjectOp::kGet).count(StatusCode::kNotFound), 1);
  EXPECT_EQ(seen.of(ObjectOp::kList).calls(), 1);
  EXPECT_EQ(seen.of(ObjectOp::kHead).calls(), 0);
  EXPECT_EQ(seen.of(ObjectOp::kAppend).bytes, 7);
  EXPECT_EQ(seen.of(ObjectOp::kComplete).count(StatusCode::kOk), 1);
  EXPECT_EQ(seen.of(ObjectOp::kRemoveLeftovers).count(StatusCode::kOk), 1);
}
TEST_P(LimitMetricsTest, CountsWhatHappened) { RunAndStop(CountsWhatHappened()); }

LS_INSTANTIATE_WORLDS(LimitMetricsTest);

}  // namespace
}  // namespace lakestream
