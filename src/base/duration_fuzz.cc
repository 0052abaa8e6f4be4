#include "base/time.h"
#include "fuzz/fuzz_target.h"

namespace lakestream {

void FuzzOne(ByteSpan input) {
  const Result<Duration> duration = ParseDuration(AsText(input));
  if (!FuzzAnswer("duration", duration.status(), {StatusCode::kInvalidArgument}, {"got="})) return;
  LS_INVARIANT(duration->count() >= 0, "durations do not go back");
  const Result<Duration> back = ParseDuration(FormatDuration(*duration));
  LS_INVARIANT(back.ok() && *back == *duration, "what is written comes back");
}

}  // namespace lakestream
