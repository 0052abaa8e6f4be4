#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/broken_rule.h"

namespace lakestream::sim {

/// One broken rule of the protocol, and who must notice. A static MutantRegistration adds it to the list.
struct Mutant {
  const char* name;
  const char* says;        ///< what is done instead
  Rule rule;
  const char* scenario;
  /// Killed when one of these fails; another one does not count.
  std::vector<const char*> properties;
  std::uint64_t seeds = 20;  ///< 1 to this
};

/// By name.
const std::vector<Mutant>& AllMutants();
const Mutant* FindMutant(std::string_view name);

struct MutantRegistration {
  explicit MutantRegistration(Mutant mutant);
};

/// How a mutant fared.
struct Verdict {
  std::uint64_t killed_by_seed = 0;  ///< 0: it survived
  std::string text;                  ///< the contradiction, or why it counts as survived
};

/// Runs the seeds with the rule broken until a declared property fails; then the same seeds must pass without it. Those
/// up to `passed` are known to.
Verdict Try(const Mutant& mutant, std::uint64_t passed = 0);
/// The same in a process of its own, so that a mutant that crashes or never ends survives, and nothing else.
Verdict TryApart(const Mutant& mutant, std::uint64_t passed);

}  // namespace lakestream::sim
