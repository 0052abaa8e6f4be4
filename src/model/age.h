#pragma once

#include <algorithm>

#include "base/time.h"

namespace lakestream::model {

/// One moment on the two clocks that run on while a machine sleeps.
struct Moment {
  WallTime wall{};
  BootTime boot{};
};

/// The age of what began at `begun`, by whichever clock says more: a clock set back must not make an object
/// look young, and a suspended machine must not either.
inline Duration AgeAt(const Moment& begun, const Moment& now) {
  return std::max<Duration>(now.boot - begun.boot, now.wall - begun.wall);
}

/// An index put may name an object only while this holds (the age rule).
inline bool MayPublish(const Moment& begun, const Moment& now, Duration publish_deadline) {
  return AgeAt(begun, now) < publish_deadline;
}

/// An answer may be acknowledged only while this holds: an older object may already be a candidate for
/// deletion, and no look at the store can prove that it stays.
inline bool MayAcknowledge(const Moment& begun, const Moment& now, Duration grace) {
  return AgeAt(begun, now) <= grace / 2;
}

}  // namespace lakestream::model
