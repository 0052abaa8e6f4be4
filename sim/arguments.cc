#include "sim/arguments.h"

#include <CLI/CLI.hpp>

#include <iostream>
#include <map>
#include <utility>
#include <vector>

#include "sim/mutants/mutant.h"

namespace lakestream::sim {
namespace {

const std::map<std::string, unsigned> kTroubles = {
    {"kills", kKills},       {"freezes", kFreezes}, {"suspends", kSuspends}, {"clocks", kClocks},
    {"cuts", kCuts},         {"sessions", kSessions}, {"objects", kObjects}, {"metadata", kMetadata},
    {"nasty", kNasty},       {"locks", kLocks},     {"restarts", kRestarts},
};

std::string CheckNumber(const std::string& text, std::uint64_t& number) {
  const bool digits = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos && text.size() < 20;
  if (!digits) return "\"" + text + "\" is no seed";
  number = std::stoull(text);
  return std::string();
}

}  // namespace

std::string TroubleNames(unsigned troubles) {
  if (troubles == kAllTrouble) return "all";
  std::string names;
  for (const auto& [name, bit] : kTroubles) {
    if ((troubles & bit) != 0) names += (names.empty() ? "" : ",") + name;
  }
  return names.empty() ? "none" : names;
}

Result<std::optional<Arguments>> ParseArguments(int argc, const char* const* argv) {
  Arguments arguments;
  std::string seeds;
  std::string one_seed;
  std::vector<std::string> faults;
  int operations = 0;
  CLI::App app("Runs the engine in a simulated world, and checks what it did. Everything follows from the seed.");
  app.add_option("--scenario", arguments.scenario, "one scenario; without it all that do not take seconds");
  auto* seed = app.add_option("--seed", one_seed, "one seed");
  auto* range = app.add_option("--seeds", seeds, "seeds A..B, both included")->excludes(seed);
  auto* minutes =
      app.add_option("--minutes", arguments.minutes, "runs fresh seeds, from --seed on, for so long")->excludes(range);
  app.add_option("--faults", faults, "only these: kills, freezes, suspends, clocks, cuts, sessions, objects, metadata, "
                                     "nasty, locks, restarts; or none")
      ->delimiter(',');
  auto* count = app.add_option("--operations", operations, "at most so many calls of clients, to narrow a failure down");
  app.add_option("--trace", arguments.trace, "writes what happened in the first seed to this file");
  app.add_option("--space", arguments.space, "writes bytes stored and live over the day of the first seed to this file");
  app.add_flag("--list", arguments.list, "lists scenarios, properties, probes and mutants");
  app.add_flag("--mutants", arguments.mutants, "breaks one rule of the protocol after the other; each must be noticed");
  app.add_option("--mutant", arguments.mutant, "only this mutant, in this process");
  app.add_flag("--twice", arguments.twice, "runs every seed twice, which must give the same trace");
  app.add_flag("--hashes", arguments.hashes, "prints the hash of each seed's trace");
  app.add_flag("--require-probes", arguments.require_probes, "goes on, to four times the seeds, until each probe was hit; fails where one was not");
  app.add_option("--judge", arguments.judge, "runs nothing; judges the history of real processes in this file")
      ->excludes(seed)
      ->excludes(range);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    std::cout << app.help();
    return std::optional<Arguments>();
  } catch (const CLI::ParseError& error) {
    return InvalidArgument(error.what());
  }
  std::string wrong;
  if (!one_seed.empty()) {
    wrong = CheckNumber(one_seed, arguments.first);
    if (minutes->empty()) arguments.last = arguments.first;
  }
  if (!seeds.empty()) {
    const std::size_t dots = seeds.find("..");
    if (dots == std::string::npos) {
      wrong = "--seeds is A..B";
    } else {
      wrong = CheckNumber(seeds.substr(0, dots), arguments.first);
      if (wrong.empty()) wrong = CheckNumber(seeds.substr(dots + 2), arguments.last);
    }
  }
  if (!faults.empty()) {
    arguments.run.troubles = 0;
    for (const std::string& name : faults) {
      const auto found = kTroubles.find(name);
      if (found != kTroubles.end()) {
        arguments.run.troubles |= found->second;
      } else if (name != "none") {
        wrong = "there is no fault \"" + name + "\"";
      }
    }
  }
  if (!arguments.scenario.empty() && FindScenario(arguments.scenario) == nullptr) {
    wrong = "there is no scenario \"" + arguments.scenario + "\"; see --list";
  }
  if (!arguments.mutant.empty() && FindMutant(arguments.mutant) == nullptr) {
    wrong = "there is no mutant \"" + arguments.mutant + "\"; see --list";
  }
  if (!count->empty()) arguments.run.operations = operations;
  if (!wrong.empty()) return InvalidArgument(wrong);
  return std::optional<Arguments>(std::move(arguments));
}

}  // namespace lakestream::sim
