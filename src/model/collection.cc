#include "model/collection.h"

#include <algorithm>

#include "base/broken_rule.h"

namespace lakestream::model {

bool IsOldEnough(Duration age, Duration grace) {
  if (Broken(Rule::kCandidateIsOld)) return true;
  return age > grace;
}

ObjectVerdict JudgeObject(const ObjectFacts& facts, Duration grace) {
  if (!facts.ours && !Broken(Rule::kForeignObjectsStay)) return ObjectVerdict::kForeign;
  if (facts.named) {
    const bool kept = facts.waited.has_value() && Broken(Rule::kNamedIsNoCandidate);
    return kept ? ObjectVerdict::kCandidate : ObjectVerdict::kNamed;
  }
  if (!IsOldEnough(facts.age, grace)) return ObjectVerdict::kYoung;
  if (Broken(Rule::kDeletedByALaterPass)) return ObjectVerdict::kGarbage;
  if (!facts.waited) return ObjectVerdict::kCandidate;
  if (Broken(Rule::kDeletedAfterGrace)) return ObjectVerdict::kGarbage;
  return *facts.waited > grace ? ObjectVerdict::kGarbage : ObjectVerdict::kCandidate;
}

std::string_view ObjectVerdictName(ObjectVerdict verdict) {
  switch (verdict) {
    case ObjectVerdict::kForeign: return "foreign";
    case ObjectVerdict::kNamed: return "named";
    case ObjectVerdict::kYoung: return "young";
    case ObjectVerdict::kCandidate: return "candidate";
    case ObjectVerdict::kGarbage: return "garbage";
  }
  return "unknown";
}

bool IsComplete(const PassFacts& facts) {
  if (Broken(Rule::kIncompletePassesCountNothing)) return true;
  return facts.listed && facts.work_read && facts.index_scanned && facts.clocks_agree;
}

Duration ClockTolerance(Duration grace) { return std::min<Duration>(grace / 10, std::chrono::hours(1)); }

bool ClocksAgree(WallTime metadata_store, WallTime object_store, Duration grace) {
  if (Broken(Rule::kClocksAgree)) return true;
  // Compared one by one: times a year apart do not overflow, and centuries would.
  const Duration tolerance = ClockTolerance(grace);
  return metadata_store <= object_store + tolerance && object_store <= metadata_store + tolerance;
}

Duration RanAhead(const PassMoment& before, const PassMoment& after) {
  if (!before.boot || !after.boot || Broken(Rule::kWaitIsByTheSmallerClock)) return Duration::zero();
  const Duration by_store = after.by_store - before.by_store;
  const Duration by_boot = *after.boot - *before.boot;
  return std::max(by_store - by_boot, Duration::zero());
}

Duration Waited(WallTime since, WallTime started) { return started - since; }

bool MayMarkDropped(const DroppedFacts& facts) {
  if (Broken(Rule::kDroppedOnlyAfterItsIndex)) return facts.fenced;
  return facts.fenced && !facts.registered && !facts.leased && !facts.indexed;
}

}  // namespace lakestream::model
