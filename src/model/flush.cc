#include "model/flush.h"

#include <algorithm>
#include <cmath>

namespace lakestream::model {
namespace {

Duration Seconds(double seconds) { return Duration(static_cast<std::int64_t>(std::ceil(seconds * 1e9))); }

}  // namespace

double TokenBucket::TokensAt(MonotonicTime now) const {
  const double elapsed = std::chrono::duration<double>(std::max(now - at_, Duration::zero())).count();
  return std::min(burst_, tokens_ + elapsed * rate_);
}

void TokenBucket::Take(double count, MonotonicTime now) {
  tokens_ = TokensAt(now) - count;
  at_ = std::max(at_, now);
}

MonotonicTime TokenBucket::ReadyAt(double count, MonotonicTime now) const {
  const double missing = std::min(count, burst_) - TokensAt(now);
  return missing <= 0 ? now : now + Seconds(missing / rate_);
}

FlushDecision DecideFlush(const FlushRules& rules, const FlushSituation& s) {
  using Kind = FlushDecision::Kind;
  if (s.queued_entries == 0) return FlushDecision{Kind::kNothing, {}, false};
  if (s.puts_in_flight >= rules.slots) return FlushDecision{Kind::kAwaitSlot, {}, false};
  if (s.queued_bytes >= rules.target_object_bytes) return FlushDecision{Kind::kStart, s.now, false};

  MonotonicTime start = s.now;
  if (s.puts_in_flight > 0 && !s.stopping) {
    const Duration per_budget = Seconds(1 / rules.put_budget_per_second);
    const Duration spacing = std::max(per_budget, s.put_time / rules.slots);
    const MonotonicTime spread = std::max(s.last_start + spacing, s.oldest_queued + rules.linger_behind_put);
    const MonotonicTime patience = std::max(s.oldest_queued + rules.linger_max, s.last_start + per_budget);
    start = std::min(spread, patience);
  }
  if (!s.stopping) start = std::max(start, std::min(s.index_ready, s.oldest_queued + rules.linger_max_busy));
  start = std::max(start, s.token_ready);
  if (start > s.now) return FlushDecision{Kind::kAwaitTime, start, false};
  return FlushDecision{Kind::kStart, s.now, true};
}

}  // namespace lakestream::model
