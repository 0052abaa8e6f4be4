#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace lakestream::models {

/// Which of the rules of compaction hold, and which troubles there are. As it stands: the rules of the code.
struct CompactionRules {
  // The log: records 1 to `records`, of one offset each.
  int records = 3;       ///< 2 to 4
  int compacted = 0;     ///< this one is a PARQUET record from the start; 0: none
  int quarantined = 0;   ///< this one is; 0: none
  int attempts = 2;      ///< CASes to `working`, 1 to 3
  bool trims = true;
  bool drop = true;
  bool lost_answers = false;  ///< a request without an answer lands at once, at any later time, or never

  // What a weaker rule does instead.
  bool versioned_put = true;            ///< C3 is conditional on the version that its Get returned
  bool finish_by_version = true;        ///< the CAS back to `idle` is; otherwise only on what stands in the record
  bool install_by_version = true;       ///< the same of the CAS to `installing`
  bool fence_keeps_installing = true;   ///< otherwise a fence makes its files garbage
  bool range_ends_before_parquet = true;
  bool takeover_by_cas = true;          ///< otherwise whoever reads an ended owner's `installing` just installs
  bool takeover_waits_for_end = true;   ///< otherwise `installing` is taken from a living owner after work_deadline
  bool put_before_delete = true;        ///< C3 before C4
  bool working_names_files = true;      ///< otherwise files are named from `installing` on
  bool collector_reads_record_first = true;  ///< before it scans the index
  bool drop_marks_record = true;        ///< otherwise nothing ends an installation in a deleted log
};

struct ModelResult {
  std::size_t states = 0;
  bool complete = false;  ///< every state that can be reached was visited
  /// What went wrong, each with a shortest way there.
  std::map<std::string, std::vector<std::string>> bad;
};

/// Two compactors whose requests may stand still anywhere and for ever, whose sessions may end without their noticing,
/// a trimmer, a catalog that drops the log, and a collector without any grace, in every order. `liveness`: also look
/// for states from which the record never comes to rest, or files are never collected; only where all states are
/// visited. `until`: stops when this has gone wrong.
ModelResult ExploreCompaction(const CompactionRules& rules, std::size_t most_states, bool liveness = false,
                              const std::string& until = "");

/// The rules of the code in a setting of the model.
struct SafeRules {
  std::string_view name;
  CompactionRules rules;
  bool liveness = false;
};
const std::vector<SafeRules>& AllSafeRules();

/// A weaker rule, and what it must be seen to break.
struct WeakerRule {
  std::string_view name;
  std::string_view without;  ///< the rule that it is without
  CompactionRules rules;
  std::string_view breaks;   ///< a key of ModelResult::bad
  bool liveness = false;
};
const std::vector<WeakerRule>& WeakerRules();

}  // namespace lakestream::models
