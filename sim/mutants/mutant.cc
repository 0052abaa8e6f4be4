#include "sim/mutants/mutant.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "base/invariant.h"
#include "sim/mutants/rule_breaker.h"
#include "sim/properties/property.h"
#include "sim/run.h"

namespace lakestream::sim {
namespace {

/// A run takes a fraction of a second.
constexpr unsigned kSecondsForOne = 300;

std::vector<Mutant>& Registered() {
  static std::vector<Mutant> mutants;
  return mutants;
}

/// What the declared properties say of a run with the rule broken.
Contradiction RunBroken(const Mutant& mutant, const Scenario& scenario, std::uint64_t seed) {
  const RuleBreaker breaker(mutant.rule);
  const Outcome outcome = RunSeed(scenario, seed, RunOptions());
  for (const char* name : mutant.properties) {
    const Property* property = FindProperty(name);
    LS_INVARIANT(property != nullptr, "a mutant names a property that exists");
    if (const Contradiction found = property->check(outcome.evidence)) return fmt::format("{}: {}", name, *found);
  }
  return std::nullopt;
}

}  // namespace

MutantRegistration::MutantRegistration(Mutant mutant) { Registered().push_back(std::move(mutant)); }

const std::vector<Mutant>& AllMutants() {
  std::vector<Mutant>& mutants = Registered();
  std::sort(mutants.begin(), mutants.end(),
            [](const Mutant& a, const Mutant& b) { return std::string_view(a.name) < b.name; });
  return mutants;
}

const Mutant* FindMutant(std::string_view name) {
  for (const Mutant& mutant : AllMutants()) {
    if (name == mutant.name) return &mutant;
  }
  return nullptr;
}

Verdict Try(const Mutant& mutant, std::uint64_t passed) {
  const Scenario* scenario = FindScenario(mutant.scenario);
  LS_INVARIANT(scenario != nullptr, "a mutant names a scenario that exists");
  for (std::uint64_t seed = 1; seed <= mutant.seeds; ++seed) {
    const Contradiction found = RunBroken(mutant, *scenario, seed);
    if (!found) continue;
    for (std::uint64_t whole = passed + 1; whole <= seed; ++whole) {
      const Outcome outcome = RunSeed(*scenario, whole, RunOptions());
      if (!outcome.failure) continue;
      return Verdict{0, fmt::format("seed {} fails without it, too: {}", whole, outcome.failure->property)};
    }
    return Verdict{seed, *found};
  }
  return Verdict{0, fmt::format("{} seeds pass", mutant.seeds)};
}

Verdict TryApart(const Mutant& mutant, std::uint64_t passed) {
  int ends[2];
  LS_INVARIANT(pipe(ends) == 0, "a pipe can be made");
  std::fflush(nullptr);
  const pid_t child = fork();
  LS_INVARIANT(child >= 0, "a process can be made");
  if (child == 0) {
    close(ends[0]);
    alarm(kSecondsForOne);
    const Verdict verdict = Try(mutant, passed);
    const std::string line = fmt::format("{} {}", verdict.killed_by_seed, verdict.text);
    const bool told = write(ends[1], line.data(), line.size()) == static_cast<ssize_t>(line.size());
    _exit(told ? 0 : 1);
  }
  close(ends[1]);
  std::string line;
  char buffer[4096];
  for (ssize_t got = 0; (got = read(ends[0], buffer, sizeof buffer)) > 0;) line.append(buffer, static_cast<std::size_t>(got));
  close(ends[0]);
  int status = 0;
  LS_INVARIANT(waitpid(child, &status, 0) == child, "a child ends once");
  if (WIFSIGNALED(status)) return Verdict{0, fmt::format("it ended by signal {}", WTERMSIG(status))};
  const std::size_t space = line.find(' ');
  if (WEXITSTATUS(status) != 0 || space == std::string::npos) return Verdict{0, "it ended without a verdict"};
  return Verdict{std::stoull(line.substr(0, space)), line.substr(space + 1)};
}

}  // namespace lakestream::sim
