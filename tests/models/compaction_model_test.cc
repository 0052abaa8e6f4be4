#include "tests/models/compaction_model.h"

#include <gtest/gtest.h>

#include <string>

namespace lakestream::models {
namespace {

constexpr std::size_t kMostStates = 300'000;
// A few seconds; with sanitizers less is enough to see that the model itself is sound.
#if defined(__SANITIZE_ADDRESS__)
constexpr std::size_t kMostSafeStates = 20'000;
#else
constexpr std::size_t kMostSafeStates = kMostStates;
#endif

std::string Words(const ModelResult& result) {
  std::string text = std::to_string(result.states) + " states";
  for (const auto& [how, way] : result.bad) {
    text += "\n" + how + ":";
    for (const std::string& step : way) text += "\n  " + step;
  }
  return text;
}

TEST(CompactionModel, TheRulesOfTheCodeAreClean) {
  for (const SafeRules& safe : AllSafeRules()) {
    const ModelResult result = ExploreCompaction(safe.rules, kMostSafeStates);
    EXPECT_TRUE(result.bad.empty()) << safe.name << ": " << Words(result);
  }
}

TEST(CompactionModel, EverythingComesToRest) {
  int small = 0;
  for (const SafeRules& safe : AllSafeRules()) {
    if (!safe.liveness || safe.rules.attempts > 1) continue;
    const ModelResult result = ExploreCompaction(safe.rules, kMostStates, true);
    EXPECT_TRUE(result.complete) << safe.name << ": otherwise nothing was asked";
    EXPECT_TRUE(result.bad.empty()) << safe.name << ": " << Words(result);
    ++small;
  }
  EXPECT_EQ(small, 2);
}

TEST(CompactionModel, EachWeakerRuleShowsItsCounterexample) {
  for (const WeakerRule& weaker : WeakerRules()) {
    const std::string breaks(weaker.breaks);
    const ModelResult result = ExploreCompaction(weaker.rules, kMostStates, weaker.liveness, breaks);
    EXPECT_TRUE(result.bad.contains(breaks)) << weaker.name << ": " << Words(result);
  }
}

TEST(CompactionModel, TheShortestWayIsToldStepByStep) {
  CompactionRules rules;
  rules.put_before_delete = false;
  rules.drop = rules.trims = false;
  const ModelResult result = ExploreCompaction(rules, kMostStates, false, "a gap at or above B");
  ASSERT_TRUE(result.bad.contains("a gap at or above B"));
  const std::vector<std::string>& way = result.bad.at("a gap at or above B");
  ASSERT_EQ(way.size(), 9u) << Words(result);
  EXPECT_EQ(way.front(), "K0: reads the record");
  EXPECT_EQ(way.back(), "K0: C4 below key 2");
}

}  // namespace
}  // namespace lakestream::models
