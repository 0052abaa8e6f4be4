#pragma once

#include "base/broken_rule.h"

namespace lakestream {

/// Breaks a rule of the protocol for as long as this lives. One at a time. For the simulator and for tests: a house
/// rule keeps it out of everything else.
class RuleBreaker {
 public:
  explicit RuleBreaker(Rule rule) { BrokenRule::now_ = rule; }
  ~RuleBreaker() { BrokenRule::now_ = Rule::kNone; }
  RuleBreaker(const RuleBreaker&) = delete;
  RuleBreaker& operator=(const RuleBreaker&) = delete;
};

}  // namespace lakestream
