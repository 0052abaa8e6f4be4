#include <gtest/gtest.h>

#include <set>
#include <string>

#include "sim/probes/probe.h"
#include "sim/properties/property.h"
#include "sim/testing/made_history.h"

// Those who judge a run, and histories made by hand: each must say both yes and no.

namespace lakestream::sim {
namespace {

std::set<std::string> Names(const std::vector<HistoryCase>& cases) {
  std::set<std::string> names;
  for (const HistoryCase& one : cases) names.insert(one.of);
  return names;
}

TEST(Properties, EachHasAHistoryThatItRefuses) {
  std::set<std::string> properties;
  for (const Property& property : AllProperties()) properties.insert(property.name);
  EXPECT_EQ(Names(PropertyCases()), properties);
}

TEST(Properties, EachTellsTheGoodHistoryFromTheBadOne) {
  for (const HistoryCase& one : PropertyCases()) {
    SCOPED_TRACE(one.of);
    const Property* property = FindProperty(one.of);
    ASSERT_NE(property, nullptr);
    const Contradiction good = property->check(one.good().evidence);
    EXPECT_FALSE(good.has_value()) << *good;
    EXPECT_TRUE(property->check(one.bad().evidence).has_value());
  }
}

TEST(Probes, EachHasATraceThatDoesNotCount) {
  std::set<std::string> probes;
  for (const Probe& probe : AllProbes()) probes.insert(probe.name);
  EXPECT_EQ(Names(ProbeCases()), probes);
}

TEST(Probes, EachTellsATraceWithItsEventFromOneWithout) {
  for (const HistoryCase& one : ProbeCases()) {
    SCOPED_TRACE(one.of);
    const Probe* probe = FindProbe(one.of);
    ASSERT_NE(probe, nullptr);
    EXPECT_TRUE(probe->hit(one.good().evidence));
    EXPECT_FALSE(probe->hit(one.bad().evidence));
  }
}

}  // namespace
}  // namespace lakestream::sim
