#pragma once

#include <cstdint>

#include "base/time.h"

// When a background job makes its next pass. `draw` is a random number in [0, 1): without it, processes that were
// started together would look at the same records at the same moments for ever.

namespace lakestream::model {

/// How the passes of a job follow one another.
struct JobPace {
  Duration every{};  ///< between two passes, above 0
  Duration retry_first = std::chrono::seconds(1);  ///< after one that failed, and twice as long each time, up to `every`
};

enum class PassEnd : std::uint8_t {
  kDone,    ///< nothing is left to do for now
  kMore,    ///< another pass has work at once
  kFailed,
};

/// Before the first pass: up to a tenth of `every`, and less than a second.
Duration FirstPause(const JobPace& pace, double draw);

/// From the end of a pass to the next one: nothing where there is more to do; `every`, a tenth more or less; after
/// `failures` passes in a row that failed, this one among them, the retry's time or down to half of it. So a job that
/// fails never waits longer than one that works.
Duration NextPause(const JobPace& pace, PassEnd end, int failures, double draw);

}  // namespace lakestream::model
