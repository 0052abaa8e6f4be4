#pragma once

#include <string>

#include "log/fsck/fsck_job.h"

namespace lakestream {

/// Looks for a record that its own partition does not give; tells where another partition's shard still holds it.
Task<Status> CheckMisplaced(FsckJob& job, Partition partition, std::string key);

}  // namespace lakestream
