#include <algorithm>
#include <limits>

#include "meta/testing/metadata_store_conformance.h"

namespace lakestream {
namespace {

const Partition kLog7 = Partition::OfLog(LogId(7));
const std::string kPrefix = "00000000000000000007";
constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

TEST_P(MetadataStoreConformance, FirstSequencedPut) {
  const Result<SequencedPutAnswer> put = Sequence(kLog7, kPrefix, 3, 8, "index");
  ASSERT_TRUE(put.ok()) << put.status().ToString();
  EXPECT_EQ(put->key, "00000000000000000007-00000000000000000003-00000000000000000008");
  const ReadAnswer record = Get(kLog7, put->key);
  ASSERT_TRUE(record);
  EXPECT_EQ(record->value.text(), "index");
  EXPECT_EQ(record->version, put->version);
  EXPECT_EQ(record->created_ms, put->created_ms);
  EXPECT_FALSE(record->ephemeral);
}

TEST_P(MetadataStoreConformance, SequencedPutsAddUp) {
  EXPECT_EQ(Sequence(kLog7, kPrefix, 3, 8)->key, IndexKey(7, 3, 8));
  EXPECT_EQ(Sequence(kLog7, kPrefix, 1, 100)->key, IndexKey(7, 4, 108));
  EXPECT_EQ(Sequence(kLog7, kPrefix, 2'000'000'000, 5'000'000'000)->key, IndexKey(7, 2'000'000'004, 5'000'000'108));
  EXPECT_EQ(Keys(kLog7, IndexKey(7, 0, 0), IndexKey(8, 0, 0)).size(), 3u);
}

TEST_P(MetadataStoreConformance, SecondDeltaMayBeZero) {
  EXPECT_EQ(Sequence(kLog7, kPrefix, 3, 0)->key, IndexKey(7, 3, 0));
  EXPECT_EQ(Sequence(kLog7, kPrefix, 1, 0)->key, IndexKey(7, 4, 0));
}

TEST_P(MetadataStoreConformance, RefusedDeltasReachNothing) {
  const std::pair<std::int64_t, std::int64_t> refused[] = {{0, 1}, {-1, 1}, {1, -1}};
  for (const auto& [first, second] : refused) {
    EXPECT_EQ(Sequence(kLog7, kPrefix, first, second).status().code(), StatusCode::kInvalidArgument);
  }
  EXPECT_TRUE(Keys(kLog7, "0", "z").empty());
  EXPECT_EQ(Sequence(kLog7, kPrefix, 1, 1)->key, IndexKey(7, 1, 1));
}

TEST_P(MetadataStoreConformance, RefusedPrefixes) {
  for (const std::string& prefix : {std::string(), std::string("a/b"), std::string(460, 'x')}) {
    EXPECT_EQ(Sequence(kLog7, prefix, 1, 1).status().code(), StatusCode::kInvalidArgument) << prefix;
  }
  // 458 and the 42 bytes that follow are the 500 of the longest key.
  const Result<SequencedPutAnswer> longest = Sequence(kLog7, std::string(458, 'x'), 1, 1);
  ASSERT_TRUE(longest.ok());
  EXPECT_EQ(longest->key.size(), 500u);
}

TEST_P(MetadataStoreConformance, SequencesOfSeveralLogsAreIndependent) {
  EXPECT_EQ(Sequence(kLog7, kPrefix, 3, 8)->key, IndexKey(7, 3, 8));
  // In one partition, as logs that share a shard.
  for (const std::int64_t log : {6, 8}) {
    EXPECT_EQ(Sequence(kLog7, IndexKey(log, 0, 0).substr(0, 20), 5, 5)->key, IndexKey(log, 5, 5));
  }
  EXPECT_EQ(Sequence(kLog7, kPrefix, 1, 1)->key, IndexKey(7, 4, 9));
}

TEST_P(MetadataStoreConformance, SequenceOfAPrefixThatBeginsAnother) {
  EXPECT_EQ(Sequence(kLog7, "ab", 5, 5)->key, "ab-00000000000000000005-00000000000000000005");
  EXPECT_EQ(Sequence(kLog7, "a", 1, 1)->key, "a-00000000000000000001-00000000000000000001");
  // Sorts between "a" and "a-", and begins with "a", but is not of its sequence.
  ASSERT_TRUE(Put(kLog7, "b+x", "v").ok());
  EXPECT_EQ(Sequence(kLog7, "b", 2, 3)->key, "b-00000000000000000002-00000000000000000003");
  EXPECT_EQ(Sequence(kLog7, "ab", 1, 1)->key, "ab-00000000000000000006-00000000000000000006");
  EXPECT_EQ(Sequence(kLog7, "a", 1, 1)->key, "a-00000000000000000002-00000000000000000002");
}

TEST_P(MetadataStoreConformance, KeysWithASlashDoNotDisturbASequence) {
  for (const char* key : {"/a", "/00000000000000000007", "a/b"}) ASSERT_TRUE(Put(kLog7, key, "v").ok());
  EXPECT_EQ(Sequence(kLog7, kPrefix, 3, 8)->key, IndexKey(7, 3, 8));
  EXPECT_EQ(Sequence(kLog7, "a", 1, 1)->key, "a-00000000000000000001-00000000000000000001");
}

TEST_P(MetadataStoreConformance, ASequenceContinuesFromAnyGreatestKey) {
  ASSERT_TRUE(Put(kLog7, IndexKey(7, 100, 1'000), "put, not sequenced").ok());
  EXPECT_EQ(Sequence(kLog7, kPrefix, 1, 1)->key, IndexKey(7, 101, 1'001));
  // Fewer parts count as zero.
  ASSERT_TRUE(Put(kLog7, "s-00000000000000000009", "v").ok());
  EXPECT_EQ(Sequence(kLog7, "s", 1, 1)->key, "s-00000000000000000010-00000000000000000001");
}

TEST_P(MetadataStoreConformance, AStrangeGreatestKeyIsReportedAndNothingWritten) {
  for (const std::string& strange : {std::string("-00000000000000000001-00000000000000000001-00000000000000000001"),
                                     std::string("-1-1"), std::string("-"), std::string("-0000000000000000000x")}) {
    const std::string prefix = "t" + std::to_string(strange.size());
    ASSERT_TRUE(Put(kLog7, prefix + strange, "v").ok());
    EXPECT_EQ(Sequence(kLog7, prefix, 1, 1).status().code(), StatusCode::kCorrupt) << strange;
    EXPECT_EQ(Keys(kLog7, prefix, prefix + "~").size(), 1u);
  }
}

TEST_P(MetadataStoreConformance, SumsThatOverflowAreRefused) {
  ASSERT_TRUE(Put(kLog7, IndexKey(7, kMax - 1, kMax - 1), "v").ok());
  EXPECT_EQ(Sequence(kLog7, kPrefix, 2, 0).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(Sequence(kLog7, kPrefix, 1, 2).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(Keys(kLog7, IndexKey(7, 0, 0), IndexKey(8, 0, 0)).size(), 1u);
  EXPECT_EQ(Sequence(kLog7, kPrefix, 1, 1)->key, IndexKey(7, kMax, kMax));
  EXPECT_EQ(Sequence(kLog7, kPrefix, 1, 0).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(Keys(kLog7, IndexKey(7, 0, 0), IndexKey(8, 0, 0)).size(), 2u);
}

TEST_P(MetadataStoreConformance, RemovingLowerKeysDoesNotDisturbASequence) {
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(Sequence(kLog7, kPrefix, 1, 10).ok());
  ASSERT_TRUE(Run(store().DeleteRange(Context(), kLog7, IndexKey(7, 0, 0), IndexKey(7, 5, 0))).ok());
  EXPECT_EQ(Sequence(kLog7, kPrefix, 1, 10)->key, IndexKey(7, 6, 60));
}

TEST_P(MetadataStoreConformance, RemovingTheTailMakesASequenceGoBack) {
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(Sequence(kLog7, kPrefix, 1, 10).ok());
  ASSERT_TRUE(Run(store().Delete(Context(), kLog7, IndexKey(7, 3, 30))).ok());
  EXPECT_EQ(Sequence(kLog7, kPrefix, 5, 5)->key, IndexKey(7, 7, 25));
  ASSERT_TRUE(Run(store().DeleteRange(Context(), kLog7, IndexKey(7, 0, 0), IndexKey(8, 0, 0))).ok());
  EXPECT_EQ(Sequence(kLog7, kPrefix, 2, 2)->key, IndexKey(7, 2, 2));
}

TEST_P(MetadataStoreConformance, ABatchHasAResultForEachRequest) {
  std::vector<SequencedPutRequest> requests;
  requests.push_back(Request(kLog7, kPrefix, 1, 10));
  requests.push_back(Request(kLog7, kPrefix, 0, 10));
  requests.push_back(Request(kLog7, kPrefix, 2, 20));
  requests.push_back(Request(kLog7, "a/b", 1, 1));
  requests.push_back(Request(Partition::OfLog(LogId(8)), "00000000000000000008", 4, 4));
  const auto answers = Sequences(std::move(requests));
  ASSERT_EQ(answers.size(), 5u);
  ASSERT_TRUE(answers[0].ok() && answers[2].ok() && answers[4].ok());
  EXPECT_EQ(answers[0]->key, IndexKey(7, 1, 10));
  EXPECT_EQ(answers[1].status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(answers[2]->key, IndexKey(7, 3, 30));
  EXPECT_EQ(answers[3].status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(answers[4]->key, IndexKey(8, 4, 4));
  EXPECT_GT(answers[2]->version, answers[0]->version);
}

TEST_P(MetadataStoreConformance, AnEmptyBatchIsOk) {
  std::vector<SequencedPutRequest> none;
  EXPECT_TRUE(Sequences(std::move(none)).empty());
}

TEST_P(MetadataStoreConformance, RequestsOfOnePartitionAreDoneInOrder) {
  std::vector<SequencedPutRequest> requests;
  for (int i = 0; i < 20; ++i) requests.push_back(Request(kLog7, kPrefix, 1, i, std::to_string(i)));
  const auto answers = Sequences(std::move(requests));
  std::int64_t size = 0;
  for (int i = 0; i < 20; ++i) {
    size += i;
    const auto& answer = answers[static_cast<std::size_t>(i)];
    ASSERT_TRUE(answer.ok());
    EXPECT_EQ(answer->key, IndexKey(7, i + 1, size));
    EXPECT_EQ(ValueOf(kLog7, answer->key), std::to_string(i));
  }
}

TEST_P(MetadataStoreConformance, AdmitDropsOneRequestOfABatch) {
  std::vector<SequencedPutRequest> requests;
  std::vector<int> asked(3);
  for (std::size_t i = 0; i < 3; ++i) {
    requests.push_back(Request(kLog7, kPrefix, 1, 1));
    requests.back().admit = [&asked, i] {
      ++asked[i];
      return i == 1 ? Fenced("too old") : OkStatus();
    };
  }
  const auto answers = Sequences(std::move(requests));
  ASSERT_TRUE(answers[0].ok() && answers[2].ok());
  EXPECT_EQ(answers[1].status().code(), StatusCode::kFenced);
  EXPECT_EQ(answers[1].status().message(), "too old");
  EXPECT_EQ(answers[2]->key, IndexKey(7, 2, 2));
  EXPECT_EQ(asked, std::vector<int>({1, 1, 1}));
  EXPECT_EQ(Keys(kLog7, IndexKey(7, 0, 0), IndexKey(8, 0, 0)).size(), 2u);
}

TEST_P(MetadataStoreConformance, ARequestThatIsRefusedEarlierIsNotAdmitted) {
  int asked = 0;
  std::vector<SequencedPutRequest> requests;
  requests.push_back(Request(kLog7, kPrefix, 0, 1));
  requests.back().admit = [&asked] {
    ++asked;
    return OkStatus();
  };
  EXPECT_EQ(Sequences(std::move(requests)).front().status().code(), StatusCode::kInvalidArgument);
  EXPECT_LE(asked, 1);
}

TEST_P(MetadataStoreConformance, SequencedPutGuardedByAnEndedSessionIsFenced) {
  LS_CONFORMANCE_NEEDS(guarded_writes);
  const std::shared_ptr<MetadataSession> alive = OpenSession(store());
  const std::shared_ptr<MetadataSession> ended = OpenSession(store());
  ASSERT_TRUE(Run(ended->Close(Context())).ok());
  std::vector<SequencedPutRequest> requests;
  for (const auto& session : {alive, ended, alive}) {
    requests.push_back(Request(kLog7, kPrefix, 1, 1));
    requests.back().guard.session = session;
  }
  const auto answers = Sequences(std::move(requests));
  ASSERT_TRUE(answers[0].ok() && answers[2].ok());
  EXPECT_EQ(answers[1].status().code(), StatusCode::kFenced);
  EXPECT_EQ(answers[2]->key, IndexKey(7, 2, 2));
}

struct Got {
  std::string key;
  std::int64_t records = 0;
};

Task<Status> PutMany(MetadataStore& store, int batches, int per_batch, std::vector<Got>* got) {
  for (int b = 0; b < batches; ++b) {
    std::vector<SequencedPutRequest> requests;
    std::vector<std::int64_t> records;
    for (int i = 0; i < per_batch; ++i) {
      records.push_back(1 + (b * 7 + i * 3) % 5);
      requests.push_back(
          SequencedPutRequest{kLog7, kPrefix, records.back(), records.back() * 10, Buffer(), WriteGuard(), nullptr});
    }
    const std::vector<Result<SequencedPutAnswer>> answers =
        co_await store.SequencedPut(OpContext(), std::move(requests));
    for (std::size_t i = 0; i < answers.size(); ++i) {
      if (!answers[i].ok()) co_return answers[i].status();
      got->push_back(Got{answers[i]->key, records[i]});
    }
  }
  co_return OkStatus();
}

TEST_P(MetadataStoreConformance, ConcurrentPuttersGetAdjacentRanges) {
  std::vector<Got> got[6];
  std::vector<Task<Status>> tasks;
  for (int i = 0; i < 6; ++i) tasks.push_back(PutMany(i % 2 == 0 ? store() : other(), 8, 4, &got[i]));
  for (const Status& status : RunAll(std::move(tasks))) ASSERT_TRUE(status.ok()) << status.ToString();
  std::vector<Got> all;
  for (const auto& some : got) {
    for (std::size_t i = 1; i < some.size(); ++i) EXPECT_LT(some[i - 1].key, some[i].key);
    all.insert(all.end(), some.begin(), some.end());
  }
  std::sort(all.begin(), all.end(), [](const Got& a, const Got& b) { return a.key < b.key; });
  std::int64_t end = 0;
  for (const Got& one : all) {
    end += one.records;
    EXPECT_EQ(one.key, IndexKey(7, end, end * 10));
  }
  EXPECT_EQ(all.size(), 192u);
  EXPECT_EQ(Keys(kLog7, IndexKey(7, 0, 0), IndexKey(8, 0, 0)).size(), 192u);
}

}  // namespace
}  // namespace lakestream
