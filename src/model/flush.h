#pragma once

#include <cstdint>

#include "base/time.h"

namespace lakestream::model {

/// Tokens that come at a steady rate and are saved up to a limit. May go into debt.
class TokenBucket {
 public:
  /// `rate` per second, greater than 0; starts full.
  TokenBucket(double rate, double burst, MonotonicTime now) : rate_(rate), burst_(burst), tokens_(burst), at_(now) {}
  void Take(double count, MonotonicTime now);
  /// When `count` (at most the burst) will be there; at or before `now` when they are there already.
  MonotonicTime ReadyAt(double count, MonotonicTime now) const;

 private:
  double TokensAt(MonotonicTime now) const;
  double rate_;
  double burst_;
  double tokens_;
  MonotonicTime at_;
};

struct FlushRules {
  std::int64_t target_object_bytes;
  int slots;
  double put_budget_per_second;
  Duration linger_max;
  Duration linger_max_busy;
  Duration linger_behind_put;
};

struct FlushSituation {
  MonotonicTime now;
  std::int64_t queued_entries = 0;
  std::int64_t queued_bytes = 0;
  MonotonicTime oldest_queued;  ///< when the oldest queued entry came
  int puts_in_flight = 0;
  MonotonicTime last_start;     ///< of a flush
  Duration put_time{};          ///< what a PUT takes lately
  MonotonicTime token_ready;    ///< when a token of the PUT budget is there
  MonotonicTime index_ready;    ///< when the index budget covers the queued logs
  bool stopping = false;        ///< write out what there is, without lingering
};

struct FlushDecision {
  enum class Kind {
    kNothing,   ///< the queue is empty
    kAwaitSlot, ///< every slot is taken: look again when a PUT ends
    kAwaitTime, ///< look again at `at`, or when the queue reaches the target size
    kStart,
  };
  Kind kind = Kind::kNothing;
  MonotonicTime at{};
  bool costs_token = false;
};

/// Whether to start a flush now. A start needs a slot, and a token unless the queue fills an object. With
/// nothing in flight it starts at once; behind a PUT it waits so that starts are spread over the slots.
/// No linger overrides the budget.
FlushDecision DecideFlush(const FlushRules& rules, const FlushSituation& situation);

}  // namespace lakestream::model
