#include "log/deployment/epoch_guard.h"

#include <gtest/gtest.h>

#include "meta/memory/memory_metadata_store.h"
#include "runtime/sim/sim_runtime.h"

namespace lakestream {
namespace {

class EpochGuardTest : public testing::Test {
 protected:
  EpochGuardTest() { record_.deployment_id = "3f2b8f5e-1c2d-4e3f-8a9b-0c1d2e3f4a5b"; }
  void Store(const DeploymentRecord& record) {
    const std::string key(kDeploymentKey);
    ASSERT_TRUE(sim_.Run(backend_.Put(OpContext(), Partition::OfKey(key), key,
                                      Buffer::CopyOf(*EncodeDeploymentRecord(record)), WriteGuard()))
                    .ok());
  }
  Status Open(EpochGuard& guard) {
    return sim_.Run(guard.OpenSession(OpContext(), std::chrono::seconds(10))).status();
  }

  SimScheduler sim_{1};
  MemoryMetadataStore backend_{sim_.runtime(), MemoryMetadataOptions()};
  DeploymentRecord record_;
};

TEST_F(EpochGuardTest, SessionsBeginWhileTheEpochIsTheSame) {
  Store(record_);
  EpochGuard guard(backend_, record_);
  EXPECT_TRUE(Open(guard).ok());
  // Whatever else changes.
  DeploymentRecord other = record_;
  other.grace_ms *= 2;
  Store(other);
  EXPECT_TRUE(Open(guard).ok());
}

TEST_F(EpochGuardTest, AnotherEpochOrDeploymentIsFenced) {
  EpochGuard guard(backend_, record_);
  EXPECT_EQ(Open(guard).code(), StatusCode::kFenced);
  DeploymentRecord other = record_;
  other.epoch = 7;
  Store(other);
  const Status refused = Open(guard);
  EXPECT_EQ(refused.code(), StatusCode::kFenced);
  EXPECT_NE(refused.message().find("epoch=7 opened_with_epoch=1"), std::string_view::npos) << refused.ToString();
  other = record_;
  other.deployment_id[0] = '0';
  Store(other);
  EXPECT_EQ(Open(guard).code(), StatusCode::kFenced);
}

TEST_F(EpochGuardTest, NoSessionIsLeftBehind) {
  DeploymentRecord other = record_;
  other.epoch = 2;
  Store(other);
  auto backend = std::make_shared<MemoryMetadataBackend>(MemoryMetadataOptions());
  MemoryMetadataStore store(sim_.runtime(), backend);
  EpochGuard guard(store, record_);
  EXPECT_EQ(Open(guard).code(), StatusCode::kFenced);
  EXPECT_TRUE(backend->SessionIds().empty());
}

}  // namespace
}  // namespace lakestream
