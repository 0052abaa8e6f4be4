#include "log/holds/holds.h"

#include <gtest/gtest.h>

#include "base/try.h"
#include "meta/memory/memory_metadata_store.h"
#include "runtime/sim/sim_runtime.h"

namespace lakestream {
namespace {

class HoldsTest : public testing::Test {
 protected:
  std::string Names() {
    const auto holds = sim_.Run(ListHolds(meta_, OpContext()));
    if (!holds.ok()) return holds.status().ToString();
    std::string names;
    for (const CollectionHold& hold : *holds) names += hold.name + "=" + hold.reason + " ";
    return names;
  }
  StatusCode Add(const std::string& name, const std::string& reason) {
    return sim_.Run(AddHold(sim_.runtime(), meta_, OpContext(), name, reason)).code();
  }
  StatusCode Release(const std::string& name) { return sim_.Run(ReleaseHold(meta_, OpContext(), name)).code(); }
  void PutValue(const std::string& value) {
    const std::string key(kCollectionHoldsKey);
    ASSERT_TRUE(
        sim_.Run(meta_.Put(OpContext(), Partition::OfKey(key), key, Buffer::CopyOf(value), WriteGuard())).ok());
  }

  SimScheduler sim_{1};
  MemoryMetadataStore meta_{sim_.runtime(), MemoryMetadataOptions()};
};

TEST_F(HoldsTest, AreAddedListedAndReleased) {
  EXPECT_EQ(Names(), "");
  EXPECT_EQ(Release("a"), StatusCode::kNotFound);
  EXPECT_EQ(Add("b", "two words"), StatusCode::kOk);
  EXPECT_EQ(Add("a", "r"), StatusCode::kOk);
  EXPECT_EQ(Add("a", "again"), StatusCode::kAlreadyExists);
  EXPECT_EQ(Names(), "a=r b=two words ");
  EXPECT_EQ(Release("a"), StatusCode::kOk);
  EXPECT_EQ(Release("a"), StatusCode::kNotFound);
  EXPECT_EQ(Names(), "b=two words ");
  EXPECT_EQ(Release("b"), StatusCode::kOk);
  EXPECT_EQ(Names(), "");
  EXPECT_EQ(Add("b", "again"), StatusCode::kOk);
  EXPECT_EQ(Add("A", "r"), StatusCode::kInvalidArgument);
  EXPECT_EQ(Release("a/b"), StatusCode::kInvalidArgument);
  EXPECT_EQ(Add("c", ""), StatusCode::kInvalidArgument);
  const auto holds = sim_.Run(ListHolds(meta_, OpContext()));
  ASSERT_TRUE(holds.ok() && holds->size() == 1);
  EXPECT_EQ(holds->front().created_ms, ToMillis(sim_.runtime().clock.Wall()));
}

/// Else nobody would be stopped by one that is damaged.
TEST_F(HoldsTest, WhatCannotBeReadIsNotNone) {
  PutValue("?");
  EXPECT_EQ(sim_.Run(ListHolds(meta_, OpContext())).status().code(), StatusCode::kCorrupt);
  EXPECT_EQ(Add("a", "r"), StatusCode::kCorrupt);
  EXPECT_EQ(Release("x"), StatusCode::kCorrupt);
}

TEST_F(HoldsTest, KeepWhatLaterReleasesWrote) {
  PutValue("{\"holds\":[{\"name\":\"b\",\"reason\":\"r\",\"created_ms\":7,\"until\":8}],\"version\":2}");
  EXPECT_EQ(Add("a", "r"), StatusCode::kOk);
  EXPECT_EQ(Release("a"), StatusCode::kOk);
  const std::string key(kCollectionHoldsKey);
  const auto answer = sim_.Run(meta_.Get(OpContext(), Partition::OfKey(key), key));
  ASSERT_TRUE(answer.ok() && *answer);
  EXPECT_EQ((*answer)->value.text(),
            "{\"holds\":[{\"name\":\"b\",\"reason\":\"r\",\"created_ms\":7,\"until\":8}],\"version\":2}");
}

TEST_F(HoldsTest, ThereAreNotTooMany) {
  for (std::size_t i = 0; i < kMaxCollectionHolds; ++i) ASSERT_EQ(Add("h" + std::to_string(i), "r"), StatusCode::kOk);
  EXPECT_EQ(Add("one-more", "r"), StatusCode::kResourceExhausted);
  EXPECT_EQ(Release("h7"), StatusCode::kOk);
  EXPECT_EQ(Add("one-more", "r"), StatusCode::kOk);
}

Task<Status> AddAndRelease(SimNode& node, MetadataStore& meta, std::string name) {
  const std::string stays = name + "-stays";
  Task<Status> lasting = AddHold(node.runtime(), meta, OpContext(), stays, "r");
  LS_CO_TRY(co_await lasting);
  for (int i = 0; i < 5; ++i) {
    Task<Status> add = AddHold(node.runtime(), meta, OpContext(), name, "r");
    LS_CO_TRY(co_await add);
    Task<Status> release = ReleaseHold(meta, OpContext(), name);
    LS_CO_TRY(co_await release);
  }
  co_return OkStatus();
}

/// Nobody takes another one's hold away.
TEST_F(HoldsTest, ManyAtOnce) {
  constexpr int kClients = 8;
  std::vector<Status> ended(kClients, Internal("it has not ended"));
  for (int i = 0; i < kClients; ++i) {
    const auto client = [](SimNode& node, MetadataStore& meta, std::string name, Status* end) -> Task<void> {
      Task<Status> run = AddAndRelease(node, meta, std::move(name));
      *end = co_await run;
    };
    SimNode& node = sim_.AddNode("n" + std::to_string(i));
    node.Spawn(client(node, meta_, "c" + std::to_string(i), &ended[static_cast<std::size_t>(i)]));
  }
  ASSERT_TRUE(sim_.RunFor(std::chrono::minutes(1)).ok());
  std::string expected;
  for (int i = 0; i < kClients; ++i) {
    EXPECT_TRUE(ended[static_cast<std::size_t>(i)].ok()) << ended[static_cast<std::size_t>(i)].ToString();
    expected += "c" + std::to_string(i) + "-stays=r ";
  }
  EXPECT_EQ(Names(), expected);
}

}  // namespace
}  // namespace lakestream
