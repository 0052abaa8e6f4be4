#pragma once

#include <cstdint>

#include "base/time.h"

namespace lakestream {

/// What a deployment's record fixes for every process that shares it.
struct DeploymentTimes {
  Duration publish_deadline = std::chrono::seconds(30);  ///< no index put names an object older than this
  Duration index_deadline = std::chrono::seconds(30);    ///< an index put unanswered for so long is unknown
  Duration grace = std::chrono::hours(24);  ///< at least 10 times the sum of the two deadlines
};

struct WriterOptions {
  DeploymentTimes times;

  std::int64_t max_entry_bytes = std::int64_t{64} << 20;   ///< a larger payload is invalid_argument
  std::int64_t target_object_bytes = std::int64_t{8} << 20;  ///< objects of this size need no token
  std::int64_t max_queued_bytes = std::int64_t{256} << 20;  ///< queued and in flight; more waits
  int max_puts_in_flight = 8;               ///< slots
  double put_budget_per_second = 200;       ///< tokens for objects under the target size
  double put_budget_burst_seconds = 1;      ///< tokens saved up at most
  double index_put_budget_per_second = 20'000;  ///< a flush of n logs takes n
  Duration linger_max = std::chrono::milliseconds(250);  ///< at least 1 / put_budget_per_second
  Duration linger_max_busy = std::chrono::seconds(2);    ///< where the index budget is short
  Duration linger_behind_put = std::chrono::microseconds(500);  ///< micro-linger while a PUT is in flight
  Duration put_deadline = std::chrono::seconds(30);  ///< all tries of one object together
  Duration settle_time = std::chrono::seconds(60);   ///< a log is parked at most so long for an unknown put
  Duration lease_idle = std::chrono::seconds(60);    ///< an unused lease is given up after this
  Duration fence_poll = std::chrono::milliseconds(500);  ///< how often held leases look for a fence
  Duration session_timeout = std::chrono::seconds(15);
  /// Names of WAL objects: yyyy/MM/dd/HH/{mmss}-{uuid} instead of yyyy/MM/dd/HH/mm/ss/{uuid}. For stores
  /// where a new directory costs an fsync: 24 a day instead of one a second.
  bool embedded_names = false;
};

struct ReaderOptions {
  Duration tail_poll = std::chrono::seconds(1);  ///< a tail looks again after this, without any hint
  std::int64_t whole_object_bytes = std::int64_t{1} << 20;  ///< payload regions up to this are fetched whole
  std::int64_t first_fetch_bytes = std::int64_t{64} << 10;  ///< of a larger object, to find its index region
  std::int64_t cache_bytes = std::int64_t{64} << 20;  ///< directories and payloads together
  Duration index_cache_age = std::chrono::seconds(10);  ///< cached index records are dropped after this
};

}  // namespace lakestream
