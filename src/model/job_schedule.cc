#include "model/job_schedule.h"

#include <algorithm>

namespace lakestream::model {
namespace {

constexpr Duration kLongestFirstPause = std::chrono::seconds(1);

Duration Share(Duration of, double share) {
  return Duration(static_cast<Duration::rep>(static_cast<double>(of.count()) * share));
}

}  // namespace

Duration FirstPause(const JobPace& pace, double draw) {
  return Share(std::min(pace.every / 10, kLongestFirstPause), draw);
}

Duration NextPause(const JobPace& pace, PassEnd end, int failures, double draw) {
  switch (end) {
    case PassEnd::kMore:
      return Duration::zero();
    case PassEnd::kDone:
      return Share(pace.every, 0.9 + 0.2 * draw);
    case PassEnd::kFailed:
      break;
  }
  Duration wait = std::min(pace.retry_first, pace.every);
  for (int i = 1; i < failures && wait < pace.every; ++i) wait = wait > pace.every / 2 ? pace.every : wait * 2;
  return Share(wait, 0.5 + 0.5 * draw);
}

}  // namespace lakestream::model
