#include "meta/memory/memory_metadata_store.h"

#include <gtest/gtest.h>

#include "base/try.h"
#include "meta/testing/metadata_store_conformance.h"
#include "runtime/gate.h"
#include "runtime/testing/world.h"
#include "runtime/when_all.h"

namespace lakestream {
namespace {

class MemoryBackend final : public MetadataBackend {
 public:
  std::unique_ptr<MetadataStore> OpenClient(Runtime& runtime) override {
    return std::make_unique<MemoryMetadataStore>(runtime, shared_);
  }
  void KillClient(std::unique_ptr<MetadataStore> client) override {
    shared_->ExpireClient(static_cast<MemoryMetadataStore&>(*client).client_id());
  }

 private:
  std::shared_ptr<MemoryMetadataBackend> shared_ = std::make_shared<MemoryMetadataBackend>();
};

std::unique_ptr<MetadataBackend> NewMemory(Runtime&) { return std::make_unique<MemoryBackend>(); }

INSTANTIATE_TEST_SUITE_P(Memory, MetadataStoreConformance,
                         testing::Values(OnThreads("threads", NewMemory), OnSimulator("sim", 7, NewMemory)),
                         MetadataConformanceName);

using namespace std::chrono_literals;
const Partition kLog7 = Partition::OfLog(LogId(7));

class MemoryStoreTest : public WorldTest {
 protected:
  std::shared_ptr<MemoryMetadataBackend> backend_ = std::make_shared<MemoryMetadataBackend>();
  MemoryMetadataStore store_{runtime(), backend_};
};

Task<void> ExpiresSessions(MemoryMetadataStore& store, MemoryMetadataBackend& backend) {
  const auto first = co_await store.OpenSession(OpContext(), 10s);
  const auto second = co_await store.OpenSession(OpContext(), 10s);
  CO_ASSERT_OK(first);
  CO_ASSERT_OK(second);
  const Buffer value;
  CO_ASSERT_OK(co_await store.CreateEphemeral(OpContext(), kLog7, "/e/1", value, *first));
  CO_ASSERT_OK(co_await store.CreateEphemeral(OpContext(), kLog7, "/e/2", value, *second));
  EXPECT_EQ(backend.SessionIds().size(), 2u);
  EXPECT_TRUE(backend.ExpireSession((*first)->id()));
  EXPECT_FALSE(backend.ExpireSession((*first)->id()));
  EXPECT_FALSE((*first)->ProvablyAlive());
  EXPECT_TRUE((*second)->ProvablyAlive());
  CO_ASSERT_EQ(backend.Dump().size(), 1u);
  EXPECT_EQ(backend.Dump().front().key, "/e/2");
  backend.ExpireClient(store.client_id() + 1);
  EXPECT_EQ(backend.SessionIds().size(), 1u);
  backend.ExpireClient(store.client_id());
  EXPECT_TRUE(backend.SessionIds().empty());
  EXPECT_TRUE(backend.Dump().empty());
  EXPECT_TRUE((co_await (*first)->Close(OpContext())).ok());
}
TEST_P(MemoryStoreTest, TheStoreExpiresSessions) { Run(ExpiresSessions(store_, *backend_)); }

Task<void> HintsAreExact(MetadataStore& store, MemoryMetadataBackend& backend) {
  // A partition of the same shard and one of another.
  std::vector<Partition> others;
  for (int i = 8; others.size() < 8; ++i) others.push_back(Partition::OfLog(LogId(i)));
  const std::uint64_t before = store.ChangeHint(kLog7);
  for (const Partition& other : others) {
    const Buffer value;
    CO_ASSERT_OK(co_await store.Put(OpContext(), other, "k" + other.name(), value));
  }
  EXPECT_EQ(store.ChangeHint(kLog7), before) << "no other partition's write changes it";
  const Buffer value;
  CO_ASSERT_OK(co_await store.Put(OpContext(), kLog7, "k", value));
  EXPECT_EQ(store.ChangeHint(kLog7), before + 1);
  CO_ASSERT_OK(co_await store.Delete(OpContext(), kLog7, "absent"));
  CO_ASSERT_CODE(co_await store.CreateIfAbsent(OpContext(), kLog7, "k", value), kAlreadyExists);
  EXPECT_EQ(store.ChangeHint(kLog7), before + 1) << "what changes nothing changes no hint";
  EXPECT_EQ(backend.ChangeHint(kLog7), before + 1);
}
TEST_P(MemoryStoreTest, HintsAreExact) { Run(HintsAreExact(store_, *backend_)); }

Task<void> WaitForEver(MetadataStore& store) {
  const Status ended = co_await store.AwaitChange(OpContext(), kLog7, 0);
  ADD_FAILURE() << ended.ToString();
}
Task<Status> PutOne(MetadataStore& store) {
  const Buffer value;
  const Result<WriteAnswer> put = co_await store.Put(OpContext(), kLog7, "k", value);
  co_return put.status();
}

TEST(MemoryStoreSim, AWaiterThatIsDestroyedIsForgotten) {
  SimScheduler scheduler(1);
  MemoryMetadataStore store(scheduler.runtime());
  {
    Gate gate(scheduler.runtime());
    ASSERT_TRUE(gate.Spawn(WaitForEver(store)));
    ASSERT_TRUE(scheduler.RunUntilIdle().ok());
  }
  EXPECT_TRUE(scheduler.Run(PutOne(store)).ok());
}

Task<Status> PutTwo(MemoryMetadataStore& store, std::string prefix) {
  std::vector<SequencedPutRequest> requests;
  for (int i = 0; i < 2; ++i) {
    requests.push_back(SequencedPutRequest{kLog7, prefix, 1, 1, Buffer(), WriteGuard(), nullptr});
  }
  const auto answers = co_await store.SequencedPut(OpContext(), std::move(requests));
  for (const auto& answer : answers) LS_CO_TRY(answer.status());
  co_return OkStatus();
}
Task<void> PutSideBySide(Runtime& runtime, MemoryMetadataStore& store) {
  std::vector<Task<Status>> tasks;
  for (const char* prefix : {"a", "b", "c", "d"}) tasks.push_back(PutTwo(store, prefix));
  const std::vector<Status> ends = co_await WhenAll(runtime, std::move(tasks));
  for (const Status& end : ends) EXPECT_TRUE(end.ok()) << end.ToString();
}

TEST(MemoryStoreSim, ABatchIsNoTransaction) {
  // Some seed puts another's request between the two of one batch.
  bool interleaved = false;
  for (std::uint64_t seed = 1; seed <= 20 && !interleaved; ++seed) {
    SimScheduler scheduler(seed);
    MemoryMetadataStore store(scheduler.runtime());
    ASSERT_TRUE(scheduler.Run(PutSideBySide(scheduler.runtime(), store)).ok());
    const std::vector<MetadataRecord> records = store.backend()->Dump();
    ASSERT_EQ(records.size(), 8u);
    for (std::size_t i = 0; i < 8; i += 2) {
      interleaved = interleaved || records[i + 1].version != records[i].version + 1;
    }
  }
  EXPECT_TRUE(interleaved);
}

LS_INSTANTIATE_WORLDS(MemoryStoreTest);

}  // namespace
}  // namespace lakestream
