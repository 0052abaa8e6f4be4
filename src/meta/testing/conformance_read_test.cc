#include "meta/testing/metadata_store_conformance.h"
#include "runtime/when_all.h"

namespace lakestream {
namespace {

constexpr KeyComparison kEqual = KeyComparison::kEqual;
constexpr KeyComparison kFloor = KeyComparison::kFloor;
constexpr KeyComparison kCeiling = KeyComparison::kCeiling;
constexpr KeyComparison kHigher = KeyComparison::kHigher;
const Partition kLog7 = Partition::OfLog(LogId(7));

TEST_P(MetadataStoreConformance, ReadOfAnEmptyStoreFindsNothing) {
  for (const KeyComparison comparison : {kEqual, kFloor, kCeiling, kHigher}) {
    EXPECT_EQ(KeyOf(kLog7, "k", comparison), "none");
  }
}

TEST_P(MetadataStoreConformance, ReadComparisons) {
  for (const char* key : {"b", "d", "f"}) ASSERT_TRUE(Put(kLog7, key, key).ok());
  EXPECT_EQ(KeyOf(kLog7, "d", kEqual), "d");
  EXPECT_EQ(KeyOf(kLog7, "c", kEqual), "none");
  EXPECT_EQ(KeyOf(kLog7, "d", kFloor), "d");
  EXPECT_EQ(KeyOf(kLog7, "e", kFloor), "d");
  EXPECT_EQ(KeyOf(kLog7, "d", kCeiling), "d");
  EXPECT_EQ(KeyOf(kLog7, "c", kCeiling), "d");
  EXPECT_EQ(KeyOf(kLog7, "d", kHigher), "f");
  EXPECT_EQ(KeyOf(kLog7, "c", kHigher), "d");
  // Bytes decide, not lengths: "dd" is between "d" and "e".
  ASSERT_TRUE(Put(kLog7, "dd", "dd").ok());
  EXPECT_EQ(KeyOf(kLog7, "d", kHigher), "dd");
  EXPECT_EQ(KeyOf(kLog7, "e", kFloor), "dd");
}

TEST_P(MetadataStoreConformance, ReadGivesTheWholeRecord) {
  const Result<WriteAnswer> put = Put(kLog7, "k", "value");
  ASSERT_TRUE(put.ok());
  const std::pair<const char*, KeyComparison> reads[] = {
      {"k", kEqual}, {"z", kFloor}, {"a", kCeiling}, {"a", kHigher}};
  for (const auto& [key, comparison] : reads) {
    const ReadAnswer record = Read(kLog7, key, comparison);
    ASSERT_TRUE(record);
    EXPECT_EQ(record->key, "k");
    EXPECT_EQ(record->value.text(), "value");
    EXPECT_EQ(record->version, put->version);
    EXPECT_EQ(record->created_ms, put->created_ms);
    EXPECT_FALSE(record->ephemeral);
  }
}

TEST_P(MetadataStoreConformance, ReadBeyondTheEnds) {
  for (const char* key : {"b", "d"}) ASSERT_TRUE(Put(kLog7, key, key).ok());
  EXPECT_EQ(KeyOf(kLog7, "a", kFloor), "none");
  EXPECT_EQ(KeyOf(kLog7, "z", kCeiling), "none");
  EXPECT_EQ(KeyOf(kLog7, "d", kHigher), "none");
  EXPECT_EQ(KeyOf(kLog7, "a", kCeiling), "b");
  EXPECT_EQ(KeyOf(kLog7, "z", kFloor), "d");
}

TEST_P(MetadataStoreConformance, KeysWithASlashComeAfterAllOthers) {
  // '.' and '-' sort below '/', '0' above it; none of that counts against the class of the key.
  for (const char* key : {"/m", "z", "a.b", "/a", "0"}) ASSERT_TRUE(Put(kLog7, key, key).ok());
  EXPECT_EQ(KeyOf(kLog7, "z", kHigher), "/a");
  EXPECT_EQ(KeyOf(kLog7, "zz", kCeiling), "/a");
  EXPECT_EQ(KeyOf(kLog7, "/A", kFloor), "z");
  EXPECT_EQ(KeyOf(kLog7, "/a", kHigher), "/m");
  EXPECT_EQ(KeyOf(kLog7, "/z", kHigher), "none");
  EXPECT_EQ(KeyOf(kLog7, "/l", kFloor), "/a");
  EXPECT_EQ(KeyOf(kLog7, "0", kHigher), "a.b");
  EXPECT_EQ(KeyOf(kLog7, "a", kHigher), "a.b");
}

TEST_P(MetadataStoreConformance, KeyOrderIsByUnsignedBytes) {
  const std::string latin = "k\xc3\xa9";  // above every ASCII byte
  const std::string zero("k\0", 2);
  for (const std::string& key : {latin, zero, std::string("k"), std::string("kz")}) {
    ASSERT_TRUE(Put(kLog7, key, "v").ok());
  }
  EXPECT_EQ(KeyOf(kLog7, "k", kHigher), zero);
  EXPECT_EQ(KeyOf(kLog7, zero, kHigher), "kz");
  EXPECT_EQ(KeyOf(kLog7, "kz", kHigher), latin);
  EXPECT_EQ(KeyOf(kLog7, latin, kHigher), "none");
}

TEST_P(MetadataStoreConformance, LookupsMeetTheKeysOfOtherLogs) {
  // One partition stands for a shard that several logs share.
  for (const std::int64_t log : {6, 7, 8}) ASSERT_TRUE(Put(kLog7, IndexKey(log, 10, 100), "i").ok());
  const std::int64_t max = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(KeyOf(kLog7, IndexKey(7, max, max), kFloor), IndexKey(7, 10, 100));
  EXPECT_EQ(KeyOf(kLog7, IndexKey(7, 0, 0), kFloor), IndexKey(6, 10, 100));
  EXPECT_EQ(KeyOf(kLog7, IndexKey(7, 10, max), kHigher), IndexKey(8, 10, 100));
  EXPECT_EQ(KeyOf(kLog7, IndexKey(7, 9, max), kHigher), IndexKey(7, 10, 100));
}

TEST_P(MetadataStoreConformance, LookupsMeetOtherKeysBehindTheIndexKeys) {
  const std::int64_t max = std::numeric_limits<std::int64_t>::max();
  const std::string published = "compact-offset-00000000000000000007";
  ASSERT_TRUE(Put(kLog7, IndexKey(7, 10, 100), "i").ok());
  ASSERT_TRUE(Put(kLog7, published, "{}").ok());
  ASSERT_TRUE(Put(kLog7, "/mark-deleted-offsets/7", "0").ok());
  EXPECT_EQ(KeyOf(kLog7, IndexKey(7, 10, max), kHigher), published);
  EXPECT_EQ(KeyOf(kLog7, IndexKey(9, 0, 0), kFloor), IndexKey(7, 10, 100));
  EXPECT_EQ(KeyOf(kLog7, published, kHigher), "/mark-deleted-offsets/7");
  EXPECT_EQ(KeyOf(kLog7, "/a", kFloor), published);
}

TEST_P(MetadataStoreConformance, ReadBatchAnswersEachRequestInItsPlace) {
  ASSERT_TRUE(Put(kLog7, "b", "1").ok());
  ASSERT_TRUE(Put(kLog7, "/m", "2").ok());
  std::vector<ReadRequest> requests = {{kLog7, "/m", kEqual},  {kLog7, "a", kEqual},  {kLog7, "a", kHigher},
                                       {kLog7, "b", kCeiling}, {kLog7, "c", kFloor}, {kLog7, "/m", kEqual}};
  const Result<std::vector<ReadAnswer>> answers = Run(store().Read(Context(), std::move(requests)));
  ASSERT_TRUE(answers.ok()) << answers.status().ToString();
  ASSERT_EQ(answers->size(), 6u);
  const char* expected[] = {"/m", nullptr, "b", "b", "b", "/m"};
  for (std::size_t i = 0; i < 6; ++i) {
    const ReadAnswer& answer = (*answers)[i];
    EXPECT_EQ(answer ? answer->key : "none", expected[i] ? expected[i] : "none") << i;
  }
}

TEST_P(MetadataStoreConformance, ReadOfNothingIsOk) {
  std::vector<ReadRequest> none;
  const Result<std::vector<ReadAnswer>> answers = Run(store().Read(Context(), std::move(none)));
  ASSERT_TRUE(answers.ok());
  EXPECT_TRUE(answers->empty());
}

TEST_P(MetadataStoreConformance, ReadBatchOverSeveralPartitions) {
  const std::optional<Partition> elsewhere = ElsewhereThan(kLog7);
  ASSERT_TRUE(elsewhere);
  ASSERT_TRUE(Put(kLog7, "k", "here").ok());
  ASSERT_TRUE(Put(*elsewhere, "k", "there").ok());
  std::vector<ReadRequest> requests = {{*elsewhere, "k", kEqual}, {kLog7, "k", kEqual}, {*elsewhere, "a", kHigher}};
  const Result<std::vector<ReadAnswer>> answers = Run(store().Read(Context(), std::move(requests)));
  ASSERT_TRUE(answers.ok());
  ASSERT_EQ(answers->size(), 3u);
  for (const ReadAnswer& answer : *answers) ASSERT_TRUE(answer);
  EXPECT_EQ((*answers)[0]->value.text(), "there");
  EXPECT_EQ((*answers)[1]->value.text(), "here");
  EXPECT_EQ((*answers)[2]->value.text(), "there");
}

/// Writes the number i to "a" and then to "b", for i from 1 to `rounds`.
Task<Status> WriteInOrder(MetadataStore& store, int rounds, std::shared_ptr<bool> done) {
  for (int i = 1; i <= rounds; ++i) {
    for (const char* key : {"a", "b"}) {
      const Buffer value = Buffer::CopyOf(std::to_string(i));
      const Result<WriteAnswer> put = co_await store.Put(OpContext(), kLog7, key, value);
      if (!put.ok()) co_return put.status();
    }
  }
  *done = true;
  co_return OkStatus();
}

/// One snapshot shows "a" equal to "b" or one ahead, whichever is asked for first.
Task<Status> CheckSnapshots(MetadataStore& store, int reads) {
  for (int i = 0; i < reads; ++i) {
    std::vector<ReadRequest> requests;
    for (const char* key : {"a", "b", "a"}) requests.push_back(ReadRequest{kLog7, key, kEqual});
    const Result<std::vector<ReadAnswer>> answers = co_await store.Read(OpContext(), std::move(requests));
    if (!answers.ok()) co_return answers.status();
    int seen[3] = {};
    for (std::size_t j = 0; j < 3; ++j) {
      const ReadAnswer& answer = (*answers)[j];
      seen[j] = answer ? std::stoi(std::string(answer->value.text())) : 0;
    }
    const int ahead = seen[0] - seen[1];
    if (ahead < 0 || ahead > 1 || seen[0] != seen[2]) {
      co_return Internal("torn").With("a", seen[0]).With("b", seen[1]).With("a_again", seen[2]);
    }
  }
  co_return OkStatus();
}

TEST_P(MetadataStoreConformance, ReadBatchOfOnePartitionIsOneSnapshot) {
  const auto done = std::make_shared<bool>(false);
  std::vector<Task<Status>> tasks;
  tasks.push_back(WriteInOrder(store(), 60, done));
  for (int i = 0; i < 3; ++i) tasks.push_back(CheckSnapshots(other(), 100));
  for (const Status& status : RunAll(std::move(tasks))) EXPECT_TRUE(status.ok()) << status.ToString();
  EXPECT_TRUE(*done);
}

TEST_P(MetadataStoreConformance, WrongPartitionFindsNothing) {
  const std::optional<Partition> wrong = ElsewhereThan(kLog7);
  ASSERT_TRUE(wrong);
  ASSERT_TRUE(Put(kLog7, "m", "v").ok());
  ASSERT_TRUE(Put(kLog7, "/m", "v").ok());
  for (const char* key : {"m", "/m"}) EXPECT_EQ(KeyOf(*wrong, key, kEqual), "none");
  EXPECT_EQ(KeyOf(*wrong, "/z", kFloor), "none");
  EXPECT_EQ(KeyOf(*wrong, "a", kCeiling), "none");
  EXPECT_EQ(KeyOf(*wrong, "a", kHigher), "none");
  EXPECT_TRUE(Keys(*wrong, "a", "z").empty());
  EXPECT_TRUE(Records(*wrong, "/a", "/z").empty());
}

TEST_P(MetadataStoreConformance, WrongPartitionChangesNothing) {
  const std::optional<Partition> wrong = ElsewhereThan(kLog7);
  ASSERT_TRUE(wrong);
  const Result<WriteAnswer> put = Put(kLog7, "m", "v");
  ASSERT_TRUE(put.ok());
  EXPECT_TRUE(Run(store().Delete(Context(), *wrong, "m")).ok());
  EXPECT_TRUE(Run(store().DeleteRange(Context(), *wrong, "a", "z")).ok());
  const Result<WriteAnswer> swapped =
      Run(store().CompareAndSet(Context(), *wrong, "m", Buffer::CopyOf("w"), put->version));
  EXPECT_EQ(swapped.status().code(), StatusCode::kPreconditionFailed);
  EXPECT_TRUE(Create(*wrong, "m", "another record").ok());
  EXPECT_EQ(ValueOf(kLog7, "m"), "v");
  EXPECT_EQ(ValueOf(*wrong, "m"), "another record");
}

TEST_P(MetadataStoreConformance, PartitionsOfOneShardShareTheirRecords) {
  const std::optional<Partition> same = SameShardAs(kLog7);
  ASSERT_TRUE(same);
  ASSERT_TRUE(Put(kLog7, "m", "v").ok());
  EXPECT_EQ(ValueOf(*same, "m"), "v");
  EXPECT_EQ(KeyOf(*same, "z", kFloor), "m");
  EXPECT_EQ(Keys(*same, "a", "z"), std::vector<std::string>({"m"}));
  EXPECT_EQ(Create(*same, "m", "w").status().code(), StatusCode::kAlreadyExists);
  EXPECT_TRUE(Run(store().DeleteRange(Context(), *same, "a", "z")).ok());
  EXPECT_EQ(ValueOf(kLog7, "m"), "none");
}

TEST_P(MetadataStoreConformance, ASecondClientSeesWhatWasAcknowledged) {
  ASSERT_TRUE(Put(kLog7, "k", "one").ok());
  Result<ReadAnswer> seen = Run(other().Get(Context(), kLog7, "k"));
  ASSERT_TRUE(seen.ok() && *seen);
  EXPECT_EQ((*seen)->value.text(), "one");
  ASSERT_TRUE(Run(other().Put(Context(), kLog7, "k", Buffer::CopyOf("two"))).ok());
  EXPECT_EQ(ValueOf(kLog7, "k"), "two");
}

TEST_P(MetadataStoreConformance, RecordsOutliveTheirClient) {
  const Result<WriteAnswer> put = Put(kLog7, "k", "kept");
  ASSERT_TRUE(put.ok());
  ASSERT_TRUE(Sequence(kLog7, IndexKey(7, 0, 0).substr(0, 20), 3, 8).ok());
  Reopen();
  const ReadAnswer record = Get(kLog7, "k");
  ASSERT_TRUE(record);
  EXPECT_EQ(record->value.text(), "kept");
  EXPECT_EQ(record->version, put->version);
  EXPECT_EQ(record->created_ms, put->created_ms);
  const Result<SequencedPutAnswer> next = Sequence(kLog7, IndexKey(7, 0, 0).substr(0, 20), 1, 1);
  ASSERT_TRUE(next.ok());
  EXPECT_EQ(next->key, IndexKey(7, 4, 9));
  EXPECT_GT(next->version, put->version);
  EXPECT_GE(next->created_ms, put->created_ms);
}

}  // namespace
}  // namespace lakestream
