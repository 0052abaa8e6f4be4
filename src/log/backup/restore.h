#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "lakestream/status.h"
#include "lakestream/task.h"
#include "log/deployment/deployment.h"
#include "runtime/runtime.h"

namespace lakestream {

/// An object that is newer than the copy and holds entries that no index record of the copy names: they may have been
/// acknowledged, and the restored deployment does not have them.
struct LostObject {
  std::string key;
  std::uint64_t bytes = 0;           ///< of the object
  std::int64_t entries = 0;          ///< that are in no index
  std::int64_t payload_bytes = 0;    ///< of these
};

struct RestoreReport {
  std::int64_t made_ms = 0;          ///< when the copy was made
  std::int64_t usable_until_ms = 0;  ///< past: objects that the copy names may be gone
  std::int64_t epoch = 0;            ///< the new one
  std::int64_t given_out = 0;        ///< new log ids are greater
  std::uint64_t records = 0;
  std::uint64_t sessions_ended = 0;
  std::uint64_t damage = 0;          ///< places where copy and objects do not fit; fsck names them
  std::uint64_t lost_objects = 0;
  std::int64_t lost_entries = 0;
  std::int64_t lost_bytes = 0;
  std::string hold;                  ///< the hold on collection that now stands
};

/// Puts a copy that BackUpMetadata made in the place of a deployment's metadata that is gone. The objects have to be in
/// their place. What becomes the metadata is made beside it, as "{metadata}.partial": every session of the copy is
/// ended, with its leases; log ids go on above all that index, leases and objects know; the deployment gets a new
/// epoch; and collection is held until someone has looked and releases it. `on_lost` is told of each lost object.
/// Errors: already_exists (there is metadata), not_found (no backup), unavailable (the objects are not there; another
/// restore is at work), precondition_failed (other roots than the copy's), corrupt (a damaged backup).
Task<Result<RestoreReport>> RestoreMetadata(Runtime& runtime, OpContext context, std::string backup,
                                            DeploymentOptions target, std::function<void(const LostObject&)> on_lost);

}  // namespace lakestream
