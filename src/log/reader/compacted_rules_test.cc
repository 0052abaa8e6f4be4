#include <gtest/gtest.h>

#include "log/reader/testing/compacted_world.h"
#include "sim/mutants/rule_breaker.h"

// Each rule of reading compacted objects, broken: what a reader then answers is wrong, and shows.

namespace lakestream {
namespace {

const LogId kLog(7);

class CompactedRules : public testing::Test {
 protected:
  void SetUp() override {
    for (int i = 0; i < 5; ++i) {
      world_.Append(kLog, "o" + std::to_string(i), {{2, "a"}, {2, "b"}});
      ASSERT_TRUE(world_.sim.RunFor(std::chrono::seconds(1)).ok());
    }
    draft_ = world_.Draft(kLog, 0, 16, {8});
  }

  /// What `look` says with the rule and without it.
  template <class Look>
  void ExpectDifference(Rule rule, Look look) {
    const std::string whole = look();
    {
      const RuleBreaker breaker(rule);
      EXPECT_NE(look(), whole);
    }
    EXPECT_EQ(look(), whole);
  }

  CompactedWorld world_;
  CompactedDraft draft_;
};

TEST_F(CompactedRules, TheSerdeTypeIsChecked) {
  draft_.files[0].serde_type = "KAFKA_PARQUET";
  world_.Install(draft_);
  ExpectDifference(Rule::kSerdeTypeIsChecked, [&] { return world_.FreshText(kLog, 0); });
}

TEST_F(CompactedRules, TimesAreThoseOfTheRows) {
  world_.Install(draft_);
  ExpectDifference(Rule::kTimestampFromTheRow, [&] {
    return std::to_string(world_.ReadWith(*world_.Fresh(), kLog, 0)->entries[0].header.timestamp_ms);
  });
}

TEST_F(CompactedRules, TheMarkerHidesWithinARange) {
  world_.Install(draft_);
  world_.SetMarker(kLog, 6);
  ExpectDifference(Rule::kMarkerHidesWithinARange, [&] { return world_.FreshText(kLog, 0); });
}

TEST_F(CompactedRules, TimeIsSearchedByTheGreatestSoFar) {
  const std::int64_t last = draft_.files[1].rows[3].timestamp_ms;
  draft_.files[1].rows[0].timestamp_ms = last;
  world_.Install(draft_);
  ExpectDifference(Rule::kTimeSearchByTheGreatestSoFar, [&] {
    const std::unique_ptr<LogReader> reader = world_.Fresh();
    return std::to_string(world_.sim.Run(reader->FindTime(OpContext(), kLog, last))->value());
  });
}

TEST_F(CompactedRules, AMissingFileIsLookedUpAgain) {
  world_.Install(draft_);
  world_.SetMarker(kLog, 8);
  world_.RemoveCompacted(draft_.PathOf(0));
  ExpectDifference(Rule::kMissingFileIsLookedUpAgain, [&] {
    LateMarker meta(world_.memory_meta);
    LogReader reader(world_.sim.runtime(), meta, world_.objects, world_.compacted, world_.homes, ReaderOptions());
    return ReaderWorld::Text(world_.ReadWith(reader, kLog, 0));
  });
}

TEST_F(CompactedRules, ARowHoldsItsOffset) {
  world_.Install(draft_);
  ExpectDifference(Rule::kRowHoldsItsOffset, [&] { return world_.FreshText(kLog, 5); });
}

}  // namespace
}  // namespace lakestream
