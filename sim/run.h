#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "base/time.h"
#include "sim/evidence.h"
#include "sim/plan.h"

namespace lakestream::sim {

struct RunOptions {
  unsigned troubles = kAllTrouble;
  std::optional<int> operations;   ///< instead of the plan's
  std::uint64_t altered_draw = 0;  ///< for tests of the trace: this draw gets another value
};

struct Failure {
  std::string property;
  std::string text;  ///< both sides of the contradiction
};

struct Outcome {
  std::uint64_t trace_hash = 0;
  std::uint64_t steps = 0;
  std::uint64_t draws = 0;
  Duration time{};  ///< virtual
  std::optional<Failure> failure;
  std::set<std::string> probes;  ///< that were hit
  Evidence evidence;
};

/// Everything follows from scenario, seed and options.
Outcome RunSeed(const Scenario& scenario, std::uint64_t seed, const RunOptions& options);

/// The first property, by name, that does not hold.
std::optional<Failure> Judge(const Evidence& evidence);

}  // namespace lakestream::sim
