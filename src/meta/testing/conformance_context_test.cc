#include <stop_token>

#include "base/try.h"
#include "meta/testing/metadata_store_conformance.h"

namespace lakestream {
namespace {

const Partition kLog7 = Partition::OfLog(LogId(7));
constexpr StatusCode kInvalid = StatusCode::kInvalidArgument;

TEST_P(MetadataStoreConformance, LimitsOfKeysAreHeldByEveryCall) {
  const Buffer value = Buffer::CopyOf("v");
  const std::shared_ptr<MetadataSession> session = OpenSession(store());
  for (const std::string& bad : {std::string(), std::string(501, 'k')}) {
    EXPECT_EQ(Run(store().Get(Context(), kLog7, bad)).status().code(), kInvalid);
    EXPECT_EQ(Run(store().Floor(Context(), kLog7, bad)).status().code(), kInvalid);
    EXPECT_EQ(Run(store().Ceiling(Context(), kLog7, bad)).status().code(), kInvalid);
    EXPECT_EQ(Run(store().Higher(Context(), kLog7, bad)).status().code(), kInvalid);
    EXPECT_EQ(Run(store().Put(Context(), kLog7, bad, value)).status().code(), kInvalid);
    EXPECT_EQ(Run(store().CreateIfAbsent(Context(), kLog7, bad, value)).status().code(), kInvalid);
    EXPECT_EQ(Run(store().CreateEphemeral(Context(), kLog7, bad, value, session)).status().code(), kInvalid);
    EXPECT_EQ(Run(store().CompareAndSet(Context(), kLog7, bad, value, 0)).status().code(), kInvalid);
    EXPECT_EQ(Run(store().Delete(Context(), kLog7, bad)).code(), kInvalid);
    EXPECT_EQ(Run(store().DeleteRange(Context(), kLog7, bad, "z")).code(), kInvalid);
    EXPECT_EQ(Run(store().DeleteRange(Context(), kLog7, "a", bad)).code(), kInvalid);
    EXPECT_EQ(Run(store().List(Context(), KeyRange{kLog7, bad, "z"}, "", 1)).status().code(), kInvalid);
    EXPECT_EQ(Run(store().Scan(Context(), KeyRange{kLog7, "a", bad}, "", 1)).status().code(), kInvalid);
  }
  EXPECT_TRUE(Keys(kLog7, "a", "z").empty());
}

TEST_P(MetadataStoreConformance, TheLongestKeyWorksInEveryCall) {
  for (const std::string& key : {std::string(500, 'k'), "/" + std::string(499, 'k')}) {
    const Result<WriteAnswer> put = Put(kLog7, key, "v");
    ASSERT_TRUE(put.ok()) << put.status().ToString();
    EXPECT_EQ(ValueOf(kLog7, key), "v");
    EXPECT_EQ(KeyOf(kLog7, key, KeyComparison::kFloor), key);
    EXPECT_EQ(KeyOf(kLog7, key.substr(0, 499), KeyComparison::kHigher), key);
    EXPECT_TRUE(Run(store().CompareAndSet(Context(), kLog7, key, Buffer(), put->version)).ok());
    EXPECT_EQ(Keys(kLog7, key.substr(0, 1), key.substr(0, 1) + "z", 1), std::vector<std::string>({key}));
    EXPECT_TRUE(Run(store().Delete(Context(), kLog7, key)).ok());
    const std::shared_ptr<MetadataSession> session = OpenSession(store());
    EXPECT_TRUE(Run(store().CreateEphemeral(Context(), kLog7, key, Buffer(), session)).ok());
    EXPECT_TRUE(Run(session->Close(Context())).ok());
    EXPECT_EQ(ValueOf(kLog7, key), "none");
  }
}

TEST_P(MetadataStoreConformance, LimitOfValues) {
  const std::string largest(std::size_t{4} << 20, 'v');
  ASSERT_TRUE(Put(kLog7, "k", largest).ok());
  EXPECT_EQ(Get(kLog7, "k")->value.size(), largest.size());
  EXPECT_TRUE(Sequence(kLog7, "s", 1, 1, largest).ok());
  const std::string larger = largest + "v";
  EXPECT_EQ(Put(kLog7, "k", larger).status().code(), kInvalid);
  EXPECT_EQ(Create(kLog7, "new", larger).status().code(), kInvalid);
  EXPECT_EQ(Sequence(kLog7, "s", 1, 1, larger).status().code(), kInvalid);
  EXPECT_EQ(Get(kLog7, "k")->value.size(), largest.size());
  EXPECT_EQ(ValueOf(kLog7, "new"), "none");
}

TEST_P(MetadataStoreConformance, LimitsOfPages) {
  for (const int limit : {0, -1, 10'001}) {
    EXPECT_EQ(Run(store().List(Context(), KeyRange{kLog7, "a", "z"}, "", limit)).status().code(), kInvalid);
    EXPECT_EQ(Run(store().Scan(Context(), KeyRange{kLog7, "a", "z"}, "", limit)).status().code(), kInvalid);
  }
}

TEST_P(MetadataStoreConformance, ANegativeExpectedVersionIsRefused) {
  // -1 would mean "absent" to some stores.
  for (const std::int64_t version : {-1, -7}) {
    EXPECT_EQ(Run(store().CompareAndSet(Context(), kLog7, "k", Buffer(), version)).status().code(), kInvalid);
  }
  EXPECT_EQ(ValueOf(kLog7, "k"), "none");
}

TEST_P(MetadataStoreConformance, NothingIsDoneForAContextThatHasEnded) {
  const Result<WriteAnswer> kept = Put(kLog7, "k", "kept");
  ASSERT_TRUE(kept.ok());
  const std::shared_ptr<MetadataSession> session = OpenSession(store());
  const Buffer value = Buffer::CopyOf("v");
  const std::pair<OpContext, StatusCode> ended[] = {{Expired(), StatusCode::kDeadlineExceeded},
                                                    {CancelledContext(), StatusCode::kCancelled}};
  for (const auto& [context, code] : ended) {
    EXPECT_EQ(Run(store().Get(context, kLog7, "k")).status().code(), code);
    EXPECT_EQ(Run(store().Put(context, kLog7, "k", value)).status().code(), code);
    EXPECT_EQ(Run(store().CreateIfAbsent(context, kLog7, "new", value)).status().code(), code);
    EXPECT_EQ(Run(store().CreateEphemeral(context, kLog7, "new", value, session)).status().code(), code);
    EXPECT_EQ(Run(store().CompareAndSet(context, kLog7, "k", value, kept->version)).status().code(), code);
    EXPECT_EQ(Run(store().Delete(context, kLog7, "k")).code(), code);
    EXPECT_EQ(Run(store().DeleteRange(context, kLog7, "a", "z")).code(), code);
    EXPECT_EQ(Run(store().List(context, KeyRange{kLog7, "a", "z"}, "", 1)).status().code(), code);
    EXPECT_EQ(Run(store().Scan(context, KeyRange{kLog7, "a", "z"}, "", 1)).status().code(), code);
    EXPECT_EQ(Run(store().OpenSession(context, std::chrono::seconds(10))).status().code(), code);
    EXPECT_EQ(Run(session->Close(context)).code(), code);
    std::vector<SequencedPutRequest> requests;
    for (int i = 0; i < 2; ++i) requests.push_back(Request(kLog7, "s", 1, 1));
    const auto answers = Run(store().SequencedPut(context, std::move(requests)));
    ASSERT_EQ(answers.size(), 2u);
    for (const auto& answer : answers) EXPECT_EQ(answer.status().code(), code);
  }
  EXPECT_EQ(Keys(kLog7, "a", "z"), std::vector<std::string>({"k"}));
  EXPECT_EQ(ValueOf(kLog7, "k"), "kept");
  EXPECT_TRUE(session->ProvablyAlive());
}

TEST_P(MetadataStoreConformance, ADefiniteStoreNeverAnswersIndeterminate) {
  // Calls that race with their own deadlines: whatever the answer says about what was done has to be true.
  for (int i = 0; i < 50; ++i) {
    const std::string key = "race-" + std::to_string(i);
    const Result<WriteAnswer> put = Run(store().Put(After(std::chrono::microseconds(i * 20)), kLog7, key, Buffer()));
    if (put.status().code() == StatusCode::kIndeterminate) {
      EXPECT_FALSE(store().capabilities().definite_answers);
      continue;
    }
    EXPECT_EQ(Get(kLog7, key).has_value(), put.ok()) << put.status().ToString();
  }
}

TEST_P(MetadataStoreConformance, EveryKindOfWriteChangesTheHint) {
  const std::shared_ptr<MetadataSession> session = OpenSession(store());
  std::uint64_t seen = store().ChangeHint(kLog7);
  // A hint may be late, so each change is waited for.
  const auto expect_change = [&](const char* what) {
    EXPECT_TRUE(Run(store().AwaitChange(After(std::chrono::seconds(20)), kLog7, seen)).ok());
    const std::uint64_t now = store().ChangeHint(kLog7);
    EXPECT_NE(now, seen) << what;
    seen = now;
  };
  const Result<WriteAnswer> put = Put(kLog7, "k", "v");
  expect_change("put");
  ASSERT_TRUE(Run(store().CompareAndSet(Context(), kLog7, "k", Buffer(), put->version)).ok());
  expect_change("compare and set");
  ASSERT_TRUE(Create(kLog7, "new", "v").ok());
  expect_change("create");
  ASSERT_TRUE(Sequence(kLog7, "s", 1, 1).ok());
  expect_change("sequenced put");
  ASSERT_TRUE(Run(store().Delete(Context(), kLog7, "k")).ok());
  expect_change("delete");
  ASSERT_TRUE(Run(store().DeleteRange(Context(), kLog7, "a", "z")).ok());
  expect_change("delete range");
  ASSERT_TRUE(Run(store().CreateEphemeral(Context(), kLog7, "/e", Buffer(), session)).ok());
  expect_change("create ephemeral");
  ASSERT_TRUE(Run(session->Close(Context())).ok());
  expect_change("end of a session");
}

Task<Status> AwaitFrom(MetadataStore& store, OpContext context, std::uint64_t seen) {
  co_return co_await store.AwaitChange(std::move(context), kLog7, seen);
}
Task<Status> PutLater(Runtime& runtime, MetadataStore& store) {
  LS_CO_TRY(co_await SleepFor(runtime, OpContext(), std::chrono::milliseconds(20)));
  const Buffer value = Buffer::CopyOf("v");
  const Result<WriteAnswer> put = co_await store.Put(OpContext(), kLog7, "k", value);
  co_return put.status();
}

TEST_P(MetadataStoreConformance, AwaitChangeWakesForOwnAndForeignWrites) {
  for (MetadataStore* writer : {&other(), &store()}) {
    const MonotonicTime start = runtime().Now();
    std::vector<Task<Status>> tasks;
    for (int i = 0; i < 3; ++i) {
      tasks.push_back(AwaitFrom(store(), After(std::chrono::seconds(60)), store().ChangeHint(kLog7)));
    }
    tasks.push_back(PutLater(runtime(), *writer));
    for (const Status& status : RunAll(std::move(tasks))) EXPECT_TRUE(status.ok()) << status.ToString();
    EXPECT_LT(runtime().Now() - start, std::chrono::seconds(30)) << "it woke before its deadline";
  }
}

TEST_P(MetadataStoreConformance, AwaitChangeReturnsAtOnceWhereTheHintHasChanged) {
  const std::uint64_t seen = store().ChangeHint(kLog7);
  ASSERT_TRUE(Put(kLog7, "k", "v").ok());
  const MonotonicTime start = runtime().Now();
  EXPECT_TRUE(Run(store().AwaitChange(After(std::chrono::seconds(60)), kLog7, seen)).ok());
  EXPECT_LT(runtime().Now() - start, std::chrono::seconds(30));
}

TEST_P(MetadataStoreConformance, AwaitChangeEndsOkAtItsDeadline) {
  const std::uint64_t seen = store().ChangeHint(kLog7);
  EXPECT_TRUE(Run(store().AwaitChange(After(std::chrono::milliseconds(20)), kLog7, seen)).ok());
  EXPECT_TRUE(Run(store().AwaitChange(Expired(), kLog7, seen)).ok());
}

Task<Status> CancelLater(Runtime& runtime, std::stop_source source) {
  LS_CO_TRY(co_await SleepFor(runtime, OpContext(), std::chrono::milliseconds(20)));
  source.request_stop();
  co_return OkStatus();
}

TEST_P(MetadataStoreConformance, AwaitChangeCanBeCancelled) {
  const std::uint64_t seen = store().ChangeHint(kLog7);
  std::stop_source source;
  const OpContext context = OpContext().WithCancel(source.get_token());
  std::vector<Task<Status>> tasks;
  tasks.push_back(AwaitFrom(store(), context, seen));
  tasks.push_back(CancelLater(runtime(), source));
  EXPECT_EQ(RunAll(std::move(tasks)).front().code(), StatusCode::kCancelled);
  EXPECT_EQ(Run(store().AwaitChange(CancelledContext(), kLog7, seen)).code(), StatusCode::kCancelled);
}

}  // namespace
}  // namespace lakestream
