#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tests/models/compaction_model.h"

namespace lakestream::models {

/// Which of the rules of the collector, and of the writer beside it, hold. As it stands: the rules of the code.
struct CollectionRules {
  bool atomic_age_check = true;  ///< the writer's age check and its index put are one step, as in LMDB; not so in Oxia
  int collectors = 2;            ///< 1 or 2; the first one makes `passes` passes, the second one
  int passes = 2;

  // What a weaker rule does instead.
  bool candidates_are_old = true;    ///< otherwise whatever nothing names is a candidate, however young
  bool later_pass_deletes = true;    ///< otherwise the first pass that finds it unnamed does
  bool waits_for_the_grace = true;   ///< otherwise the next pass deletes it
  bool listed_is_scanned = true;     ///< a pass that fails to scan the index deletes nothing
  bool late_answers_are_damage = true;  ///< otherwise a writer asks whether the object is there, and acknowledges
};

/// A writer and a compactor that may stand still anywhere, collectors that may, one object, and time that goes on in
/// steps of a third of the grace, in every order; each pass judges by model::JudgeObject. `until`: stops when this has
/// gone wrong.
ModelResult ExploreCollection(const CollectionRules& rules, std::size_t most_states, const std::string& until = "");

struct SafeCollection {
  std::string_view name;
  CollectionRules rules;
  std::vector<std::string> but;  ///< what may go wrong all the same: keys of ModelResult::bad
};
const std::vector<SafeCollection>& AllSafeCollections();

struct WeakerCollection {
  std::string_view name;
  std::string_view without;  ///< the rule that it is without
  CollectionRules rules;
  std::string_view breaks;   ///< a key of ModelResult::bad
};
const std::vector<WeakerCollection>& WeakerCollections();

}  // namespace lakestream::models
