#include "objstore/wrap/fault_object_store.h"

#include "objstore/memory/memory_object_store.h"
#include "runtime/gate.h"
#include "runtime/testing/world.h"

namespace lakestream {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

BufferChain Chain(std::string_view text) { return BufferChain(Buffer::CopyOf(text)); }

Task<void> PutInto(ObjectStore& store, OpContext context, std::string key, std::string bytes, Future<Status> answer) {
  answer.Set(co_await store.Put(std::move(context), std::move(key), Chain(bytes), PutMode::kCreate));
}

class FaultObjectStoreTest : public WorldTest {
 protected:
  FaultObjectStoreTest()
      : memory_(runtime()), faults_(runtime()), store_(runtime(), memory_, faults_), gate_(runtime()) {}

  void RunAndStop(Task<void> task) {
    Run(std::move(task));
    Run(store_.Stop());
    Run(gate_.Close());
  }

  Task<Status> Put(std::string key, std::string bytes) {
    return store_.Put(OpContext(), std::move(key), Chain(bytes), PutMode::kCreate);
  }
  /// A Put that goes on while the test does.
  Future<Status> Start(std::string key, std::string bytes, OpContext context = OpContext()) {
    const Future<Status> answer(runtime().executor);
    gate_.Spawn(PutInto(store_, std::move(context), std::move(key), std::move(bytes), answer));
    return answer;
  }
  /// Long enough for a busy machine to begin a call.
  Duration patience() { return simulated() ? milliseconds(20) : milliseconds(1000); }
  OpContext Within(Duration time) { return OpContext().WithDeadline(runtime().Now() + time); }
  /// What the store below holds, or the name of the status code.
  Task<std::string> Stored(std::string key) {
    const Result<Buffer> bytes = co_await memory_.Get(OpContext(), std::move(key), ByteRange());
    co_return bytes.ok() ? std::string(bytes->text()) : std::string(StatusCodeName(bytes.status().code()));
  }
  Task<std::string> Read(std::string key) {
    const Result<Buffer> bytes = co_await store_.Get(OpContext(), std::move(key), ByteRange());
    co_return bytes.ok() ? std::string(bytes->text()) : std::string(StatusCodeName(bytes.status().code()));
  }
  Task<Result<ListPage>> List() { return store_.List(OpContext(), "", "", 100); }

  Task<void> FailingCallsAreNotApplied();
  Task<void> LostAnswersAreApplied();
  Task<void> LostAnswersHideConflicts();
  Task<void> LateCallsAreAppliedAfterTheirDeadline();
  Task<void> HeldBeforeApplying();
  Task<void> HeldAfterApplying();
  Task<void> HeldCallsBecomeZombies();
  Task<void> HeldCallsCanBeRefused();
  Task<void> DelaysMeetDeadlines();
  Task<void> BodiesAreSpoilt();
  Task<void> ListingsAreCut();
  Task<void> UploadsGoWrongToo();
  Task<void> RemovalsOfLeftoversGoWrong();
  Task<void> RulesSelectCalls();

  MemoryObjectStore memory_;
  FaultPlan faults_;
  FaultObjectStore store_;
  Gate gate_;
};

Task<void> FaultObjectStoreTest::FailingCallsAreNotApplied() {
  faults_.OnNext(ObjectOp::kPut, "", Fault::Fail(ResourceExhausted("full")));
  CO_ASSERT_CODE(co_await Put("k", "x"), kResourceExhausted);
  CO_ASSERT_EQ(co_await Stored("k"), "not_found");
  faults_.OnNext(ObjectOp::kPut, "", Fault::Throttle());
  CO_ASSERT_CODE(co_await Put("k", "x"), kUnavailable);
  CO_ASSERT_EQ(co_await Stored("k"), "not_found");
  CO_ASSERT_OK(co_await Put("k", "x"));
  EXPECT_EQ(faults_.injected(FaultKind::kFail), 1);
  EXPECT_EQ(faults_.injected(FaultKind::kThrottle), 1);
  EXPECT_EQ(faults_.rules_left(), 0);
}
TEST_P(FaultObjectStoreTest, FailingCallsAreNotApplied) { RunAndStop(FailingCallsAreNotApplied()); }

Task<void> FaultObjectStoreTest::LostAnswersAreApplied() {
  faults_.OnNext(ObjectOp::kPut, "", Fault::LoseAnswer());
  CO_ASSERT_CODE(co_await Put("k", "x"), kIndeterminate);
  CO_ASSERT_EQ(co_await Stored("k"), "x");
  faults_.OnNext(ObjectOp::kGet, "", Fault::LoseAnswer());
  CO_ASSERT_EQ(co_await Read("k"), "unavailable");
  faults_.OnNext(ObjectOp::kDelete, "", Fault::LoseAnswer());
  const std::vector<std::string> keys = {"k"};
  CO_ASSERT_CODE(co_await store_.Delete(OpContext(), keys), kIndeterminate);
  CO_ASSERT_EQ(co_await Stored("k"), "not_found");
}
TEST_P(FaultObjectStoreTest, LostAnswersAreApplied) { RunAndStop(LostAnswersAreApplied()); }

Task<void> FaultObjectStoreTest::LostAnswersHideConflicts() {
  CO_ASSERT_OK(co_await Put("k", "first"));
  faults_.OnNext(ObjectOp::kPut, "", Fault::LoseAnswer());
  CO_ASSERT_CODE(co_await Put("k", "second"), kIndeterminate);
  CO_ASSERT_EQ(co_await Stored("k"), "first");
}
TEST_P(FaultObjectStoreTest, LostAnswersHideConflicts) { RunAndStop(LostAnswersHideConflicts()); }

Task<void> FaultObjectStoreTest::LateCallsAreAppliedAfterTheirDeadline() {
  faults_.OnNext(ObjectOp::kPut, "", Fault::ApplyLate(milliseconds(50)));
  const MonotonicTime start = runtime().Now();
  const Future<Status> answer = Start("k", "x", Within(patience()));
  co_await answer.Ready();
  CO_ASSERT_CODE(answer.value(), kIndeterminate);
  EXPECT_GE(runtime().Now() - start, patience());
  if (simulated()) CO_ASSERT_EQ(co_await Stored("k"), "not_found");
  // The same without a deadline: the answer is lost at once.
  faults_.OnNext(ObjectOp::kPut, "", Fault::ApplyLate(milliseconds(50)));
  CO_ASSERT_CODE(co_await Put("endless", "y"), kIndeterminate);
  co_await store_.Stop();
  CO_ASSERT_EQ(co_await Stored("k"), "x");
  CO_ASSERT_EQ(co_await Stored("endless"), "y");
}
TEST_P(FaultObjectStoreTest, LateCallsAreAppliedAfterTheirDeadline) {
  RunAndStop(LateCallsAreAppliedAfterTheirDeadline());
}

Task<void> FaultObjectStoreTest::HeldBeforeApplying() {
  const Hold hold = faults_.HoldNext(ObjectOp::kPut, "wal/", HoldPoint::kBeforeApply);
  const Future<Status> answer = Start("wal/k", "x");
  co_await hold.Reached();
  EXPECT_EQ(hold.key(), "wal/k");
  EXPECT_FALSE(answer.IsSet());
  CO_ASSERT_EQ(co_await Stored("wal/k"), "not_found");
  hold.Release();
  co_await answer.Ready();
  CO_ASSERT_OK(answer.value());
  CO_ASSERT_EQ(co_await Stored("wal/k"), "x");
}
TEST_P(FaultObjectStoreTest, HeldBeforeApplying) { RunAndStop(HeldBeforeApplying()); }

Task<void> FaultObjectStoreTest::HeldAfterApplying() {
  const Hold hold = faults_.HoldNext(ObjectOp::kPut, "", HoldPoint::kAfterApply);
  const Future<Status> answer = Start("k", "x");
  co_await hold.Reached();
  EXPECT_FALSE(answer.IsSet());
  CO_ASSERT_EQ(co_await Stored("k"), "x");
  hold.Release();
  co_await answer.Ready();
  CO_ASSERT_OK(answer.value());
  co_await hold.Done();
}
TEST_P(FaultObjectStoreTest, HeldAfterApplying) { RunAndStop(HeldAfterApplying()); }

Task<void> FaultObjectStoreTest::HeldCallsBecomeZombies() {
  const Hold before = faults_.HoldNext(ObjectOp::kPut, "before", HoldPoint::kBeforeApply);
  const Hold after = faults_.HoldNext(ObjectOp::kPut, "after", HoldPoint::kAfterApply);
  const Hold read = faults_.HoldNext(ObjectOp::kGet, "", HoldPoint::kBeforeApply);
  std::stop_source source;
  const OpContext context = OpContext().WithCancel(source.get_token());
  const Future<Status> late = Start("before", "x", context);
  const Future<Status> lost = Start("after", "y", context);
  co_await before.Reached();
  co_await after.Reached();
  source.request_stop();
  co_await late.Ready();
  co_await lost.Ready();
  CO_ASSERT_CODE(late.value(), kIndeterminate);
  CO_ASSERT_CODE(lost.value(), kIndeterminate);
  CO_ASSERT_EQ(co_await Stored("before"), "not_found");
  CO_ASSERT_EQ(co_await Stored("after"), "y");
  CO_ASSERT_CODE(co_await store_.Get(Within(milliseconds(1)), "after", ByteRange()), kDeadlineExceeded);
  before.Release();
  co_await before.Done();
  CO_ASSERT_EQ(co_await Stored("before"), "x");
}
TEST_P(FaultObjectStoreTest, HeldCallsBecomeZombies) { RunAndStop(HeldCallsBecomeZombies()); }

Task<void> FaultObjectStoreTest::HeldCallsCanBeRefused() {
  const Hold before = faults_.HoldNext(ObjectOp::kPut, "", HoldPoint::kBeforeApply);
  const Future<Status> refused = Start("k", "x");
  co_await before.Reached();
  before.Release(Unavailable("reset"));
  co_await refused.Ready();
  CO_ASSERT_CODE(refused.value(), kUnavailable);
  CO_ASSERT_EQ(co_await Stored("k"), "not_found");
  const Hold after = faults_.HoldNext(ObjectOp::kPut, "", HoldPoint::kAfterApply);
  const Future<Status> lost = Start("k", "x");
  co_await after.Reached();
  after.Release(Indeterminate("reset"));
  co_await lost.Ready();
  CO_ASSERT_CODE(lost.value(), kIndeterminate);
  CO_ASSERT_EQ(co_await Stored("k"), "x");
}
TEST_P(FaultObjectStoreTest, HeldCallsCanBeRefused) { RunAndStop(HeldCallsCanBeRefused()); }

Task<void> FaultObjectStoreTest::DelaysMeetDeadlines() {
  const MonotonicTime start = runtime().Now();
  faults_.OnNext(ObjectOp::kPut, "", Fault::Delay(milliseconds(5), milliseconds(5)));
  CO_ASSERT_OK(co_await Put("slow", "x"));
  EXPECT_GE(runtime().Now() - start, Duration(milliseconds(10)));
  faults_.OnNext(ObjectOp::kPut, "", Fault::Delay(seconds(60)));
  const Future<Status> never = Start("never", "x", Within(milliseconds(10)));
  co_await never.Ready();
  CO_ASSERT_CODE(never.value(), kDeadlineExceeded);
  CO_ASSERT_EQ(co_await Stored("never"), "not_found");
  faults_.OnNext(ObjectOp::kPut, "", Fault::Delay(Duration::zero(), seconds(60)));
  const Future<Status> back = Start("back", "x", Within(patience()));
  co_await back.Ready();
  CO_ASSERT_CODE(back.value(), kIndeterminate);
  CO_ASSERT_EQ(co_await Stored("back"), "x");
}
TEST_P(FaultObjectStoreTest, DelaysMeetDeadlines) { RunAndStop(DelaysMeetDeadlines()); }

Task<void> FaultObjectStoreTest::BodiesAreSpoilt() {
  CO_ASSERT_OK(co_await Put("k", "0123456789"));
  faults_.OnNext(ObjectOp::kGet, "", Fault::ShortBody(3));
  CO_ASSERT_EQ(co_await Read("k"), "012");
  faults_.OnNext(ObjectOp::kGet, "", Fault::ShortBody(30));
  CO_ASSERT_EQ(co_await Read("k"), "0123456789");
  faults_.OnNext(ObjectOp::kGet, "", Fault::FlipByte(12));
  CO_ASSERT_EQ(co_await Read("k"), "01\"3456789");
  CO_ASSERT_EQ(co_await Read("k"), "0123456789");
}
TEST_P(FaultObjectStoreTest, BodiesAreSpoilt) { RunAndStop(BodiesAreSpoilt()); }

Task<void> FaultObjectStoreTest::ListingsAreCut() {
  for (const char* key : {"a", "b", "c"}) CO_ASSERT_OK(co_await Put(key, "x"));
  faults_.OnNext(ObjectOp::kList, "", Fault::CutList(1));
  const Result<ListPage> cut = co_await List();
  CO_ASSERT_OK(cut);
  EXPECT_EQ(cut->objects.size(), 1u);
  EXPECT_FALSE(cut->next.has_value());
  faults_.OnNext(ObjectOp::kList, "", Fault::ShortPage(2));
  const Result<ListPage> page = co_await List();
  CO_ASSERT_OK(page);
  EXPECT_EQ(page->objects.size(), 2u);
  EXPECT_EQ(page->next, "b");
}
TEST_P(FaultObjectStoreTest, ListingsAreCut) { RunAndStop(ListingsAreCut()); }

Task<void> FaultObjectStoreTest::UploadsGoWrongToo() {
  faults_.OnNext(ObjectOp::kStartUpload, "", Fault::LoseAnswer());
  CO_ASSERT_CODE(co_await store_.StartUpload(OpContext(), "k", PutMode::kCreate), kUnavailable);
  Result<std::unique_ptr<ObjectUpload>> upload = co_await store_.StartUpload(OpContext(), "k", PutMode::kCreate);
  CO_ASSERT_OK(upload);
  faults_.OnNext(ObjectOp::kAppend, "k", Fault::LoseAnswer());
  CO_ASSERT_CODE(co_await (*upload)->Append(OpContext(), Chain("12")), kIndeterminate);
  faults_.OnNext(ObjectOp::kComplete, "k", Fault::FailUnavailable());
  CO_ASSERT_CODE(co_await (*upload)->Complete(OpContext()), kUnavailable);
  const Hold hold = faults_.HoldNext(ObjectOp::kComplete, "k", HoldPoint::kBeforeApply);
  CO_ASSERT_CODE(co_await (*upload)->Complete(Within(patience())), kIndeterminate);
  // The call goes on although the upload is gone.
  upload->reset();
  CO_ASSERT_EQ(co_await Stored("k"), "not_found");
  hold.Release();
  co_await hold.Done();
  CO_ASSERT_EQ(co_await Stored("k"), "12");
}
TEST_P(FaultObjectStoreTest, UploadsGoWrongToo) { RunAndStop(UploadsGoWrongToo()); }

Task<void> FaultObjectStoreTest::RemovalsOfLeftoversGoWrong() {
  const Result<std::unique_ptr<ObjectUpload>> upload = co_await store_.StartUpload(OpContext(), "k", PutMode::kCreate);
  CO_ASSERT_OK(upload);
  faults_.OnNext(ObjectOp::kRemoveLeftovers, "", Fault::FailUnavailable());
  CO_ASSERT_CODE(co_await store_.RemoveLeftovers(OpContext(), WallTime::max()), kUnavailable);
  CO_ASSERT_OK(co_await (*upload)->Append(OpContext(), Chain("12")));
  faults_.OnNext(ObjectOp::kRemoveLeftovers, "", Fault::LoseAnswer());
  CO_ASSERT_CODE(co_await store_.RemoveLeftovers(OpContext(), WallTime::max()), kIndeterminate);
  CO_ASSERT_CODE(co_await (*upload)->Complete(OpContext()), kUnavailable);
}
TEST_P(FaultObjectStoreTest, RemovalsOfLeftoversGoWrong) { RunAndStop(RemovalsOfLeftoversGoWrong()); }

Task<void> FaultObjectStoreTest::RulesSelectCalls() {
  faults_.OnNth(ObjectOp::kPut, "a/", 2, Fault::FailUnavailable());
  faults_.OnNext(ObjectOp::kPut, "b/", Fault::FailUnavailable(), 2);
  CO_ASSERT_OK(co_await Put("a/1", "x"));
  CO_ASSERT_OK(co_await Put("c/1", "x"));
  CO_ASSERT_CODE(co_await Put("a/2", "x"), kUnavailable);
  CO_ASSERT_OK(co_await Put("a/3", "x"));
  EXPECT_EQ(faults_.rules_left(), 1);
  CO_ASSERT_CODE(co_await Put("b/1", "x"), kUnavailable);
  CO_ASSERT_CODE(co_await Put("b/2", "x"), kUnavailable);
  CO_ASSERT_OK(co_await Put("b/3", "x"));
  faults_.Always(ObjectOp::kDelete, "b/", Fault::FailUnavailable());
  const std::vector<std::string> some = {"a/1", "b/3"};
  const std::vector<std::string> others = {"a/1", "c/1"};
  CO_ASSERT_CODE(co_await store_.Delete(OpContext(), some), kUnavailable);
  CO_ASSERT_CODE(co_await store_.Delete(OpContext(), some), kUnavailable);
  CO_ASSERT_OK(co_await store_.Delete(OpContext(), others));
  faults_.Heal();
  CO_ASSERT_OK(co_await store_.Delete(OpContext(), some));
  EXPECT_EQ(faults_.injected(FaultKind::kFail), 5);
}
TEST_P(FaultObjectStoreTest, RulesSelectCalls) { RunAndStop(RulesSelectCalls()); }

TEST_P(FaultObjectStoreTest, AnswersAreNotDefinite) {
  EXPECT_TRUE(memory_.capabilities().definite_answers);
  EXPECT_FALSE(store_.capabilities().definite_answers);
  EXPECT_TRUE(store_.capabilities().keeps_crc32c);
}

LS_INSTANTIATE_WORLDS(FaultObjectStoreTest);

/// Many calls with faults by chance; what became of them, as text.
Task<void> RandomCalls(Runtime& runtime, FaultObjectStore& store, std::string& trace) {
  for (int i = 0; i < 400; ++i) {
    const std::string key = "k" + std::to_string(i);
    const OpContext context = OpContext().WithDeadline(runtime.Now() + seconds(5));
    const Status put = co_await store.Put(context, key, Chain("some bytes"), PutMode::kCreate);
    const Result<Buffer> got = co_await store.Get(context, key, ByteRange());
    const Result<ListPage> page = co_await store.List(context, "", "", 50);
    trace += std::string(StatusCodeName(put.code())) + " ";
    trace += got.ok() ? std::string(got->text()) : std::string(StatusCodeName(got.status().code()));
    trace += page.ok() ? " " + std::to_string(page->objects.size()) + "\n" : " no page\n";
  }
}

std::string RandomTrace(std::uint64_t seed, std::vector<std::int64_t>& injected) {
  SimScheduler scheduler(seed);
  Runtime& runtime = scheduler.runtime();
  MemoryObjectStore memory(runtime);
  FaultPlan faults(runtime);
  FaultObjectStore store(runtime, memory, faults);
  FaultRates rates;
  rates.fail = rates.throttle = rates.lose_answer = rates.delay = rates.apply_late = 500;
  rates.short_body = rates.flip_byte = rates.cut_list = rates.short_page = rates.stale_list = 500;
  faults.Randomize(rates, scheduler.Stream("faults"));
  std::string trace;
  EXPECT_TRUE(scheduler.Run(RandomCalls(runtime, store, trace)).ok());
  EXPECT_TRUE(scheduler.Run(store.Stop()).ok());
  for (int kind = 0; kind < kFaultKinds; ++kind) injected.push_back(faults.injected(static_cast<FaultKind>(kind)));
  return trace;
}

Task<std::string> Heads(ObjectStore& store) {
  std::string answers;
  for (int i = 0; i < 400; ++i) {
    const Result<ObjectInfo> info = co_await store.Head(OpContext(), "absent");
    const StatusCode code = info.status().code();
    answers += code == StatusCode::kUnavailable ? 'u' : code == StatusCode::kResourceExhausted ? 'r' : '.';
  }
  co_return answers;
}

TEST(FaultListings, AreStale) {
  SimScheduler scheduler(1);
  Runtime& runtime = scheduler.runtime();
  MemoryObjectStore memory(runtime);
  FaultPlan faults(runtime);
  FaultObjectStore store(runtime, memory, faults);
  for (const char* key : {"a", "b"}) {
    ASSERT_TRUE(scheduler.Run(store.Put(OpContext(), key, Chain("x"), PutMode::kCreate)).ok());
    ASSERT_TRUE(scheduler.RunFor(seconds(10)).ok());
  }
  const auto list = [&](Fault fault) {
    faults.OnNext(ObjectOp::kList, "", std::move(fault));
    std::string keys;
    const Result<ListPage> page = scheduler.Run(store.List(OpContext(), "", "", 10));
    EXPECT_TRUE(page.ok());
    for (const ObjectInfo& object : page->objects) keys += object.key;
    return keys;
  };
  EXPECT_EQ(list(Fault::StaleList(seconds(5))), "ab");
  EXPECT_EQ(list(Fault::StaleList(seconds(15))), "a");
  EXPECT_EQ(list(Fault::StaleList(seconds(25))), "");
}

TEST(FaultChance, ThrottlesInBursts) {
  SimScheduler scheduler(5);
  Runtime& runtime = scheduler.AddNode("a").runtime();
  MemoryObjectStore memory(runtime);
  FaultPlan faults(runtime);
  FaultObjectStore store(runtime, memory, faults);
  FaultRates rates;
  rates.throttle = 200;
  rates.max_burst = 20;
  faults.Randomize(rates, scheduler.Stream("faults"));
  const Result<std::string> ran = scheduler.Run(Heads(store));
  ASSERT_TRUE(ran.ok());
  const std::string& answers = *ran;
  // At 2 % each, five in a row come by chance once in a hundred million runs.
  EXPECT_NE(answers.find("uuuuu"), std::string::npos) << answers;
  EXPECT_NE(answers.find("rrrrr"), std::string::npos) << answers;
  EXPECT_NE(answers.find("....."), std::string::npos) << answers;
}

TEST(FaultChance, FollowsItsSeedAndItsRates) {
  std::vector<std::int64_t> injected;
  std::vector<std::int64_t> again;
  std::vector<std::int64_t> other;
  const std::string trace = RandomTrace(5, injected);
  EXPECT_EQ(RandomTrace(5, again), trace);
  EXPECT_NE(RandomTrace(6, other), trace);
  EXPECT_EQ(injected, again);
  // 400 or 1200 calls at 5 %; far enough from the bounds that no seed misses them.
  for (const FaultKind kind : {FaultKind::kFail, FaultKind::kThrottle, FaultKind::kLoseAnswer, FaultKind::kDelay}) {
    EXPECT_GT(injected[static_cast<std::size_t>(kind)], 20);
    EXPECT_LT(injected[static_cast<std::size_t>(kind)], 120);
  }
  for (const FaultKind kind : {FaultKind::kApplyLate, FaultKind::kShortBody, FaultKind::kFlipByte,
                               FaultKind::kCutList, FaultKind::kShortPage, FaultKind::kStaleList}) {
    EXPECT_GT(injected[static_cast<std::size_t>(kind)], 2);
    EXPECT_LT(injected[static_cast<std::size_t>(kind)], 50);
  }
}

Task<void> PutAndForget(ObjectStore& store, std::string key) {
  const BufferChain bytes = Chain("from the dead");
  [[maybe_unused]] const Status status = co_await store.Put(OpContext(), key, bytes, PutMode::kCreate);
}

Task<void> KillWhileHeld(SimNode& node, MemoryObjectStore& memory, Hold hold) {
  co_await hold.Reached();
  node.Kill();
  CO_ASSERT_CODE(co_await memory.Get(OpContext(), "k", ByteRange()), kNotFound);
  hold.Release();
  co_await hold.Done();
  const Result<Buffer> bytes = co_await memory.Get(OpContext(), "k", ByteRange());
  CO_ASSERT_OK(bytes);
  EXPECT_EQ(bytes->text(), "from the dead");
}

TEST(FaultsOfProcesses, CallsOutliveTheirCaller) {
  SimScheduler scheduler(3);
  SimNode& node = scheduler.AddNode("caller");
  MemoryObjectStore memory(scheduler.runtime());
  MemoryObjectStore view(node.runtime(), memory);
  FaultPlan faults(scheduler.runtime());
  FaultObjectStore store(node.runtime(), view, faults, scheduler.runtime(), memory);
  const Hold hold = faults.HoldNext(ObjectOp::kPut, "", HoldPoint::kBeforeApply);
  node.Spawn(PutAndForget(store, "k"));
  const Status status = scheduler.Run(KillWhileHeld(node, memory, hold));
  EXPECT_TRUE(status.ok()) << status.ToString();
}

Task<void> FindFromTheDead(MemoryObjectStore& memory) {
  const Result<Buffer> bytes = co_await memory.Get(OpContext(), "k", ByteRange());
  CO_ASSERT_OK(bytes);
  EXPECT_EQ(bytes->text(), "from the dead");
}

TEST(FaultsOfProcesses, LateCallsNeedNothingOfTheirCaller) {
  SimScheduler scheduler(4);
  SimNode& node = scheduler.AddNode("caller");
  MemoryObjectStore memory(scheduler.runtime());
  MemoryObjectStore view(node.runtime(), memory);
  FaultPlan faults(scheduler.runtime());
  FaultObjectStore store(node.runtime(), view, faults, scheduler.runtime(), memory);
  faults.OnNext(ObjectOp::kPut, "", Fault::ApplyLate(seconds(10)));
  node.Spawn(PutAndForget(store, "k"));
  while (faults.injected(FaultKind::kApplyLate) == 0) ASSERT_TRUE(scheduler.Step());
  node.Kill();
  ASSERT_TRUE(scheduler.RunUntilIdle().ok());
  const Status status = scheduler.Run(FindFromTheDead(memory));
  EXPECT_TRUE(status.ok()) << status.ToString();
}

}  // namespace
}  // namespace lakestream
