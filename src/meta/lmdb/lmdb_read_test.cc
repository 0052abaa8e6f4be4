#include "meta/lmdb/testing/lmdb_test_util.h"
#include "runtime/when_all.h"

namespace lakestream {
namespace {

constexpr int kTooMany = 1'000'000;

/// Reads until `stop`, and tells how often.
Task<int> ReadUntil(MetadataStore& store, const std::atomic<bool>& stop) {
  int reads = 0;
  while (!stop.load() && reads < kTooMany) {
    Task<Result<ReadAnswer>> get = store.Get(OpContext(), TestPartition(), "a");
    const Result<ReadAnswer> answer = co_await get;
    if (!answer.ok() || !*answer) co_return -1;
    ++reads;
  }
  co_return reads;
}

Task<int> Set(std::atomic<bool>& flag) {
  flag.store(true);
  co_return 0;
}

TEST(LmdbReadTest, ALoopOfReadsLetsOthersRun) {
  TempDirectory directory;
  LmdbClient client(directory.path());
  ASSERT_TRUE(client.Put("a", "1").ok());
  std::atomic<bool> stop{false};
  std::vector<Task<int>> tasks;
  tasks.push_back(ReadUntil(client.store(), stop));
  // Starts on the same thread, once the loop before it suspends.
  tasks.push_back(Set(stop));
  const std::vector<int> results = Wait(WhenAll(client.runtime(), std::move(tasks)));
  EXPECT_GT(results[0], 0);
  EXPECT_LT(results[0], kTooMany);
}

}  // namespace
}  // namespace lakestream
