#include "log/holds/holds.h"

#include <gtest/gtest.h>

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
    for (const HoldListing& hold : *holds) names += hold.name + "=" + hold.reason + " ";
    return names;
  }
  StatusCode Add(const std::string& name, const std::string& reason) {
    return sim_.Run(AddHold(meta_, OpContext(), name, reason)).code();
  }
  StatusCode Release(const std::string& name) { return sim_.Run(ReleaseHold(meta_, OpContext(), name)).code(); }

  SimScheduler sim_{1};
  MemoryMetadataStore meta_{sim_.runtime(), MemoryMetadataOptions()};
};

TEST_F(HoldsTest, AreAddedListedAndReleased) {
  EXPECT_EQ(Names(), "");
  EXPECT_EQ(Add("b", "two words"), StatusCode::kOk);
  EXPECT_EQ(Add("a", "r"), StatusCode::kOk);
  EXPECT_EQ(Add("a", "again"), StatusCode::kAlreadyExists);
  EXPECT_EQ(Names(), "a=r b=two words ");
  EXPECT_EQ(Release("a"), StatusCode::kOk);
  EXPECT_EQ(Release("a"), StatusCode::kNotFound);
  EXPECT_EQ(Names(), "b=two words ");
  EXPECT_EQ(Add("A", "r"), StatusCode::kInvalidArgument);
  EXPECT_EQ(Release("a/b"), StatusCode::kInvalidArgument);
  EXPECT_EQ(Add("c", ""), StatusCode::kInvalidArgument);
}

TEST_F(HoldsTest, OneThatCannotBeReadHolds) {
  const std::string key = "/lakestream/holds/x";
  ASSERT_TRUE(
      sim_.Run(meta_.Put(OpContext(), Partition::OfKey(key), key, Buffer::CopyOf("?"), WriteGuard())).ok());
  EXPECT_EQ(Names(), "x= ");
  EXPECT_EQ(Release("x"), StatusCode::kOk);
}

}  // namespace
}  // namespace lakestream
