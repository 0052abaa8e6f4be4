#include <gtest/gtest.h>

#include <set>

#include "sim/mutants/mutant.h"
#include "sim/mutants/rule_breaker.h"
#include "sim/run.h"

namespace lakestream::sim {
namespace {

Outcome Once(const Scenario& scenario, std::uint64_t seed, RunOptions options = RunOptions()) {
  return RunSeed(scenario, seed, options);
}

TEST(Trace, AnotherSeedGivesAnother) {
  const Scenario& scenario = *FindScenario("appends");
  EXPECT_NE(Once(scenario, 5).trace_hash, Once(scenario, 6).trace_hash);
}

TEST(Trace, OneAlteredDrawGivesAnother) {
  const Scenario& scenario = *FindScenario("appends");
  const Outcome plain = Once(scenario, 5);
  ASSERT_GT(plain.draws, 1000u);
  for (const std::uint64_t draw : {std::uint64_t{1}, plain.draws / 3, plain.draws / 2, plain.draws - 1}) {
    RunOptions altered;
    altered.altered_draw = draw;
    EXPECT_NE(Once(scenario, 5, altered).trace_hash, plain.trace_hash) << draw;
  }
}

TEST(Trace, ABrokenRuleIsBrokenNoLonger) {
  const Scenario& scenario = *FindScenario("calm");
  const Outcome whole = Once(scenario, 1);
  {
    const RuleBreaker breaker(Rule::kRightPartition);
    EXPECT_NE(Once(scenario, 1).trace_hash, whole.trace_hash);
  }
  EXPECT_EQ(Once(scenario, 1).trace_hash, whole.trace_hash);
}

TEST(Mutants, OneOfEachRuleAtLeast) {
  std::set<Rule> tried;
  for (const Mutant& mutant : AllMutants()) tried.insert(mutant.rule);
  for (int rule = 1; rule <= static_cast<int>(kLastRule); ++rule) {
    EXPECT_TRUE(tried.contains(static_cast<Rule>(rule))) << "rule number " << rule << " has no mutant";
  }
}

}  // namespace
}  // namespace lakestream::sim
