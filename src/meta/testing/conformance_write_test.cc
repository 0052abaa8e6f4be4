#include <set>

#include "meta/testing/metadata_store_conformance.h"

namespace lakestream {
namespace {

const Partition kLog7 = Partition::OfLog(LogId(7));

TEST_P(MetadataStoreConformance, PutThenGet) {
  const Result<WriteAnswer> put = Put(kLog7, "/mark-deleted-offsets/7", "12");
  ASSERT_TRUE(put.ok()) << put.status().ToString();
  EXPECT_GE(put->version, 0);
  const ReadAnswer record = Get(kLog7, "/mark-deleted-offsets/7");
  ASSERT_TRUE(record);
  EXPECT_EQ(record->key, "/mark-deleted-offsets/7");
  EXPECT_EQ(record->value.text(), "12");
  EXPECT_EQ(record->version, put->version);
  EXPECT_EQ(record->created_ms, put->created_ms);
  EXPECT_FALSE(record->ephemeral);
}

TEST_P(MetadataStoreConformance, ValuesAreBytesAndMayBeEmpty) {
  const std::string bytes("\0\xff\n\0", 4);
  ASSERT_TRUE(Put(kLog7, "bytes", bytes).ok());
  ASSERT_TRUE(Put(kLog7, "empty", "").ok());
  EXPECT_EQ(ValueOf(kLog7, "bytes"), bytes);
  const ReadAnswer empty = Get(kLog7, "empty");
  ASSERT_TRUE(empty);
  EXPECT_TRUE(empty->value.empty());
}

TEST_P(MetadataStoreConformance, CreationTimeIsTheStoresClock) {
  const std::int64_t before = ToMillis(runtime().clock.Wall());
  const Result<WriteAnswer> put = Put(kLog7, "k", "v");
  const std::int64_t after = ToMillis(runtime().clock.Wall());
  ASSERT_TRUE(put.ok());
  // A store elsewhere has a clock of its own; a minute is what any sane pair of clocks keeps.
  EXPECT_GE(put->created_ms, before - 60'000);
  EXPECT_LE(put->created_ms, after + 60'000);
}

TEST_P(MetadataStoreConformance, PutReplacesTheValueAndKeepsTheCreationTime) {
  const Result<WriteAnswer> first = Put(kLog7, "k", "one");
  ASSERT_TRUE(first.ok());
  LetTimePass(std::chrono::milliseconds(5));
  const Result<WriteAnswer> second = Put(kLog7, "k", "two");
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(second->created_ms, first->created_ms);
  EXPECT_GT(second->version, first->version);
  const ReadAnswer record = Get(kLog7, "k");
  ASSERT_TRUE(record);
  EXPECT_EQ(record->value.text(), "two");
  EXPECT_EQ(record->created_ms, first->created_ms);
  EXPECT_EQ(record->version, second->version);
}

TEST_P(MetadataStoreConformance, CompareAndSetKeepsTheCreationTime) {
  const Result<WriteAnswer> first = Put(kLog7, "k", "one");
  ASSERT_TRUE(first.ok());
  LetTimePass(std::chrono::milliseconds(5));
  const Result<WriteAnswer> second =
      Run(store().CompareAndSet(Context(), kLog7, "k", Buffer::CopyOf("two"), first->version));
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(second->created_ms, first->created_ms);
  EXPECT_EQ(Get(kLog7, "k")->created_ms, first->created_ms);
}

TEST_P(MetadataStoreConformance, ARecordMadeAgainHasANewCreationTime) {
  const Result<WriteAnswer> first = Put(kLog7, "k", "one");
  ASSERT_TRUE(first.ok());
  ASSERT_TRUE(Run(store().Delete(Context(), kLog7, "k")).ok());
  LetTimePass(std::chrono::milliseconds(5));
  const Result<WriteAnswer> second = Put(kLog7, "k", "two");
  ASSERT_TRUE(second.ok());
  EXPECT_GT(second->created_ms, first->created_ms);
  EXPECT_GT(second->version, first->version);
}

TEST_P(MetadataStoreConformance, CreationTimesNeverGoBack) {
  const Result<WriteAnswer> before = Put(kLog7, "a", "v");
  ASSERT_TRUE(before.ok());
  std::int64_t last = before->created_ms;
  for (const int minutes : {-10, 5, -30, 1}) {
    // Where the clock cannot be moved, the order of the times is still checked.
    ShiftWall(std::chrono::minutes(minutes));
    const Result<WriteAnswer> put = Put(kLog7, "b" + std::to_string(minutes), "v");
    ASSERT_TRUE(put.ok());
    EXPECT_GE(put->created_ms, last);
    last = put->created_ms;
    const Result<SequencedPutAnswer> sequenced = Sequence(kLog7, "s", 1, 1);
    ASSERT_TRUE(sequenced.ok());
    EXPECT_GE(sequenced->created_ms, last);
    last = sequenced->created_ms;
  }
}

TEST_P(MetadataStoreConformance, VersionsOfAPartitionIncrease) {
  std::int64_t last = -1;
  const auto check = [&last](std::int64_t version) {
    EXPECT_GT(version, last);
    last = version;
  };
  check(Put(kLog7, "a", "1")->version);
  check(Put(kLog7, "b", "1")->version);
  check(Put(kLog7, "a", "2")->version);
  check(Run(store().CompareAndSet(Context(), kLog7, "a", Buffer::CopyOf("3"), last))->version);
  ASSERT_TRUE(Run(store().Delete(Context(), kLog7, "a")).ok());
  check(Create(kLog7, "a", "4")->version);
  check(Sequence(kLog7, "s", 1, 0)->version);
  check(Sequence(kLog7, "s", 1, 0)->version);
  const std::shared_ptr<MetadataSession> session = OpenSession(store());
  check(Run(store().CreateEphemeral(Context(), kLog7, "/e", Buffer(), session))->version);
}

Task<Status> PutVersions(MetadataStore& store, int count, std::vector<std::int64_t>* versions) {
  const Partition generator = Partition::OfKey("/stream-id-generator");
  for (int i = 0; i < count; ++i) {
    const Result<WriteAnswer> put = co_await store.Put(OpContext(), generator, "/stream-id-generator", Buffer());
    if (!put.ok()) co_return put.status();
    versions->push_back(put->version);
  }
  co_return OkStatus();
}

TEST_P(MetadataStoreConformance, TheVersionsOfOneKeyGenerateIds) {
  std::vector<std::int64_t> versions[4];
  std::vector<Task<Status>> tasks;
  for (int i = 0; i < 4; ++i) tasks.push_back(PutVersions(i % 2 == 0 ? store() : other(), 20, &versions[i]));
  for (const Status& status : RunAll(std::move(tasks))) ASSERT_TRUE(status.ok()) << status.ToString();
  std::set<std::int64_t> all;
  for (const auto& some : versions) {
    for (std::size_t i = 1; i < some.size(); ++i) EXPECT_GT(some[i], some[i - 1]);
    all.insert(some.begin(), some.end());
  }
  EXPECT_EQ(all.size(), 80u);
}

TEST_P(MetadataStoreConformance, CreateIfAbsent) {
  const Result<WriteAnswer> created = Create(kLog7, "k", "one");
  ASSERT_TRUE(created.ok());
  EXPECT_EQ(Create(kLog7, "k", "two").status().code(), StatusCode::kAlreadyExists);
  const ReadAnswer record = Get(kLog7, "k");
  ASSERT_TRUE(record);
  EXPECT_EQ(record->value.text(), "one");
  EXPECT_EQ(record->version, created->version);
  ASSERT_TRUE(Run(store().Delete(Context(), kLog7, "k")).ok());
  EXPECT_TRUE(Create(kLog7, "k", "three").ok());
}

Task<Status> CreateOne(MetadataStore& store, std::string value) {
  const Buffer bytes = Buffer::CopyOf(value);
  const Result<WriteAnswer> created = co_await store.CreateIfAbsent(OpContext(), kLog7, "k", bytes);
  co_return created.status();
}

TEST_P(MetadataStoreConformance, OneOfManyCreatesWins) {
  std::vector<Task<Status>> tasks;
  for (int i = 0; i < 12; ++i) tasks.push_back(CreateOne(i % 2 == 0 ? store() : other(), std::to_string(i)));
  const std::vector<Status> results = RunAll(std::move(tasks));
  int winner = -1;
  int winners = 0;
  for (int i = 0; i < 12; ++i) {
    const Status& status = results[static_cast<std::size_t>(i)];
    if (status.ok()) {
      winner = i;
      ++winners;
    } else {
      EXPECT_EQ(status.code(), StatusCode::kAlreadyExists);
    }
  }
  EXPECT_EQ(winners, 1);
  EXPECT_EQ(ValueOf(kLog7, "k"), std::to_string(winner));
}

TEST_P(MetadataStoreConformance, CompareAndSet) {
  const Result<WriteAnswer> first = Put(kLog7, "k", "one");
  ASSERT_TRUE(first.ok());
  const Result<WriteAnswer> second =
      Run(store().CompareAndSet(Context(), kLog7, "k", Buffer::CopyOf("two"), first->version));
  ASSERT_TRUE(second.ok()) << second.status().ToString();
  EXPECT_GT(second->version, first->version);
  EXPECT_EQ(ValueOf(kLog7, "k"), "two");
  EXPECT_EQ(Get(kLog7, "k")->version, second->version);

  for (const std::int64_t wrong : {first->version, second->version + 1}) {
    const Result<WriteAnswer> refused =
        Run(store().CompareAndSet(Context(), kLog7, "k", Buffer::CopyOf("three"), wrong));
    EXPECT_EQ(refused.status().code(), StatusCode::kPreconditionFailed);
  }
  EXPECT_EQ(ValueOf(kLog7, "k"), "two");
}

TEST_P(MetadataStoreConformance, CompareAndSetOfAnAbsentRecordFails) {
  const Result<WriteAnswer> never = Run(store().CompareAndSet(Context(), kLog7, "k", Buffer(), 0));
  EXPECT_EQ(never.status().code(), StatusCode::kPreconditionFailed);
  const Result<WriteAnswer> put = Put(kLog7, "k", "v");
  ASSERT_TRUE(put.ok());
  ASSERT_TRUE(Run(store().Delete(Context(), kLog7, "k")).ok());
  const Result<WriteAnswer> gone = Run(store().CompareAndSet(Context(), kLog7, "k", Buffer(), put->version));
  EXPECT_EQ(gone.status().code(), StatusCode::kPreconditionFailed);
  EXPECT_EQ(ValueOf(kLog7, "k"), "none");
}

TEST_P(MetadataStoreConformance, AVersionIsNotUsedAgainAfterDelete) {
  const Result<WriteAnswer> first = Put(kLog7, "k", "v");
  ASSERT_TRUE(first.ok());
  ASSERT_TRUE(Run(store().Delete(Context(), kLog7, "k")).ok());
  ASSERT_TRUE(Put(kLog7, "k", "v").ok());
  const Result<WriteAnswer> stale =
      Run(store().CompareAndSet(Context(), kLog7, "k", Buffer::CopyOf("w"), first->version));
  EXPECT_EQ(stale.status().code(), StatusCode::kPreconditionFailed);
  EXPECT_EQ(ValueOf(kLog7, "k"), "v");
}

Task<Status> AddOne(MetadataStore& store, int times) {
  for (int i = 0; i < times; ++i) {
    while (true) {
      const Result<ReadAnswer> read = co_await store.Get(OpContext(), kLog7, "counter");
      if (!read.ok()) co_return read.status();
      if (!*read) co_return Internal("the counter is gone");
      const MetadataRecord& record = **read;
      const Buffer next = Buffer::CopyOf(std::to_string(std::stoi(std::string(record.value.text())) + 1));
      const Result<WriteAnswer> set =
          co_await store.CompareAndSet(OpContext(), kLog7, "counter", next, record.version);
      if (set.ok()) break;
      if (set.status().code() != StatusCode::kPreconditionFailed) co_return set.status();
    }
  }
  co_return OkStatus();
}

TEST_P(MetadataStoreConformance, CompareAndSetLosesNoUpdate) {
  ASSERT_TRUE(Put(kLog7, "counter", "0").ok());
  std::vector<Task<Status>> tasks;
  for (int i = 0; i < 4; ++i) tasks.push_back(AddOne(i % 2 == 0 ? store() : other(), 8));
  for (const Status& status : RunAll(std::move(tasks))) EXPECT_TRUE(status.ok()) << status.ToString();
  EXPECT_EQ(ValueOf(kLog7, "counter"), "32");
}

TEST_P(MetadataStoreConformance, Delete) {
  ASSERT_TRUE(Put(kLog7, "a", "v").ok());
  ASSERT_TRUE(Put(kLog7, "b", "v").ok());
  EXPECT_TRUE(Run(store().Delete(Context(), kLog7, "a")).ok());
  EXPECT_EQ(ValueOf(kLog7, "a"), "none");
  EXPECT_EQ(ValueOf(kLog7, "b"), "v");
  EXPECT_TRUE(Run(store().Delete(Context(), kLog7, "a")).ok()) << "removing an absent record is ok";
}

TEST_P(MetadataStoreConformance, PutGuardedByAnEndedSessionIsFenced) {
  LS_CONFORMANCE_NEEDS(guarded_writes);
  const std::shared_ptr<MetadataSession> session = OpenSession(store());
  WriteGuard guard;
  guard.session = session;
  EXPECT_TRUE(Run(store().Put(Context(), kLog7, "k", Buffer::CopyOf("alive"), guard)).ok());
  ASSERT_TRUE(Run(session->Close(Context())).ok());
  const Result<WriteAnswer> late = Run(store().Put(Context(), kLog7, "k", Buffer::CopyOf("late"), guard));
  EXPECT_EQ(late.status().code(), StatusCode::kFenced);
  EXPECT_EQ(ValueOf(kLog7, "k"), "alive");
}

TEST_P(MetadataStoreConformance, EveryWriteHoldsItsGuard) {
  LS_CONFORMANCE_NEEDS(guarded_writes);
  const Result<WriteAnswer> kept = Put(kLog7, "k", "kept");
  ASSERT_TRUE(kept.ok());
  WriteGuard guard;
  guard.session = OpenSession(store());
  ASSERT_TRUE(Run(guard.session->Close(Context())).ok());
  const Buffer value = Buffer::CopyOf("late");
  EXPECT_EQ(Run(store().CreateIfAbsent(Context(), kLog7, "new", value, guard)).status().code(), StatusCode::kFenced);
  EXPECT_EQ(Run(store().CompareAndSet(Context(), kLog7, "k", value, kept->version, guard)).status().code(),
            StatusCode::kFenced);
  EXPECT_EQ(Run(store().Delete(Context(), kLog7, "k", guard)).code(), StatusCode::kFenced);
  EXPECT_EQ(Run(store().DeleteRange(Context(), kLog7, "a", "z", guard)).code(), StatusCode::kFenced);
  EXPECT_EQ(ValueOf(kLog7, "k"), "kept");
  EXPECT_EQ(ValueOf(kLog7, "new"), "none");
}

}  // namespace
}  // namespace lakestream
