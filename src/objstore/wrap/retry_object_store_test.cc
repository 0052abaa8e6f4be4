#include "objstore/wrap/retry_object_store.h"

#include <algorithm>

#include "objstore/memory/memory_object_store.h"
#include "objstore/wrap/fault_object_store.h"
#include "objstore/wrap/metrics_object_store.h"
#include "runtime/gate.h"
#include "runtime/testing/world.h"

namespace lakestream {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

BufferChain Chain(std::string_view text) { return BufferChain(Buffer::CopyOf(text)); }

/// As a store that keeps no checksums.
class NoChecksums final : public ForwardingObjectStore {
 public:
  using ForwardingObjectStore::ForwardingObjectStore;
  Task<Result<ObjectInfo>> Head(OpContext context, std::string key) override {
    Result<ObjectInfo> info = co_await inner().Head(std::move(context), std::move(key));
    if (info.ok() && !keeps) info->crc32c.reset();
    co_return info;
  }
  bool keeps = true;
};

RetryOptions Quick(int max_attempts) {
  RetryOptions options;
  options.max_attempts = max_attempts;
  options.first_wait = milliseconds(1);
  options.max_wait = milliseconds(2);
  return options;
}

class RetryObjectStoreTest : public WorldTest {
 protected:
  RetryObjectStoreTest()
      : memory_(runtime()),
        faults_(runtime()),
        fault_(runtime(), memory_, faults_),
        sums_(fault_),
        metrics_(runtime(), sums_),
        store_(runtime(), metrics_, Quick(4)) {}

  void RunAndStop(Task<void> task) {
    Run(std::move(task));
    Run(fault_.Stop());
  }

  Task<Status> Put(std::string key, std::string bytes, OpContext context = OpContext()) {
    return store_.Put(std::move(context), std::move(key), Chain(bytes), PutMode::kCreate);
  }
  Task<Status> PutBelow(std::string key, std::string bytes) {
    return memory_.Put(OpContext(), std::move(key), Chain(bytes), PutMode::kCreate);
  }
  Task<std::string> Stored(std::string key) {
    const Result<Buffer> bytes = co_await memory_.Get(OpContext(), std::move(key), ByteRange());
    co_return bytes.ok() ? std::string(bytes->text()) : std::string(StatusCodeName(bytes.status().code()));
  }
  std::int64_t Calls(ObjectOp op) { return metrics_.Snapshot().of(op).calls(); }
  /// The request gets lost on its way.
  static Fault LoseRequest() { return Fault::Fail(Indeterminate("reset")); }

  Task<void> UnavailableIsRepeated();
  Task<void> AttemptsAreBounded();
  Task<void> TheBudgetIsShared();
  Task<void> DeadlinesEndIt();
  Task<void> CancelsEndIt();
  Task<void> OtherErrorsAreNotRepeated();
  Task<void> LostPutsAreFound();
  Task<void> LostRequestsAreRepeated();
  Task<void> ForeignObjectsStayUnknown();
  Task<void> WithoutChecksumsItStaysUnknown();
  Task<void> LostOverwritesAreNotRepeated();
  Task<void> FailuresAfterALostAnswerStayUnknown();
  Task<void> ConflictAfterALostAnswer(std::string other, StatusCode expected);
  Task<void> LostDeletesAreRepeated();
  Task<void> UploadsAreRepeated();
  Task<void> LostCompletionsAreFound();

  MemoryObjectStore memory_;
  FaultPlan faults_;
  FaultObjectStore fault_;
  NoChecksums sums_;
  MetricsObjectStore metrics_;
  RetryObjectStore store_;
};

Task<void> RetryObjectStoreTest::UnavailableIsRepeated() {
  faults_.OnNext(ObjectOp::kPut, "", Fault::FailUnavailable(), 2);
  CO_ASSERT_OK(co_await Put("k", "x"));
  EXPECT_EQ(Calls(ObjectOp::kPut), 3);
  faults_.OnNext(ObjectOp::kGet, "", Fault::Throttle());
  CO_ASSERT_OK(co_await store_.Get(OpContext(), "k", ByteRange()));
  faults_.OnNext(ObjectOp::kHead, "", Fault::LoseAnswer());
  CO_ASSERT_OK(co_await store_.Head(OpContext(), "k"));
  faults_.OnNext(ObjectOp::kList, "", Fault::FailUnavailable());
  CO_ASSERT_OK(co_await store_.List(OpContext(), "", "", 5));
  faults_.OnNext(ObjectOp::kDelete, "", Fault::FailUnavailable());
  const std::vector<std::string> keys = {"k"};
  CO_ASSERT_OK(co_await store_.Delete(OpContext(), keys));
  EXPECT_EQ(faults_.rules_left(), 0);
  CO_ASSERT_EQ(co_await Stored("k"), "not_found");
}
TEST_P(RetryObjectStoreTest, UnavailableIsRepeated) { RunAndStop(UnavailableIsRepeated()); }

Task<void> RetryObjectStoreTest::AttemptsAreBounded() {
  faults_.Always(ObjectOp::kPut, "", Fault::FailUnavailable());
  const Status status = co_await Put("k", "x");
  CO_ASSERT_CODE(status, kUnavailable);
  EXPECT_NE(status.message().find("attempts=4"), std::string_view::npos) << status.ToString();
  EXPECT_EQ(Calls(ObjectOp::kPut), 4);
}
TEST_P(RetryObjectStoreTest, AttemptsAreBounded) { RunAndStop(AttemptsAreBounded()); }

Task<void> RetryObjectStoreTest::TheBudgetIsShared() {
  faults_.Always(ObjectOp::kPut, "", Fault::FailUnavailable());
  OpContext context;
  context.retry_budget = std::make_shared<RetryBudget>(3);
  CO_ASSERT_CODE(co_await Put("a", "x", context), kUnavailable);
  EXPECT_EQ(Calls(ObjectOp::kPut), 4);
  CO_ASSERT_CODE(co_await Put("b", "x", context), kUnavailable);
  EXPECT_EQ(Calls(ObjectOp::kPut), 5);
}
TEST_P(RetryObjectStoreTest, TheBudgetIsShared) { RunAndStop(TheBudgetIsShared()); }

Task<void> RetryObjectStoreTest::DeadlinesEndIt() {
  faults_.Always(ObjectOp::kPut, "", Fault::FailUnavailable());
  RetryOptions slow;
  slow.first_wait = slow.max_wait = seconds(100);
  RetryObjectStore store(runtime(), metrics_, slow);
  const OpContext context = OpContext().WithDeadline(runtime().Now() + seconds(2));
  // A wait that would outlast the deadline is not begun.
  CO_ASSERT_CODE(co_await store.Put(context, "k", Chain("x"), PutMode::kCreate), kUnavailable);
  EXPECT_LT(Calls(ObjectOp::kPut), 8);
  EXPECT_LT(runtime().Now(), context.deadline);
}
TEST_P(RetryObjectStoreTest, DeadlinesEndIt) { RunAndStop(DeadlinesEndIt()); }

Task<void> CancelAfterAFailure(Runtime& runtime, FaultPlan& faults, std::stop_source source) {
  while (faults.injected(FaultKind::kFail) == 0) {
    const Status slept = co_await SleepFor(runtime, OpContext(), milliseconds(1));
    EXPECT_TRUE(slept.ok());
  }
  source.request_stop();
}

Task<void> RetryObjectStoreTest::CancelsEndIt() {
  faults_.Always(ObjectOp::kPut, "", Fault::FailUnavailable());
  RetryOptions slow;
  slow.first_wait = slow.max_wait = std::chrono::hours(10'000);
  RetryObjectStore store(runtime(), metrics_, slow);
  std::stop_source source;
  Gate gate(runtime());
  gate.Spawn(CancelAfterAFailure(runtime(), faults_, source));
  const OpContext context = OpContext().WithCancel(source.get_token());
  CO_ASSERT_CODE(co_await store.Put(context, "k", Chain("x"), PutMode::kCreate), kUnavailable);
  EXPECT_EQ(Calls(ObjectOp::kPut), 1);
  co_await gate.Close();
}
TEST_P(RetryObjectStoreTest, CancelsEndIt) { RunAndStop(CancelsEndIt()); }

Task<void> RetryObjectStoreTest::OtherErrorsAreNotRepeated() {
  CO_ASSERT_OK(co_await PutBelow("k", "x"));
  // The same bytes: without a lost answer before, a conflict is what it says.
  CO_ASSERT_CODE(co_await Put("k", "x"), kAlreadyExists);
  faults_.OnNext(ObjectOp::kPut, "", Fault::FailUnavailable());
  CO_ASSERT_CODE(co_await Put("k", "x"), kAlreadyExists);
  EXPECT_EQ(Calls(ObjectOp::kHead), 0);
  faults_.OnNext(ObjectOp::kPut, "", Fault::Fail(ResourceExhausted("full")));
  CO_ASSERT_CODE(co_await Put("new", "x"), kResourceExhausted);
  EXPECT_EQ(Calls(ObjectOp::kPut), 4);
  CO_ASSERT_CODE(co_await store_.Get(OpContext(), "missing", ByteRange()), kNotFound);
  EXPECT_EQ(Calls(ObjectOp::kGet), 1);
}
TEST_P(RetryObjectStoreTest, OtherErrorsAreNotRepeated) { RunAndStop(OtherErrorsAreNotRepeated()); }

Task<void> RetryObjectStoreTest::LostPutsAreFound() {
  faults_.OnNext(ObjectOp::kPut, "", Fault::LoseAnswer());
  faults_.OnNext(ObjectOp::kHead, "", Fault::FailUnavailable());
  CO_ASSERT_OK(co_await Put("k", "x"));
  EXPECT_EQ(Calls(ObjectOp::kPut), 1);
  EXPECT_EQ(Calls(ObjectOp::kHead), 2);
  faults_.OnNext(ObjectOp::kPut, "", Fault::LoseAnswer());
  BufferChain parts = Chain("two ");
  parts.Append(Buffer::CopyOf("parts"));
  CO_ASSERT_OK(co_await store_.Put(OpContext(), "chain", parts, PutMode::kOverwrite));
}
TEST_P(RetryObjectStoreTest, LostPutsAreFound) { RunAndStop(LostPutsAreFound()); }

Task<void> RetryObjectStoreTest::LostRequestsAreRepeated() {
  faults_.OnNext(ObjectOp::kPut, "", LoseRequest(), 2);
  CO_ASSERT_OK(co_await Put("k", "x"));
  EXPECT_EQ(Calls(ObjectOp::kPut), 3);
  CO_ASSERT_EQ(co_await Stored("k"), "x");
}
TEST_P(RetryObjectStoreTest, LostRequestsAreRepeated) { RunAndStop(LostRequestsAreRepeated()); }

Task<void> RetryObjectStoreTest::ForeignObjectsStayUnknown() {
  CO_ASSERT_OK(co_await PutBelow("same size", "y"));
  CO_ASSERT_OK(co_await PutBelow("other size", "yy"));
  faults_.OnNext(ObjectOp::kPut, "", Fault::LoseAnswer(), 2);
  CO_ASSERT_CODE(co_await Put("same size", "x"), kIndeterminate);
  CO_ASSERT_CODE(co_await Put("other size", "x"), kIndeterminate);
  CO_ASSERT_EQ(co_await Stored("same size"), "y");
  EXPECT_EQ(Calls(ObjectOp::kPut), 2);
}
TEST_P(RetryObjectStoreTest, ForeignObjectsStayUnknown) { RunAndStop(ForeignObjectsStayUnknown()); }

Task<void> RetryObjectStoreTest::WithoutChecksumsItStaysUnknown() {
  sums_.keeps = false;
  faults_.OnNext(ObjectOp::kPut, "", Fault::LoseAnswer());
  CO_ASSERT_CODE(co_await Put("k", "x"), kIndeterminate);
  EXPECT_EQ(Calls(ObjectOp::kPut), 1);
}
TEST_P(RetryObjectStoreTest, WithoutChecksumsItStaysUnknown) { RunAndStop(WithoutChecksumsItStaysUnknown()); }

Task<void> RetryObjectStoreTest::LostOverwritesAreNotRepeated() {
  faults_.OnNext(ObjectOp::kPut, "", LoseRequest());
  CO_ASSERT_CODE(co_await store_.Put(OpContext(), "k", Chain("x"), PutMode::kOverwrite), kIndeterminate);
  EXPECT_EQ(Calls(ObjectOp::kPut), 1);
}
TEST_P(RetryObjectStoreTest, LostOverwritesAreNotRepeated) { RunAndStop(LostOverwritesAreNotRepeated()); }

Task<void> RetryObjectStoreTest::FailuresAfterALostAnswerStayUnknown() {
  faults_.OnNext(ObjectOp::kPut, "", LoseRequest());
  faults_.Always(ObjectOp::kPut, "", Fault::FailUnavailable());
  CO_ASSERT_CODE(co_await Put("k", "x"), kIndeterminate);
  EXPECT_EQ(Calls(ObjectOp::kPut), 4);
  faults_.Heal();
  faults_.OnNext(ObjectOp::kPut, "", LoseRequest());
  faults_.OnNext(ObjectOp::kPut, "", Fault::Fail(ResourceExhausted("full")));
  CO_ASSERT_CODE(co_await Put("k", "x"), kIndeterminate);
  // Nothing can be looked up: nothing is repeated.
  faults_.Heal();
  faults_.OnNext(ObjectOp::kPut, "", LoseRequest());
  faults_.Always(ObjectOp::kHead, "", Fault::FailUnavailable());
  CO_ASSERT_CODE(co_await Put("k", "x"), kIndeterminate);
  EXPECT_EQ(Calls(ObjectOp::kPut), 7);
}
TEST_P(RetryObjectStoreTest, FailuresAfterALostAnswerStayUnknown) {
  RunAndStop(FailuresAfterALostAnswerStayUnknown());
}

Task<void> LandMeanwhile(MemoryObjectStore& memory, std::string bytes, Hold hold) {
  co_await hold.Reached();
  const Status landed = co_await memory.Put(OpContext(), "k", Chain(bytes), PutMode::kCreate);
  EXPECT_TRUE(landed.ok());
  hold.Release();
}

Task<void> RetryObjectStoreTest::ConflictAfterALostAnswer(std::string other, StatusCode expected) {
  // The first answer is lost, a look finds nothing, and before the second attempt an object appears: the
  // first attempt come late, or somebody else's.
  faults_.OnNext(ObjectOp::kPut, "", LoseRequest());
  const Hold hold = faults_.HoldNext(ObjectOp::kPut, "", HoldPoint::kBeforeApply);
  Gate gate(runtime());
  gate.Spawn(LandMeanwhile(memory_, other, hold));
  const Status status = co_await Put("k", "x");
  EXPECT_EQ(status.code(), expected) << status.ToString();
  co_await gate.Close();
}
TEST_P(RetryObjectStoreTest, OwnObjectAfterALostAnswerIsOk) {
  RunAndStop(ConflictAfterALostAnswer("x", StatusCode::kOk));
}
TEST_P(RetryObjectStoreTest, ForeignObjectAfterALostAnswerIsUnknown) {
  RunAndStop(ConflictAfterALostAnswer("y", StatusCode::kIndeterminate));
}

Task<void> RetryObjectStoreTest::LostDeletesAreRepeated() {
  CO_ASSERT_OK(co_await PutBelow("k", "x"));
  const std::vector<std::string> keys = {"k"};
  faults_.OnNext(ObjectOp::kDelete, "", LoseRequest());
  CO_ASSERT_OK(co_await store_.Delete(OpContext(), keys));
  CO_ASSERT_EQ(co_await Stored("k"), "not_found");
  faults_.OnNext(ObjectOp::kDelete, "", Fault::LoseAnswer());
  faults_.OnNext(ObjectOp::kDelete, "", Fault::Fail(Internal("broken")));
  CO_ASSERT_CODE(co_await store_.Delete(OpContext(), keys), kIndeterminate);
}
TEST_P(RetryObjectStoreTest, LostDeletesAreRepeated) { RunAndStop(LostDeletesAreRepeated()); }

Task<void> RetryObjectStoreTest::UploadsAreRepeated() {
  for (const ObjectOp op : {ObjectOp::kStartUpload, ObjectOp::kAppend, ObjectOp::kComplete}) {
    faults_.OnNext(op, "", Fault::FailUnavailable(), 2);
  }
  Result<std::unique_ptr<ObjectUpload>> upload = co_await store_.StartUpload(OpContext(), "k", PutMode::kCreate);
  CO_ASSERT_OK(upload);
  CO_ASSERT_OK(co_await (*upload)->Append(OpContext(), Chain("1")));
  CO_ASSERT_OK(co_await (*upload)->Append(OpContext(), Chain("2")));
  CO_ASSERT_OK(co_await (*upload)->Complete(OpContext()));
  CO_ASSERT_EQ(co_await Stored("k"), "12");
  EXPECT_EQ(faults_.rules_left(), 0);
}
TEST_P(RetryObjectStoreTest, UploadsAreRepeated) { RunAndStop(UploadsAreRepeated()); }

Task<void> RetryObjectStoreTest::LostCompletionsAreFound() {
  Result<std::unique_ptr<ObjectUpload>> upload = co_await store_.StartUpload(OpContext(), "k", PutMode::kCreate);
  CO_ASSERT_OK(upload);
  CO_ASSERT_OK(co_await (*upload)->Append(OpContext(), Chain("1")));
  CO_ASSERT_OK(co_await (*upload)->Append(OpContext(), Chain("2")));
  faults_.OnNext(ObjectOp::kComplete, "", Fault::LoseAnswer());
  CO_ASSERT_OK(co_await (*upload)->Complete(OpContext()));
  EXPECT_EQ(Calls(ObjectOp::kComplete), 1);
  CO_ASSERT_EQ(co_await Stored("k"), "12");
  // An append whose answer was lost may not be repeated: its bytes could be there twice.
  upload = co_await store_.StartUpload(OpContext(), "other", PutMode::kCreate);
  CO_ASSERT_OK(upload);
  faults_.OnNext(ObjectOp::kAppend, "", Fault::LoseAnswer());
  CO_ASSERT_CODE(co_await (*upload)->Append(OpContext(), Chain("1")), kIndeterminate);
}
TEST_P(RetryObjectStoreTest, LostCompletionsAreFound) { RunAndStop(LostCompletionsAreFound()); }

LS_INSTANTIATE_WORLDS(RetryObjectStoreTest);

Task<void> GetMissing(ObjectStore& store) {
  CO_ASSERT_CODE(co_await store.Get(OpContext(), "k", ByteRange()), kNotFound);
}

/// Virtual time that a call takes which is repeated this many times.
Duration TimeOfRetries(std::uint64_t seed, int retries) {
  SimScheduler scheduler(seed);
  MemoryObjectStore memory(scheduler.runtime());
  FaultPlan faults(scheduler.runtime());
  FaultObjectStore fault(scheduler.runtime(), memory, faults);
  RetryOptions options;
  options.max_attempts = 100;
  options.first_wait = milliseconds(50);
  options.max_wait = milliseconds(400);
  RetryObjectStore store(scheduler.runtime(), fault, options);
  faults.OnNext(ObjectOp::kGet, "", Fault::FailUnavailable(), retries);
  const MonotonicTime start = scheduler.Now();
  EXPECT_TRUE(scheduler.Run(GetMissing(store)).ok());
  return scheduler.Now() - start;
}

TEST(RetryWaits, AreDrawnFromGrowingRanges) {
  struct {
    int retries;
    Duration most;
  } const table[] = {{1, milliseconds(50)}, {2, milliseconds(150)}, {3, milliseconds(350)}, {5, milliseconds(1150)}};
  for (const auto& row : table) {
    Duration least = Duration::max();
    Duration most = Duration::zero();
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
      const Duration took = TimeOfRetries(seed, row.retries);
      least = std::min(least, took);
      most = std::max(most, took);
    }
    EXPECT_LE(most, row.most) << row.retries;
    EXPECT_GT(most, row.most / 2) << row.retries;
    EXPECT_LT(least, row.most / 2) << row.retries;
  }
}

}  // namespace
}  // namespace lakestream
