#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "lakestream/status.h"
#include "lakestream/task.h"
#include "log/deployment/deployment.h"
#include "runtime/runtime.h"

namespace lakestream {

struct BackupReport {
  std::uint64_t records = 0;
  std::uint64_t bytes = 0;            ///< of the copy's file
  std::int64_t made_ms = 0;           ///< everything acknowledged before this is in the copy
  std::int64_t usable_until_ms = 0;   ///< from then on, objects that the copy names may be gone
};

/// Copies the metadata of a deployment into a new folder, as one snapshot, while others go on writing. The folder is
/// durable and checked when it gets its name; before, "{folder}.partial" holds it. Objects are not copied. `config`:
/// the text of the deployment's configuration, where it has one, to be kept with the copy.
/// Errors: already_exists (there is something at `folder`), unimplemented (no copies of this metadata store), corrupt
/// (what was copied is damaged), fenced (the metadata was moved away), unavailable, resource_exhausted.
Task<Result<BackupReport>> BackUpMetadata(Runtime& runtime, Deployment& deployment, OpContext context,
                                          std::string folder, std::optional<std::string> config);

}  // namespace lakestream
