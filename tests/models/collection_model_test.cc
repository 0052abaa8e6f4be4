#include "tests/models/collection_model.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace lakestream::models {
namespace {

constexpr std::size_t kMost = 1'000'000;

TEST(CollectionModel, TheRulesOfTheCodeAreClean) {
  for (SafeCollection safe : AllSafeCollections()) {
    // Two collectors are 3.5 million states each: lakestream-models visits them.
    safe.rules.collectors = 1;
    const ModelResult result = ExploreCollection(safe.rules, kMost);
    EXPECT_TRUE(result.complete) << safe.name;
    EXPECT_GT(result.states, 10'000u) << safe.name;
    for (const auto& [how, way] : result.bad) {
      EXPECT_NE(std::find(safe.but.begin(), safe.but.end(), how), safe.but.end()) << safe.name << ": " << how;
    }
    EXPECT_EQ(result.bad.size(), safe.but.size()) << safe.name;
  }
}

TEST(CollectionModel, EachWeakerRuleShowsItsCounterexample) {
  for (const WeakerCollection& weaker : WeakerCollections()) {
    const std::string breaks(weaker.breaks);
    EXPECT_TRUE(ExploreCollection(weaker.rules, kMost, breaks).bad.contains(breaks)) << weaker.name;
  }
}

}  // namespace
}  // namespace lakestream::models
