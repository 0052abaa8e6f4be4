#include "log/isolation/isolation.h"

#include <gtest/gtest.h>

#include "format/log_isolation.h"
#include "meta/memory/memory_metadata_store.h"
#include "runtime/sim/sim_runtime.h"

namespace lakestream {
namespace {

class IsolationTest : public testing::Test {
 protected:
  std::vector<LogId> Listed() {
    const auto logs = sim_.Run(ListIsolated(meta_, OpContext()));
    EXPECT_TRUE(logs.ok()) << logs.status().ToString();
    return logs.ok() ? *logs : std::vector<LogId>();
  }
  bool Begin(std::int64_t log) { return *sim_.Run(Isolate(meta_, OpContext(), LogId(log))); }
  bool End(std::int64_t log) { return *sim_.Run(EndIsolation(meta_, OpContext(), LogId(log))); }

  SimScheduler sim_{1};
  MemoryMetadataStore meta_{sim_.runtime(), MemoryMetadataOptions()};
};

TEST_F(IsolationTest, BeginsAndEnds) {
  EXPECT_EQ(Listed(), std::vector<LogId>());
  EXPECT_TRUE(Begin(10));
  EXPECT_TRUE(Begin(9));
  EXPECT_FALSE(Begin(10));
  EXPECT_EQ(Listed(), (std::vector<LogId>{LogId(9), LogId(10)}));
  EXPECT_TRUE(End(10));
  EXPECT_FALSE(End(10));
  EXPECT_EQ(Listed(), std::vector<LogId>{LogId(9)});
}

TEST_F(IsolationTest, ListsEveryPage) {
  std::vector<LogId> all;
  for (std::int64_t log = 0; log < 2500; ++log) {
    ASSERT_TRUE(Begin(log));
    all.push_back(LogId(log));
  }
  EXPECT_EQ(Listed(), all);
}

TEST_F(IsolationTest, WhatIsNoLogIsPassedOver) {
  const Partition here = Partition::Named(kLogIsolationPartition);
  ASSERT_TRUE(sim_.Run(meta_.Put(OpContext(), here, "/lakestream/isolated/x", Buffer::CopyOf("1"), WriteGuard())).ok());
  ASSERT_TRUE(Begin(3));
  EXPECT_EQ(Listed(), std::vector<LogId>{LogId(3)});
}

}  // namespace
}  // namespace lakestream
